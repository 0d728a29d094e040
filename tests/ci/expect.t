#!/usr/bin/perl
# Expected failures: what a row covers, when it holds, and rows that are over or not used.
use strict;
use warnings;
use JSON::PP;
use POSIX qw(strftime);
use Test::More;
require './tests/ci/gate.pl';
our ($build, $status, $out, $err, $dir);

my $file   = "$dir/expect.yaml";
my $good   = 'gemm/mxfp4_bf16/1x1x32/exact';
my $bad    = 'gemm/mxfp4_bf16/33x128x512/general';
my @broken = ('run', '--case', 'cases/gemm/mxfp4_bf16.yaml', '--co', "$build/kernels/broken/bf16_truncate.co", '--expect', $file);
my $row    = "run: $bad, reason: a truncating store, until: 2999-12-31";

sub expect { return spew($file, "expect:\n" . join '', map { "  - {$_}\n" } @_) }
sub with { my ($rows, @arguments) = @_; expect(@$rows); return mxcheck(@arguments) }

# ---- what a row covers ----

is(with([$row], @broken, $good, $bad), 0, 'a failure that is expected fails nothing');
like($out, qr/^xfail $bad +fails as expected: wrong-bits: a truncating store, until 2999-12-31$/m, '  and is one line with kind and reason');
like($out, qr/^1 passed, 0 failed, 1 failed as expected, /m, '  and is counted');
unlike($out, qr/reproduce/, '  without a command');
is(with([$row], @broken, $bad), 0, 'a single case');
like($out, qr/^ +wrong-bits: .*\n(?:.*\n)* +reproduce: .* --expect '\Q$file\E'/m, '  prints its findings');
mxcheck(@broken, '-v', $bad);
my ($hash) = $out =~ /XXH3 (\w{16})$/m;
is(with([ "run: gemm/mxfp4_bf16, findings: [accuracy, wrong-bits], arch: gfx950, code: \"$hash\", reason: x, until: 2999-12-31" ], @broken, $bad), 0, 'by case, kinds, architecture and code object');
for ([ "$row, findings: [race-lds]", 'another kind' ], [ "$row, code: \"0123456789abcdef\"", 'another code object' ]) {
	is(with([ $$_[0] ], @broken, $bad), 1, "$$_[1] is not expected");
	like($out, qr/^FAIL  expected failure was not used: \Q$file\E: $bad: a truncating store \(until 2999-12-31\)$/m, '  and the row is reported');
}
is(with([ "$row, arch: gfx942" ], @broken, $bad), 1, 'another architecture is not expected');
unlike($out, qr/not used/, '  and the row is for that one');

is(with([ "$row, findings: [wrong-bits, wrong-bit]" ], @broken, $bad), 2, 'a kind that does not exist is refused');
like($err, qr/^mxcheck: \Q$file\E:2: expect\[0\]: findings: no kind 'wrong-bit': wrong-bits, .*, race-lds, .*[a-z]$/m, '  with those that do');

# ---- rows that do not hold ----

is(with([$row], '--expect', $file, $good, $bad), 1, 'a run that passes in spite of its row fails');
like($out, qr/^FAIL  $bad .*\n(?: .*\n)* +unexpected-pass: \Q$file\E expects it to fail: $bad: a truncating store/m, '  with the row');
my $yesterday = strftime('%Y-%m-%d', gmtime(time - 86400));
my $today     = strftime('%Y-%m-%d', gmtime);
is(with([ $row =~ s/2999-12-31/$today/r ], @broken, $bad), 0, 'a row holds on its last day');
is(with([ $row =~ s/2999-12-31/$yesterday/r ], @broken, $bad), 1, '  and not on the day after');
like($out, qr/^FAIL  expected failure has expired: \Q$file\E: $bad: /m, '  when it is reported');
is(with([ $row =~ s/2999-12-31/$yesterday/r ], '--expect', $file, $bad), 1, 'a row that is over fails, although the run passes');
is(with([ $row, 'run: gemm/none/*, reason: x, until: 2999-01-01' ], '--expect', $file, $good), 1, 'a row that names no run fails');
like($out, qr{^FAIL  expected failure names no run: \Q$file\E: gemm/none/\*: x}m, '  and is reported');
is(with([$row], '--expect', $file, $good), 0, 'a row for a run that was not selected is left alone');

# ---- reports ----

my ($json, $junit) = ("$dir/r.jsonl", "$dir/r.xml");
with([ $row, "$row, code: \"0123456789abcdef\"" ], @broken, '--json', $json, '--junit', $junit, $good, $bad);
my @lines = map { decode_json($_) } split /\n/, slurp($json);
is_deeply([ map { $_->{outcome} } @lines[ 1, 2 ] ], [ 'pass', 'expected-failure' ], 'JSON: the outcome');
is_deeply($lines[2]{expected}, { reason => 'a truncating store', until => '2999-12-31' }, '  and the row');
is_deeply([ @{ $lines[3] }{qw(passed failed expected other)} ], [ 1, 0, 1, 0 ], '  and the count');
is_deeply([ map { $_->{why} } @{ $lines[3]{stale} } ], ['was not used'], '  and rows that do not hold');
my $xml = slurp($junit);
like($xml, qr{ tests="3" failures="1" errors="0" skipped="1" }, 'JUnit: the counts');
like($xml, qr{name="$bad" time="[\d.]+">\n    <skipped message="a truncating store"/>}, '  an expected failure is skipped');
like($xml, qr{<testcase classname="expected failures" name="$bad: [^"]*" time="0">\n    <failure message="was not used"/>}, '  a row that does not hold fails');
with([$row], @broken, '--tap', $good, $bad);
like($out, qr/^ok 1 - $good\n(?:#.*\n)*not ok 2 - $bad # TODO a truncating store$/m, 'TAP: to do');

# ---- wrong input ----

my %wrong = (
	'run: x, reason: x' => 'missing key: until',
	'run: x, until: 2027-01-01' => 'missing key: reason',
	'run: x, reason: x, until: 2027-02-30' => 'expect[0]: until: not a date YYYY-MM-DD',
	'run: x, reason: x, until: 2027-01-01, code: 12' => 'expect[0]: code: not the 16 hexadecimal digits that -v prints',
	'run: x, reason: x, until: 2027-01-01, who: me' => 'unexpected key: who',
);
for (sort keys %wrong) {
	is(with([$_], '--expect', $file, $good), 2, "$_ is refused");
	like($err, qr/\Amxcheck: \Q$file\E:2: .*\Q$wrong{$_}\E\n\z/, '  in one line');
	is($out, '', '  before the run');
}
is(mxcheck('--expect', "$dir/none", $good), 2, 'so is a file that does not exist');
is(mxcheck('fuzz', '--expect', $file, $good), 2, 'and fuzz');
expect('run: x, reason: x, until: soon');
is(mxcheck('--baseline', 'cases/accuracy.baseline', '--expect', $file, $good), 2, 'beside a baseline');
is(mxcheck('--expect', $file, '--baseline', "$dir/none", $good), 2, 'beside none');

done_testing();
