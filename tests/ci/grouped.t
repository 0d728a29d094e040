#!/usr/bin/perl
# Cases with groups: an example passes, its broken twins fail in the right group, and the case defines
# what padding rows may contain.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $dir, $status, $out, $err);

# The example with some of its text replaced, and a kernel.
sub judge_case {
	my ($case, $run, $co, %edits) = @_;
	my $text = slurp("cases/foreign/$case.yaml");
	$text =~ s/\Q$_\E/$edits{$_}/ for keys %edits;
	return mxcheck('run', '--case', spew("$dir/case.yaml", $text), '--co', $co,
		"foreign/$case/$run");
}

sub judge { return judge_case('mxfp8_grouped', '291x48x256/exact', @_) }
sub weights { return judge_case('mxfp8_wgrad', '291x32x48/exact', @_) }

my $good = "$build/kernels/foreign/mxfp8_grouped.co";
my $stores_padding = "$build/tests/ci/padding_stored.gpu.co";
my %free = ('padding: kept' => 'padding: free');

is(judge($good), 0, 'ragged, empty and padded groups pass') or diag $out, $err;
like($out, qr{bits (\d+)/\1 .*each group: exact regime}, 'and the verdict is by group');
is(judge($good, 'pad: 128' => 'pad: 1'), 0, 'adjacent groups too') or diag $out, $err;
like($out, qr{bits ${\ (291 * 48)}/}, 'which have no padding');

is(judge($stores_padding), 1, 'A12: rows of padding stored');
like($out, qr{wrong-bits: C: group 1 \(1 rows from 0\), padding row 1, column 0 }, 'are reported as padding')
	or diag $out;
is(judge($stores_padding, %free), 0, 'they are ignored if padding is free')
	or diag $out;
like($out, qr{bits ${\ (291 * 48)}/}, 'and not counted');
is(judge($good, 'padding: kept' => 'padding: zero'), 1, 'padding that must be zero');
like($out, qr{not-written: C: group 1 .* padding row 1, column 0 is 0xffff \(not written\), must be 0x0000},
	'and was not written, is flagged') or diag $out;

is(judge("$build/tests/ci/next_rows.gpu.co"), 1, 'A3: the next group\'s rows');
like($out, qr{wrong-bits: C: group 2 \(128 rows from 128\), row 0, .* in 1 of 6 groups},
	'are flagged in their group') or diag $out;

is(judge($good, 'M - 162' => 'M - 161'), 2, 'groups that are not M rows are bad input');
like($err, qr/groups\.rows: they add up to 292, but M is 291/, 'with the reason');
is(judge_case('mxfp8_grouped', '9x48x256,groups=4+0+5/exact', $good, 'M: 291, N: 48, K: 256,' => 'M: 9, N: 48, K: 256, groups: [4, 0, 5],'), 0, 'a run has groups of its own') or diag $err;
like($out, qr{bits ${\ (256 * 48)}/}, 'which are judged');
for ([ '4+5', 'they add up to 9, but M is 291' ], [ '292+-1', 'runs[0].groups: a number is negative' ]) {
	my $list = $_->[0] =~ s/\+/, /r;
	is(judge_case('mxfp8_grouped', "291x48x256,groups=$_->[0]/exact", $good, 'regime: exact,' => "regime: exact, groups: [$list],"), 2, "$_->[0] is bad input");
	like($err, qr/\Q$_->[1]\E/, 'with the reason');
}
is(judge($good, 'role: c,         ' => 'role: none,      '), 2, 'an output without a role is not judged');
like($err, qr/groups are judged by bits, with roles a, b and c/, 'and the error has the reason');

# Gradients of weights: groups are columns, and are summed over.
$good = "$build/kernels/foreign/mxfp8_wgrad.co";
is(weights($good), 0, 'gradients of weights pass') or diag $out, $err;
like($out, qr{bits ${\ (6 * 32 * 48)}/}, 'those of empty groups too');
is(weights("$build/tests/ci/empty_skipped.gpu.co"), 1, 'A2: gradients of empty groups left out');
like($out, qr{not-written: C: group 0 \(0 rows from 0\), .* in 2 of 6 groups}, 'are not written')
	or diag $out;
is(weights("$build/tests/ci/next_summed.gpu.co"), 1, 'A3: rows of the next group summed');
like($out, qr{wrong-bits: C: group 0 .*; 4\d\d\d of 9216 elements are wrong, in 3 of 6 groups},
	'are flagged') or diag $out;
is(weights($good, 'zero: true, ' => ''), 1, 'a kernel that needs zeros in padding, without them');
like($out, qr{wrong-bits: C: group 1 \(1 rows from 0\)}, 'sums rows outside the group')
	or diag $out;
is(weights($good, 'pad: 128' => 'pad: 16'), 2, 'groups that begin inside a block are bad input');
like($err, qr/groups\.pad: groups of columns begin with a scale's block, and 16 is not a multiple of 32/,
	'with the reason');

done_testing();
