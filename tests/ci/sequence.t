#!/usr/bin/perl
# Cases with steps: several kernels on the same buffers, judged, analysed, hunted and looked into as
# one run.
use strict;
use warnings;
use File::Copy qw(copy);
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

my $co = "$build/tests/ci/sequence.gpu.co";

# Two kernels, each of which reverses its input: the output is the input.
my $twice = <<'END';
name: reversed/twice
code: sequence.gpu.co
contract: {sizes: [{name: G, max: 3}]}
buffers:
  - {name: IN,  role: none, type: u32, rows: G, cols: 256}
  - {name: MID, role: none, type: u32, rows: G, cols: 256, data: poison}
  - {name: OUT, role: none, type: u32, rows: G, cols: 256, of: IN}
steps:
  - kernel: reverse
    grid: [G]
    block: [256]
    kernarg:
      - {offset: 0, type: ptr, value: IN}
      - {offset: 8, type: ptr, value: MID}
  - kernel: reverse # last
    grid: [G]
    block: [256]
    kernarg:
      - {offset: 0, type: ptr, value: MID}
      - {offset: 8, type: ptr, value: OUT}
verdict: {judge: repack}
runs:
  - {sizes: {G: 2}, regime: general}
END
my @run = ('run', '--code', "$build/tests/ci");

sub edited {
	my ($yaml, %edits) = @_;
	$yaml =~ s/\Q$_\E/$edits{$_}/ or BAIL_OUT("'$_' is not in the case") for keys %edits;
	return spew("$dir/case.yaml", $yaml);
}

# The whole report, in a failure.
sub report { return diag "exit $status\n$err$out" }

my %last  = ('kernel: reverse # last' => 'kernel: reverse_early');
my %part  = ('kernel: reverse' => 'kernel: reverse_part');

# ---- verdicts ----

is(mxcheck(@run, '--case', edited($twice)), 0, 'two steps pass') or report();
like($out, qr{^pass  reversed/twice/G=2/general +bytes 2048/2048 }m, '  with every byte of the output');
like($out, qr/^ +order: proved for this launch/m, '  and the order of both is proved') or report();

is(mxcheck(@run, '-v', '--case', edited($twice)), 0, '-v passes') or report();
my @steps = $out =~ /^ +step (\d of 2: reverse)\n +code: \S+sequence\.gpu\.co, XXH3 [0-9a-f]{16}\n(?: +LDS: .*\n)* +\d+ wave instructions/mg;
is("@steps", '1 of 2: reverse 2 of 2: reverse', '  and counts instructions of each step') or report();

is(mxcheck(@run, '--case', edited($twice, %last)), 3, 'a race in the last step fails');
like($out, qr/^ +race-lds: reverse_early\+0x\w+ ds_read_b32 .*; step 2, workgroup 0,0,0 wave \d/m,
	'  and the finding names its kernel and step') or report();
my ($again) = $out =~ /^ *reproduce: (.*)$/m;
my @found = $out =~ /^ +(race-lds: .*)$/mg;
run('sh', '-c', $again);
is("$status " . join('|', $out =~ /^ +(race-lds: .*)$/mg), '3 ' . join('|', @found),
	'  and the printed command repeats it') or report();

mxcheck(@run, '--notes', '--case', edited($twice, %last), '--waive', spew("$dir/waive.yaml", <<'END'));
waivers:
  - {finding: race-lds, kernel: reverse_early, reason: a test}
END
like($out, qr/^ +waived: race-lds in reverse_early: a test$/m, 'a waiver names the kernel of a step') or report();
unlike($out, qr/^ +race-lds:/m, '  and covers its findings');

is(mxcheck(@run, '--case', edited($twice, %part)), 3, 'a step that leaves words unwritten fails, if a later one reads them')
	or report();
like($out, qr/^ +uninitialised: reverse\+0x\w+ .*; step 2, /m, '  where the later one uses them') or report();

is(mxcheck(@run, '--case', edited($twice, 'value: IN' => 'value: "IN - 0x700000000000"')), 4, 'a fault in the first step fails') or report();
is(join(' ', $out =~ /^ +(fault|uninitialised): /mg), 'fault', '  and is the end of the run') or report();

# Each step's doubts count.
is(mxcheck(@run, '--case', edited($twice, %last), '--require-proof'), 3, '--require-proof needs a proof of each step');
like($out, qr/^ +order: not proved: there are findings of reverse_early$/m, '  and the reason names the kernel') or report();

is(mxcheck(@run, '--case', edited($twice, 'kernel: reverse' => 'kernel: reverse_early')), 3, 'a race in the first step fails');
like($out, qr/^ +uninitialised: reverse\+0x/m, '  and leaves unwritten words to the last') or report();
like($out, qr/^ +order: not proved: there are findings of reverse_early$/m, '  and the first step with a doubt is named') or report();

# ---- schedules ----

is(mxcheck(@run, '--race', 30, '--case', edited($twice)), 0, 'a hunt over both steps passes') or report();
like($out, qr/0 of 30 runs differ/, '  under 30 schedules');
is(mxcheck(@run, '--race', 30, '--no-analysis', '--seed', 5, '--case', edited($twice, %last)), 3,
	'a hunt finds the race of the last step');
like($out, qr/^ +nondeterminism: /m, '  by the bytes of the output');
like($out, qr/^ +witness: reader: reverse_early\+0x\w+ ds_read_b32 .*; step 2, workgroup/m,
	'  and its witness names the step') or report();
my ($replay) = $out =~ /^ *replay: (.*)$/m;
like($replay, qr/--schedule 'sequential,.*,2:\d+\.\d+@/, '  in a schedule with decisions of step 2') or report();
run('sh', '-c', $replay // 'false');
is($status, 3, '  which fails again') or report();
is(mxcheck(@run, '--case', edited($twice), '--schedule', 'sequential,3:0.1@5+7'), 2, 'a schedule cannot name a third step');
is($err, "mxcheck: schedule: step 3: reversed/twice/G=2/general has 1 to 2\n", '  and the error says so');
is(mxcheck(@run, '--case', edited($twice), '--schedule', 'sequential,0:0.1@5+7'), 2, 'nor step 0');

# ---- looking into a run ----

is(mxcheck(@run, '--case', edited($twice), '--who', 'OUT[1,3]', '--depth', 12), 0, '--who follows an element') or report();
like($out, qr/^  from reverse\+0x\w+ global_store_dword .*; step 2, workgroup 1,0,0 wave 0 lane 3/m,
	'  to the store of the last step') or report();
like($out, qr/memory at MID\[1\]\[252\] .*\n +from reverse\+0x\w+ global_store_dword .*; step 1, workgroup 1,0,0 wave 3 lane 60/,
	'  through the buffer between the steps') or report();
like($out, qr/memory at IN\[1\]\[3\] .* = 0x\w+, from before the launch$/m, '  to the input') or report();

is(mxcheck(@run, '--case', edited($twice), '--trace', '0,0,0:1'), 0, '--trace prints a wave') or report();
is(join(',', $out =~ /^(step \d of 2: reverse)$/mg), 'step 1 of 2: reverse,step 2 of 2: reverse', '  of each step, with a heading');
is(mxcheck(@run, '--case', edited($twice), '--watch', 'MID[0,0]'), 0, '--watch prints accesses') or report();
like($out, qr/^step 1 of 2: reverse\n.* writes MID\[0\]\[0\] .*\nstep 2 of 2: reverse\n.* reads MID\[0\]\[0\] /m,
	'  of the step that writes and the step that reads') or report();

is(mxcheck(@run, '--case', edited($twice), '--save', "$dir/saved"), 0, '--save writes the buffers') or report();
ok(-s "$dir/saved/reversed/twice/G=2/general/MID.npy", '  and those between the steps') or diag `find $dir/saved`;

is(mxcheck(@run, '--case', edited($twice), '--json', "$dir/runs.json"), 0, '--json passes') or report();
like(slurp("$dir/runs.json"), qr/"kernel":"reverse","steps":\["reverse","reverse"\]/, '  and lists the kernels');

# Reports have the place of a finding in the code object of its step.
my @files = ('--json', "$dir/runs.json", '--sarif', "$dir/run.sarif", '--html', "$dir/run.html");
my $racy = $twice =~ s/kernel: reverse # last/code: last.co\n    kernel: reverse_early/r;
copy($co, "$dir/$_") for 'last.co', 'sequence.gpu.co';
is(mxcheck('run', @files, '--case', edited($racy)), 3, 'a race of the last step is in the reports') or report();
like(slurp("$dir/runs.json"), qr/"kind":"race-lds".*?"at":\{"step":2,"pc":\d+,"instruction":"ds_/, '  with its step and instruction') or diag slurp("$dir/runs.json");
like(slurp("$dir/run.sarif"), qr/"fullyQualifiedName": ?"reverse_early\+0x/, '  and its kernel') or diag slurp("$dir/run.sarif");
like(slurp("$dir/run.sarif"), qr/last\.co"/, '  in its code object');
like(slurp("$dir/run.html"), qr/"access": ?true,"pc": ?\d+,"instruction": ?"ds_/, '  and the page shows both accesses') or report();

# ---- code objects ----

copy($co, "$dir/mine.co");
copy("$build/tests/ci/$_", "$dir/$_") for 'sequence.gpu.co', 'repack.gpu.co';
is(mxcheck('run', '-v', '--co', "$dir/mine.co", '--case', edited($twice)), 0, '--co is for the steps whose kernels it has') or report();
like($out, qr/step 2 of 2: reverse\n +code: \S+mine\.co/, '  in each of them') or report();
is(mxcheck('run', '--co', "$build/kernels/gemm/mxfp4_gemm.co", '--case', edited($twice)), 2, 'a file with none of them is refused');
like($err, qr/^mxcheck: \S+mxfp4_gemm\.co: it cannot be read, or has no kernel of the steps of \S+case\.yaml\n\z/, '  with the reason');
my $two = $twice =~ s/kernel: reverse # last/code: repack.gpu.co\n    kernel: transpose/r;
$two =~ s/(value: OUT\})/$1\n      - {offset: 16, type: u32, value: 256}\n      - {offset: 20, type: u32, value: 2 * G}/;
is(mxcheck(@run, '-v', '--case', edited($two, 'judge: repack' => 'judge: none', ', of: IN' => ', data: poison')), 0,
	'steps may be in two code objects') or report();
like($out, qr/step 1 of 2: reverse\n +code: \S+sequence.*step 2 of 2: transpose\n +code: \S+repack/s, '  each with its own') or report();

my $external = "external: true\n$two" =~ s/repack\.gpu\.co/nowhere.co/r;
$external =~ s/^steps:/variants: [{name: only}]\nsteps:/m;
is(mxcheck(@run, '--case', edited($external)), 2, 'a step without its code object is skipped');
is($err, "mxcheck: no code object of the 1 selected runs is here; --code DIR names the folder\n", '  if the case says that others have it');

# A verdict of the cache belongs to the code objects of all steps.
sub is_cached {
	my @options = ('--cache', "$dir/cache", '--json', "$dir/runs.json", '--case', "$dir/case.yaml");
	mxcheck('run', @options) == 0 or report();
	return scalar(slurp("$dir/runs.json") =~ /"cached":true/);
}
edited($two, 'judge: repack' => 'judge: none', ', of: IN' => ', data: poison');
is_cached();
ok(is_cached(), 'a run of several steps has its verdict in the cache');
my @resume = ('run', '--race', 3, '--resume', "$dir/journal", '--case', "$dir/case.yaml");
is(mxcheck(@resume), 0, 'a hunt of several steps has a journal') or report();
spew("$dir/repack.gpu.co", slurp("$dir/repack.gpu.co") . "\0");
ok(!is_cached(), '  but not after a change of the last code object');
is(mxcheck(@resume), 2, 'and the journal is refused, too') or report();
like($err, qr/code object/, '  with the reason') or report();

# ---- mutation, shapes ----

is(mxcheck('mutate', '--code', "$build/tests/ci", '--case', edited($twice, 'G: 2' => 'G: 1'), '-v'), 0, 'mutation takes the kernels of all steps') or report();
like($out, qr/^flagged +reverse\+0x\w+ s_barrier: s_barrier -> s_nop 0; by /m, '  and flags a missing barrier') or report();
like($out, qr/^\d+ mutants of reverse in 1 run: /m, '  once for a kernel of two steps') or report();
is(mxcheck('mutate', '--code', "$build/tests/ci", '--case', edited($two, 'judge: repack' => 'judge: none', ', of: IN' => ', data: poison'), '-v'), 0,
	'mutation of two kernels passes') or report();
like($out, qr/^\d+ mutants of reverse, transpose in 1 run: /m, '  and names both') or report();
like($out, qr/^flagged +transpose\+0x\w+ s_waitcnt/m, '  and has mutants of the second') or report();

# The kernel of both steps, with an argument that decides whether its barriers are reached.
sub again { return $twice =~ s/kernel: reverse/kernel: reverse_again/gr =~ s/(value: MID\}\n)(.*)(value: OUT\}\n)/$1$_[0]$2$3$_[1]/sr; }
sub flag { return "      - {offset: 16, type: u32, value: $_[0]}\n" }
my @mutate = ('mutate', '--code', "$build/tests/ci", '-v', '--case');
my %unjudged = ('judge: repack' => 'judge: none', ', of: IN' => ', data: poison', 'G: 2' => 'G: 1');
is(mxcheck(@mutate, edited(again(flag(0), flag(1)), %unjudged)), 0, 'a kernel with a branch is mutated') or report();
my ($once) = $out =~ /, (\d+) not reached$/m;
is(scalar(() = $out =~ /^flagged +reverse_again\+0x\w+ s_barrier: /mg) . " $once", '3 0', '  in each step that reaches the instruction') or report();
my $one = $two =~ s/kernel: reverse/kernel: reverse_again/r =~ s/(value: MID\}\n)/$1 . flag(0)/er;
is(mxcheck(@mutate, edited($one, %unjudged)), 0, 'and beside another kernel') or report();
like($out, qr/^not reached reverse_again\+0x\w+ s_barrier: /m, '  whose instructions at the same offsets are not its own') or report();

is(mxcheck('fuzz', '--count', 20, '--code', "$build/tests/ci", '--case', edited($twice)), 0, 'shapes are drawn for a sequence') or report();
like($out, qr/reached: 2 of 2 blocks/, '  and coverage is that of all steps') or report();
is(mxcheck('fuzz', '--count', 20, '--regress', "$dir/regress", '--code', "$build/tests/ci", '--case', edited($twice, %last)), 3,
	'shapes find the race of a step') or report();
($again) = $out =~ /^ *reproduce: (.*)$/m;
unlike($again, qr/ --co/, '  and the saved case names the code objects of its steps') or report();
run('sh', '-c', $again // 'false');
is($status, 3, '  which repeats it') or report();

# ---- a real device ----

SKIP: {
	skip 'the emulator as a real device does not run with ASan', 3 if $ENV{LD_LIBRARY_PATH};
	make_slow_hip();
	local $ENV{LD_LIBRARY_PATH} = $dir;
	is(mxcheck(@run, '--device', 'hip', '--case', edited($twice)), 0, 'steps run on a real device') or report();
	like($out, qr/^pass /m, '  and are judged');
	is(mxcheck(@run, '--device', 'hip', '--case', edited($twice, 'value: IN' => 'value: "IN - 0x700000000000"')), 4, 'a fault in a step ends the run')
		or report();
}

# ---- bad input ----

sub is_refused {
	my ($sentence, $want, %edits) = @_;
	mxcheck(@run, '--case', edited($twice, %edits));
	ok($status == 2 && $err =~ /\Amxcheck: \S+case\.yaml$want\n\z/, "$sentence is refused") or report();
}
is_refused('a step without a kernel', ':15: steps\[1\]: missing key: kernel', "kernel: reverse # last\n    " => '');
is_refused('a step without a grid', ':9: steps\[0\]: missing key: grid', "    grid: [G]\n" => '');
is_refused('a kernel of the case beside steps', ':2: kernel: the case has steps, each with its own', 'code: seq' => "kernel: reverse\ncode: seq");
is_refused('a code object that no step uses', ':2: code: each step has its own', "  - kernel: reverse\n" => "  - code: x.co\n    kernel: reverse\n", "  - kernel: reverse # last" => "  - code: x.co\n    kernel: reverse # last");
is_refused('a kernel that no step uses', ':8: variants\[0\]\.kernel: each step has its own', "steps:\n" => "variants: [{name: x, kernel: y}]\nsteps:\n");
is_refused('an unknown buffer', q{: steps\[1\]\.kernarg\[0\]\.value: unknown name 'MIT'}, '{offset: 0, type: ptr, value: MID}' => '{offset: 0, type: ptr, value: MIT}');
is_refused('an unknown key of a step', ':16: unexpected key: lsd', "kernel: reverse # last\n" => "kernel: reverse # last\n    lsd: 1\n");
is_refused('overlapping arguments of a step', ':20: steps\[1\]\.kernarg\[1\]\.offset: overlaps steps\[1\]\.kernarg\[0\]', '{offset: 8, type: ptr, value: OUT}' => '{offset: 4, type: ptr, value: OUT}');
is_refused('a grid without a workgroup', ': steps\[0\]\.grid\[0\]: G - 2 is 0, less than 1', 'grid: [G]' => 'grid: ["G - 2"]');
is_refused('too many work-items', ': steps\[0\]\.block: 256 x 5 x 1 work-items, more than 1024', 'block: [256]' => 'block: [256, 5]');
is_refused('too much LDS', ': steps\[0\]\.lds: 327681 is more than 327680', "    grid: [G]\n" => "    grid: [G]\n    lds: 327681\n");
my $single = $twice =~ s/  - kernel: reverse # last\n(?:    .*\n)+//r;
is(mxcheck(@run, '--case', edited($single, 'judge: repack' => 'judge: none', ', of: IN' => '')), 0, 'one step is enough') or report();
is_refused('no step at all', ':8: steps: 0 of at least 1 values', $twice =~ /(steps:\n.*?)verdict/s ? $1 : '' => "steps: []\n");

is(mxcheck('--tiles', 1, 'sequence/quantise_both/32x64x256/exact'), 2, 'some tiles of a sequence are refused');
like($err, qr/quantise_both\.yaml: tiles: the case has steps$/m, '  with the reason') or report();

# ---- variants ----

my $variants = $twice =~ s/^steps:/variants: [{name: one, kernel: reverse}, {name: two, kernel: reverse_early}]\nsteps:/mr;
is(mxcheck(@run, '--case', edited($variants, "kernel: reverse # last\n    " => '')), 3, 'a step without a kernel has the one of the variant')
	or report();
like($out, qr{^pass  reversed/twice/one/G=2/general.*^FAIL  reversed/twice/two/G=2/general}ms, '  of each variant') or report();

# ---- quantised operands, and copies of them ----

my $sequence = slurp('cases/sequence/quantise_shuffle_gemm.yaml') =~ s/tags: \[\w+, race\]/tags: [race]/r;
my @gemm = ('run', '--case', "$dir/case.yaml", 'sequence/*/45x70x416/general');
sub sequence { edited($sequence, @_); return mxcheck(@gemm) }

# A GEMM that reads the scales of the step before the shuffle.
my $unshuffled = $sequence =~ s/(A\}\n +- \{offset: 8,  type: ptr, value: )SHUFFLED(\}\n.*value: B\})/${1}SA$2/r;
spew("$dir/case.yaml", $unshuffled);
is(mxcheck(@gemm[0 .. 2], 'sequence/*/64x96x512/general'), 1, 'a GEMM with scales that are not shuffled fails');
like($out, qr/^ +wrong-bits: C\[/m, '  in its numbers') or report();
unlike($out, qr/^ +(?:wrong-bytes|not-written): (?:A|SA|SHUFFLED): /m, '  and the buffers between the steps are right') or report();

is(sequence('recipe: floor' => 'recipe: rceil'), 1, 'a kernel of another recipe fails');
like($out, qr/^ +wrong-bytes: A: byte \d+ \(row \d+, byte \d+ of it\)/m, '  in its codes') or report();
like($out, qr/^ +wrong-bytes: SA: /m, '  and in its scales') or report();
like($out, qr/^ +A:\d+ was last written by mxfp4_quantise_bf16\+0x\w+ .*; step 1, /m, '  and the report names the kernel') or report();
like($out, qr/; A quantised by rceil\]/, '  and the recipe');
is(sequence('offset: 24, type: u32, value: 0' => 'offset: 24, type: u32, value: 1'), 1, 'a wrong fill of the shuffle fails');
like($out, qr/^ +wrong-bytes: SHUFFLED: byte \d+ \(padding of the layout\) is 0x01, must be 0x00/m, '  in the padding') or report();

# Every pattern: NaN, infinities and subnormals.
my $rows = slurp('cases/quantise/mxfp4_rows.yaml');
my @random = ('run', '--case', "$dir/case.yaml", '--shape', '32,1,1024');
edited($rows, 'cols: K}' => 'cols: K, data: random}');
is(mxcheck(@random), 0, 'random f32 are quantised as by the reference') or report();
edited($rows, 'cols: K}' => 'cols: K, data: random}', 'f32,  rows' => 'bf16, rows', 'kernel: mxfp4_quantise_f32' => 'kernel: mxfp4_quantise_bf16');
is(mxcheck(@random), 0, 'and random bf16') or report();

sub operand_refused {
	my ($sentence, $want, %edits) = @_;
	sequence(%edits);
	ok($status == 2 && $err =~ /\Amxcheck: \S+case\.yaml$want\n\z/, "$sentence is refused") or report();
}
operand_refused('an unknown recipe', ':\d+: buffers\[1\]\.recipe: no such recipe; see mxcheck quant --help', 'recipe: floor' => 'recipe: flour');
operand_refused('a recipe of another format', ':\d+: buffers\[1\]\.recipe: the recipe is not defined for this type', 'recipe: floor' => 'recipe: aiter-mxfp8');
operand_refused('a recipe of no operand', ':\d+: buffers\[0\]\.recipe: only codes with role a, b or none have a recipe', 'type: bf16, rows: M, cols: K' => 'type: bf16, rows: M, cols: K, recipe: floor');
operand_refused('a recipe without a source', ':\d+: buffers\[1\]\.of: missing: the buffer that is quantised', 'of: X, ' => '');
operand_refused('a source that is nowhere', ':\d+: buffers\[1\]\.of: no buffer has this name', 'of: X' => 'of: Y');
operand_refused('a source of codes', ':\d+: buffers\[1\]\.of: it must be an input with role none, of f32, bf16 or f16', 'type: bf16' => 'type: u16');
operand_refused('a source in columns', ':\d+: buffers\[1\]\.of: it must be one matrix in rows', 'type: bf16,' => 'type: bf16, order: col,');
operand_refused('an operand with data, too', ':\d+: buffers\[1\]\.data: a quantised operand has none', 'recipe: floor' => 'recipe: floor, data: zero');
operand_refused('a source of another size', ': buffers\[1\]: A is 45 x 416, and X, which it copies, is 45 x 384', 'type: bf16, rows: M, cols: K' => 'type: bf16, rows: M, cols: K - 32');

done_testing();
