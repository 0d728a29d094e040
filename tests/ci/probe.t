#!/usr/bin/perl
# mxcheck probe: a folder that another program fills in, the profile found, and wrong folders.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

# The numbers of a .npy file, and a file of u32 with the header of another.
sub numbers {
	my ($file, $format) = @_;
	my $bytes = slurp($file);
	return unpack "$format*", substr $bytes, 10 + unpack 'v', substr $bytes, 8, 2;
}

sub write_like {
	my ($file, $like, @numbers) = @_;
	my $bytes = slurp($like);
	spew($file, substr($bytes, 0, 10 + unpack 'v', substr $bytes, 8, 2) . pack 'V*', @numbers);
}

# Each dot of a block of i8, by `$sum` of C and the products.
sub fill {
	my ($path, $K, $sum) = @_;
	my @a = numbers("$path.a.npy", 'c');
	my @b = numbers("$path.b.npy", 'c');
	my @c = numbers("$path.c.npy", 'l<');
	my @d = map {
		my $n = $_;
		my $d = $c[$n];
		$d += $a[$n * $K + $_] * $b[$n * $K + $_] for 0 .. $K - 1;
		$sum->($d) & 0xFFFFFFFF;
	} 0 .. $#c;
	write_like("$path.d.npy", "$path.c.npy", @d);
	return @c;
}

# ---- a folder ----

my $set = "$dir/set";
is(mxcheck('probe', '--emit', $set, '--insn', '*_m16n8k16_s8', '--dots', 2000), 0, 'a folder is written') or diag $err;
like($out, qr/\A1 instruction, ([\d.]+) MB in $set\n\z/, '  with what --insn names');
my ($size) = $out =~ /([\d.]+) MB/;
my $bytes = 0;
$bytes += -s for glob "$set/*/*.npy";
ok(abs($bytes / 1e6 - $size) < 0.06, '  of the size that was printed') or diag "$bytes bytes, $size MB";
my $name = 'mma_m16n8k16_s8';
my $manifest = slurp("$set/manifest.json");
my ($questions) = $manifest =~ m{"path": "$name/questions",\s+"dots": (\d+)\s};
ok($questions && $manifest =~ m{"path": "$name/random-0",\s+"dots": 2000,\s+"first": 0\s}, '  and a manifest of its blocks');
is(mxcheck('probe', '--read', $set), 77, 'without results there is nothing to read');

is(fill("$set/$name/questions", 16, sub { $_[0] }), $questions, 'another program computes the questions');
is(fill("$set/$name/random-0", 16, sub { $_[0] }), 2000, '  and the random dots');
spew("$set/device.json", '{"device": "a \"Perl\" script", "driver": "5", "date": "2026-11-23"}');
is(mxcheck('probe', '--read', $set, '--out', "$dir/profile.yaml"), 0, 'a profile fits') or diag "$out$err";
like($out, qr/^  over   0     measured  1 would give 0x[0-9A-F]{8}, not 0x[0-9A-F]{8}: LARGE /m, '  its fields have evidence');
like($out, qr/^  2000 random dots, 0 wrong$/m, '  and random dots confirm it');
my $yaml = slurp("$dir/profile.yaml");
like($yaml, qr/^device: "a \\"Perl\\" script"$/m, '  the file names the device');
like($yaml, qr/^  - name: $name\n    questions: $questions\n    random: 2000\n    fields:\n      - \{field: over, value: 0, fidelity: measured, /m,
	'  and the fields');

fill("$set/$name/$_", 16, sub { $_[0] > 0x7FFFFFFF ? 0x7FFFFFFF : $_[0] < -0x80000000 ? -0x80000000 : $_[0] })
	for qw(questions random-0);
is(mxcheck('probe', '--read', $set), 0, 'another device saturates') or diag "$out$err";
like($out, qr/^  over   1     measured  0 would give/m, '  and the profile says so');

# ---- the profile in mxcheck mfma ----

sub profile_file {
	my ($fields, $name) = (@_, 'wgmma');
	my $text = "device: H\ndriver: ''\ndate: '2026'\nprofiles:\n  - name: $name\n    questions: 9\n    random: 0\n    fields:\n";
	$text .= "      - {field: $_, fidelity: measured, source: x}\n" for @$fields;
	return spew("$dir/h.yaml", $text);
}

# C is 1 + 2^-14: its last bit is below the 13 bits to which C and the product are aligned.
my @h200 = ('group, value: 32', 'fused, value: 1', 'align, value: 13', 'round, value: 1', 'bits, value: 13');
my $h = profile_file(\@h200);
my @mfma = ('mfma', '--format', 'E4M3', '--a', '0x38', '--b', '0x38', '--c', '0x3F800200');
is(mxcheck(@mfma, '--explain', '--profile', "block32,$h"), 0, 'mfma takes the file') or diag $err;
like($out, qr/^block32    0x40000100 .*\(assumed\)\nwgmma      0x40000000 .*\(measured on H\)$/m, '  beside another profile');
mxcheck(@mfma, '--explain', '--profile', 'block32,oracle/probe/measured/nvidia_h100.yaml:wgmma_k32_e4m3');
like($out, qr/^  block32        0x.*\n  wgmma_k32_e4m3 0x/m, '  names have one width') or diag $out;
is(mxcheck(@mfma, '--profile', "$h:wgmma"), 0, '  or one profile of it') or diag $err;
for ([ "$h:other", 'no profile other' ], [ "$dir/profile.yaml", 'no profile for the formats' ], [ "$dir/absent.yaml", 'absent.yaml' ]) {
	mxcheck(@mfma, '--profile', $$_[0]);
	ok($status == 2 && index($err, $$_[1]) >= 0, "  $$_[1]") or diag $err;
}
for ([ [ 'group, value: 32', 'fused, value: 1' ], 'h.yaml:5: profiles[0]: its fields contradict each other' ],
	[ [ 'groups, value: 32' ], 'h.yaml:5: profiles[0]: field groups: unknown, or given twice' ],
	[ [ 'group, value: 32', 'fused, value: 1', 'group, value: 16' ], 'h.yaml:5: profiles[0]: field group: unknown, or given twice' ], [ [ 'group, value: 32x' ], 'h.yaml:9: ' ]) {
	mxcheck(@mfma, '--profile', profile_file($$_[0]));
	ok($status == 2 && index($err, $$_[1]) >= 0, "  $$_[1]") or diag $err;
}
for ([ 'v_mfma_f32_32x32x2_f32', 'align' ], [ 'v_mfma_f64_16x16x4_f64', 'align' ], [ 'v_mfma_f64_4x4x4_4b_f64', 'bits' ]) {
	my ($name, $field) = @$_;
	my @fields = $field eq 'align' ? @h200 : ('group, value: 1', 'bits, value: 13');
	mxcheck('probe', '--device', 'emu', '--profile', profile_file(\@fields, $name));
	is("$status $out$err", "2 mxcheck probe: $dir/h.yaml:5: profiles[0]: $name cannot have field $field\n", "  $name has no $field");
}
profile_file(\@h200);

# ---- the emulated device ----

# Each layout of registers: blocks, one register, six-bit items across registers, eight-bit ones.
my @insns = qw(v_mfma_f32_4x4x4_16b_bf16 v_mfma_i32_32x32x4_2b_i8 v_mfma_f32_32x32x16_bf8_fp8
	v_mfma_scale_f32_32x32x64_f8f6f4_E2M3_E3M2 v_mfma_scale_f32_16x16x128_f8f6f4_E5M2_E2M1
	v_smfmac_f32_32x32x16_bf16 v_smfmac_f32_16x16x128_fp8_bf8 v_mfma_f32_16x16x1_4b_f32);
is(mxcheck('probe', '--device', 'emu', '--dots', 500, '--insn', join(',', @insns), '--out', "$dir/emu.yaml"), 0, 'the emulator') or diag "$out$err";
is_deeply([ sort $out =~ /^(v_\S+): /mg ], [ sort @insns ], '  has a profile for each kind of register layout');
is(scalar(() = $out =~ /^  500 random dots, 0 wrong$/mg), 8, '  that random dots confirm');
like(slurp("$dir/emu.yaml"), qr/^device: "mxcheck emulated gfx950"$/m, '  the file names it');
my @probe = ('probe', '--device', 'emu', '--dots', 500, '--insn', 'v_mfma_f32_16x16x32_fp8_fp8');
is(mxcheck(@probe, '--profile', 'cdna3'), 0, 'the emulator under another profile') or diag "$out$err";
my ($first) = $out =~ /^(v_.*)/;
like(slurp('README.md'), qr/^\Q$first\E$/m, '  as the example in README.md') or diag $first;
my %found = $out =~ /^  (\w+) +(\d+) +measured/mg;
is("@found{qw(group parts align join acc drop)}", '16 2 24 24 24 25', '  which is found');
$h = profile_file(\@h200);
mxcheck(@probe[ 0 .. 5 ], 'v_mfma_f32_4x4x4_16b_f16', '--profile', $h);
%found = $out =~ /^  (\w+) +(\d+) +measured/mg;
is("@found{qw(group fused align round bits)}", '4 1 13 1 13', '  also one of a file, here with all of K in one step') or diag "$out$err";
mxcheck(@probe[ 0 .. 5 ], 'v_mfma_f32_16x16x4_f32', '--profile', profile_file([ 'group, value: 2', 'align, value: 0', 'late, value: 1', 'round, value: 1' ]));
%found = $out =~ /^  (\w+) +(\d+) +measured/mg;
is("@found{qw(group late round)}", '2 1 1', '  of f32 as well') or diag "$out$err";
for my $hidden ('group 2 order 2 inner 3', is_long() ? ('group 1 order 1', 'group 4 inner 2 round 1') : ()) {
	my %field = split ' ', $hidden;
	my $file = profile_file([ map { "$_, value: $field{$_}" } sort keys %field ]);
	is(mxcheck(@probe[ 0 .. 5 ], 'v_mfma_f64_16*', '--profile', $file), 0, "  of f64: $hidden") or diag $err;
	my @values = map { my $f = $_; $out =~ /^  $f +(\d+) +(?:measured|assumed)/mg } sort keys %field;
	is("@values", join(' ', (map { $field{$_} } sort keys %field)), '    which is found') or diag $out;
}
is(mxcheck('probe', '--device', 'hip:99'), 77, 'no such device') or diag "$out$err";

# ---- the other assumptions ----

my @rules = map { /^MX_ASSUMPTION\((\w+)/ ? $1 : () } split /\n/, slurp('ref/isa/encoding/assumptions.def');
my @ask = ('probe', '--device', 'emu', '--assumptions', '--dots', 64);
is(mxcheck(@ask, '--out', "$dir/rules.yaml"), 0, 'the emulator follows the rules that it assumes') or diag "$out$err";
my %verdict = $out =~ /^(\w+) +(as assumed|differs|no probe)  +\S/mg;
is_deeply([ sort keys %verdict ], [ sort @rules ], '  each of assumptions.def');
is(scalar(grep { $_ eq 'differs' } values %verdict), 0, '  and none differs') or diag $out;
like($out, qr/^  v_log_f16        in ULP: 0: 64$/m, '  the last bits have a histogram');
my $answers = slurp("$dir/rules.yaml");
like($answers, qr/^device: "mxcheck emulated gfx950"\ndriver: ""\ndate: "20/m, '  the file names the device');
is_deeply([ $answers =~ /^  - rule: (\w+)$/mg ], \@rules, '  and has all rules');
like(slurp('ci/man/mxcheck-probe.5') =~ s/\\-/-/gr, qr/^\Q$_\E$/m, '  as the example in mxcheck-probe(5)')
	for $answers =~ /^(.*kernel: v_dot2_f32_f16.*)$/m;
is(mxcheck(@ask, '--rules', 'SOFFSET*', '--soffset-unchecked'), 1, 'an emulator that follows another rule');
ok(length $out && index(slurp('README.md'), "--soffset-unchecked\n$out```") >= 0, '  is found, as the example in README.md says') or diag $out;
my $flushing = profile_file([ @h200, 'flush, value: 7' ]);
mxcheck(@ask, '--rules', 'MATRIX*', '--profile', "$flushing:wgmma");
like($out, qr/^MATRIX_MODE +differs /m, 'as is a profile that flushes') or diag "$out$err";

mkdir "$dir/$_" for qw(bin bin/kernels bin/kernels/probe);
run('cp', $mxcheck, "$build/libmxhip.so", "$dir/bin");
run('cp', map({ "$build/kernels/probe/$_.co" } qw(questions wait_states)), "$dir/bin/kernels/probe");
run("$dir/bin/mxcheck", @ask, '--rules', 'A*_OFFSET,T*');
like($out, qr/^ACCUM_OFFSET +failed .*\n  accum_offset: /m, 'a launch that fails is said') or diag "$out$err";
like($out, qr/^TRANSPOSE +as assumed .*\n(?s:.*)^7 rules asked, 0 differ, 1 failed$/m, '  and the other rules are asked');
is($status, 1, '  with status 1');

# A device whose ds_read_b64_tr_b8 does not transpose: the opcode is that of ds_read_b64.
mxcheck('disasm', "$build/kernels/probe/questions.co");
my ($tr, $operands) = $out =~ m{ds_read_b64_tr_b8 .* // \w+: (\w{8}) (\w{8})};
my ($plain) = $out =~ m{ds_read_b64 .* // \w+: (\w{8}) };
my $wrong = slurp("$build/kernels/probe/questions.co");
my $patched = $wrong =~ s/\Q@{[pack 'V2', hex $tr, hex $operands]}\E/pack 'V2', hex $plain, hex $operands/e;
spew("$dir/bin/kernels/probe/questions.co", $wrong);
run("$dir/bin/mxcheck", @ask, '--rules', 'TRANS*');
like($out, qr/^TRANSPOSE +differs .*\n  ds_read_b64_tr_b8: each lane gets its own data; \d+ of 1024 results differ, /m, 'a device that does not transpose')
	or diag "$patched\n$out";

# A device that computes the second instruction of a program of waits.def first. Four pairs do not depend on the order.
run('cp', "$build/tests/ci/waits_swapped.gpu.co", "$dir/bin/kernels/probe/wait_states.co");
run("$dir/bin/mxcheck", @ask, '--rules', 'WAIT*', '--out', "$dir/waits.yaml");
like($out, qr/^WAIT_STATES +differs .*\n  wait_NOT_DOT_D_MATRIX_AB_OVERLAP: no answer for all: \d+ results as "as with wait states", \d+ of 1024 results differ, /m, 'a device that needs wait states') or diag $out;
is_deeply([ slurp("$dir/waits.yaml") =~ /kernel: wait_(\w+),.* differ: 0,/g ],
	[ qw(DGEMM_NONE_FMA_F64_NONE_ANY CMPX_NONE_MATRIX_NONE_ANY CMPX_NONE_READLANE_NONE_ANY CMPX_NONE_WRITELANE_NONE_ANY) ], '  is found by all programs but four');

# ---- wrong results ----

fill("$set/$name/random-0", 16, sub { $_[0] + 1 });
is(mxcheck('probe', '--read', $set, '--out', "$dir/none.yaml"), 1, 'random dots that contradict the questions') or diag $out;
like($out, qr/^  no profile of the family fits; .*\n  is ruled out by MIXED .*\n  k 0: 0x.*: the device gives 0x\w+, the profile 0x\w+$/m, '  become questions');
ok(!-e "$dir/none.yaml", '  and no profile is written');
fill("$set/$name/questions", 16, sub { 0 });
is(mxcheck('probe', '--read', $set), 1, 'zeros have no profile');
like($out, qr/^  no profile of the family fits; .*\n  is ruled out by SUM \(.*\):\n  k 0: 0x1 \* 0x1, C 0x00000000: the device gives 0x00000000, the profile 0x00000001$/m,
	'  and the dot that shows it is printed');

# ---- f64: a program that rounds each product and each sum ----

my $f64 = 'v_mfma_f64_4x4x4_4b_f64';
sub doubles { my ($file) = @_; my $bytes = slurp($file); return unpack 'd<*', substr $bytes, 10 + unpack 'v', substr $bytes, 8, 2 }
sub fill_f64 {
	my ($path, $result) = @_;
	my ($a, $b, $c) = map { [ doubles("$path.$_.npy") ] } qw(a b c);
	my $header = slurp("$path.c.npy");
	spew("$path.d.npy", substr($header, 0, 10 + unpack 'v', substr $header, 8, 2) . join '', map {
		my $n = $_;
		my $d = $$c[$n];
		$d += $$a[4 * $n + $_] * $$b[4 * $n + $_] for 0 .. 3;
		$d == $d ? pack 'd<', $result->($d) : pack 'V2', 0, 0x7FF80000;
	} 0 .. $#$c);
}
mxcheck('probe', '--emit', "$dir/f64", '--insn', $f64, '--dots', 1000);
fill_f64("$dir/f64/$f64/$_", sub { $_[0] }) for qw(questions random-0);
is(mxcheck('probe', '--read', "$dir/f64"), 0, 'f64 in another program') or diag "$out$err";
like($out, qr/^  group  1     measured  2 would give 0x[0-9A-F]{16}, not .*\n(?s:.*)^  inner  1     measured  0 would(?s:.*)^  1000 random dots, 0 wrong$/m, '  has a profile') or diag $out;
if (is_long()) { # a search that finds none takes seconds; infer_test has it in the short tier
	fill_f64("$dir/f64/$f64/questions", sub { unpack 'f', pack 'f', $_[0] });
	is(mxcheck('probe', '--read', "$dir/f64"), 1, '  but results of f32 have none');
	like($out, qr/^  no profile of the family fits; .*\n(?s:.*): the device gives 0x[0-9A-F]{16}, the profile 0x[0-9A-F]{16}$/m, '    and the dot that shows it is printed');
}

# ---- wrong folders ----

sub is_refused {
	my ($sentence, $want, @arguments) = @_;
	mxcheck('probe', @arguments);
	ok($status == 2 && $out eq '' && $err =~ /\A[^\n]*\Q$want\E[^\n]*\n\z/, "$sentence is refused: $want")
		or diag "exit $status\n$out$err";
}

mxcheck('probe', '--emit', "$dir/two", '--insn', 'mma_*_s8', '--dots', 100);
fill("$dir/two/$name/$_", 16, sub { $_[0] }) for qw(questions random-0);
spew("$dir/two/mma_m16n8k32_s8/questions.d.npy", 'x');
is(mxcheck('probe', '--read', "$dir/two", '--out', "$dir/first.yaml"), 2, 'the results of the second instruction are bad');
like(slurp("$dir/first.yaml"), qr/^  - name: $name$/m, '  the profile of the first is written');

my $d = slurp("$set/$name/questions.d.npy");
spew("$set/$name/questions.d.npy", substr $d, 0, -4);
is_refused('a truncated file', 'truncated', '--read', $set);
spew("$set/$name/questions.d.npy", slurp("$set/$name/random-0.d.npy"));
my $u32 = slurp("$set/$name/random-0.d.npy");
spew("$dir/f64/$f64/random-0.d.npy", $u32);
fill_f64("$dir/f64/$f64/questions", sub { $_[0] });
is_refused('u32 for f64', "random-0.d.npy: 2000 numbers of u32, it needs 1000 of u64", '--read', "$dir/f64");
is_refused('a file of another block', "questions.d.npy: 2000 numbers of u32, it needs $questions of u32", '--read', $set);
for ([ 'seed', 'no seed, or no instructions' ], [ 'instructions', 'no seed, or no instructions' ], [ 'random', 'random' ], [ 'name', 'name' ]) {
	my ($key, $want) = @$_;
	spew("$set/manifest.json", $manifest =~ s/"$key"/"other"/r);
	is_refused("a manifest without $key", $want, '--read', $set);
}
spew("$set/manifest.json", $manifest);
spew("$set/device.json", '{"device": ');
is_refused('half a device.json', 'device.json:1: ', '--read', $set);
unlink "$set/device.json";
spew("$set/manifest.json", $manifest =~ s/"$name"/"mma_other"/r);
is_refused('an unknown instruction', "no instruction is called 'mma_other'", '--read', $set);
spew("$set/manifest.json", '{"format": "mxcheck probe 9"}');
is_refused('another format', 'its format is not "mxcheck probe 1"', '--read', $set);
spew("$set/manifest.json", '{"format"');
is_refused('half a manifest', 'manifest.json:1: ', '--read', $set);
is_refused('no folder', 'No such file', '--read', "$dir/absent");
is_refused('a pattern without instructions', "no instruction is called 'x*'", '--emit', "$dir/x", '--insn', 'x*');
is_refused('no action', 'give one of --emit DIR, --read DIR and --device D');
is_refused('two of them', 'give one of --emit DIR, --read DIR and --device D', '--emit', $set, '--read', $set);
is_refused('one such pattern of two', "no instruction is called 'x*'", '--read', $set, '--insn', 'mma_*,x*');
is_refused('an instruction of another device', "no instruction of gfx950 is called 'mma_*'", '--device', 'emu', '--insn', 'mma_*');
is_refused('a second set in the folder', 'manifest.json: exists; give an empty folder', '--emit', $set, '--insn', 'mma_*', '--dots', 1);
is_refused('two profiles', '2 profiles; give one', '--device', 'emu', '--profile', 'block32,cdna3');
is_refused('an option without use', "$$_[2] has no use with $$_[0]", @$_)
	for [ '--emit', "$dir/x", '--out', 'x' ], [ '--read', $set, '--dots', 5 ], [ '--read', $set, '--seed', 5 ],
	[ '--read', $set, '--profile', 'block32' ], [ '--device', 'emu', '--bare' ],
	[ '--read', $set, '--assumptions' ], [ '--device', 'emu', '--soffset-unchecked' ],
	[ '--assumptions', '--device=emu', '--insn', 'v_*' ], [ '--device', 'emu', '--rules', '*' ];
is_refused("a device of another architecture$$_[0]", 'device emu:gfx1250 is a gfx1250, the programs are for gfx950', '--device', 'emu:gfx1250', @$_[ 1 .. $#$_ ])
	for [''], [', asked for assumptions', '--assumptions'];
is_refused('no operands', '--dots 0: not a number from 1 to 2^24', '--assumptions', '--device', 'emu', '--dots', 0);
is_refused('a pattern without rules', "--rules: no rule is called 'X*'", @ask[ 1 .. $#ask ], '--rules', 'X*');
is_refused('a number of dots', '--dots x: not a number', '--emit', $set, '--dots', 'x');

# ---- without files of random dots ----

is(mxcheck('probe', '--emit', "$dir/bare", '--insn', 'mma_m16n8k16_f16,wgmma_k16_f16,v_mfma_scale_*128*E2M1_E2M1', '--bare', '--dots', 300000), 0, '--bare');
like(slurp("$dir/bare/manifest.json"), qr/"path": "wgmma_k16_f16\/random-1",\s+"dots": 37856,\s+"first": 262144\s/, '  lists random blocks');
my ($example) = slurp("$dir/bare/manifest.json") =~ m{"path": "mma_m16n8k16_f16/questions",\s+"dots": (\d+)};
like(slurp('ci/man/mxcheck-probe.5'), qr{"mma_m16n8k16_f16/questions", "dots": $example\}}, '  as the example in mxcheck-probe(5)') or diag $example;
is_deeply([ map { m{([^/]+)$} } glob "$dir/bare/w*/*" ], [ map { "questions.$_.npy" } qw(a b c) ], '  but writes the questions alone');
is(scalar(() = glob "$dir/bare/v*/questions.s[ab].npy"), 2, '  with scales if there are any');
if (is_long()) {
	is(mxcheck('probe', '--emit', "$dir/all", '--bare'), 0, 'all instructions');
	my $all = $out =~ /^(\d+ instructions), ([\d.]+) MB in / ? sprintf '%s, %.0f', $1, $2 : $out;
	mxcheck('probe', '--help');
	ok($out =~ /all (\d+) instructions, (\d+) MB with --bare/ && "$1 instructions, $2" eq $all, '  have the size that --help gives') or diag $all;
}
my ($header) = slurp("$dir/bare/wgmma_k16_f16/questions.a.npy") =~ /(\{.*?\})/;
like($header, qr/'<u2'.*\(\d+, 16, ?\)/, '  f16 in u16') or diag $header;

done_testing();
