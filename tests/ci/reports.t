#!/usr/bin/perl
# Reports for other programs: lines of JSON, and JUnit XML.
use strict;
use warnings;
use JSON::PP;
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

# ---- wrong input ----

for my $option ('--json', '--junit') {
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
like($err, qr/^mxcheck: --json and --junit: both write \Q$json\E/, '  with the reason');
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
