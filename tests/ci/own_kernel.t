#!/usr/bin/perl
# The example of an own kernel: it compiles and passes, and each broken version fails.
use strict;
use warnings;
use Test::More;
use File::Copy;
require './tests/ci/gate.pl';
our ($dir, $status, $out, $err);

my $source = slurp('tests/ci/own_kernel/mxfp4_small.c');
my $case   = "$dir/mxfp4_small.yaml";
copy('tests/ci/own_kernel/mxfp4_small.yaml', $case) or die $!;
compile('tests/ci/own_kernel/mxfp4_small.c', "$dir/mxfp4_small.co");

is(mxcheck('run', '--case', $case), 0, 'the example passes, code object beside its case')
	or diag $out, $err;
like($out, qr/^4 passed, 0 failed/m, 'all of its runs ran');
is(mxcheck('run', '--case', $case, '--shape', '1024,16,128'), 0, 'it passes at another shape');
is(mxcheck('run', '--case', $case, '--race', 50), 0, 'it passes under 50 schedules');

my @breaks = (
	[ 'the scale of the next row', 'load_scale(SA, lane_row,', 'load_scale(SA, lane_row ^ 1,',
	  1, 'wrong-bits' ],
	[ 'the scale of the first block', 'load_scale(SB, lane_col, block', 'load_scale(SB, lane_col, 0',
	  1, 'wrong-bits' ],
	[ 'the operands swapped', 'load_block(A, lane_row, block, K), load_block(B, lane_col, block, K)',
	  'load_block(B, lane_col, block, K), load_block(A, lane_row, block, K)', 1, 'wrong-bits' ],
	[ 'a row less of output', 'r < 4', 'r < 3', 1, 'not-written' ],
	[ 'a block of K too many', 'block = k / BLOCK', 'block = 1 + k / BLOCK', 3,
	  'out-of-bounds-read' ],
	[ 'an output far away', 'C[(row', 'C[(1l << 40) + (row', 4, 'fault' ],
);
for (@breaks) {
	my ($what, $from, $to, $want, $kind) = @$_;
	my $broken = $source;
	my $at = index $broken, $from;
	BAIL_OUT("'$from' is not in the example") if $at < 0;
	substr($broken, $at, length $from) = $to;
	compile(spew("$dir/broken.c", $broken), "$dir/broken.co");
	mxcheck('run', '--case', $case, '--co', "$dir/broken.co");
	my ($found) = grep { $_ eq $kind } kinds($out);
	is("$status " . ($found // 'nothing'), "$want $kind", "with $what it fails: $kind")
		or diag $out, $err;
}

# A case whose kernarg is not the kernel's: a failing run says what the metadata have there.
for (
	[ 'a number too wide', 'offset: 40, type: u32, value: N}', 'offset: 40, type: u64, value: N + K}',
	  'kernarg[5], bytes 40 to 47: the code object has an argument (by_value) in bytes 40 to 43' ],
	[ 'a number for an address', 'type: ptr, value: SB', 'type: u32, value: 5',
	  'kernarg[4], bytes 32 to 35: the code object has an address there, an argument (global_buffer)' ],
	[ 'an argument after the last', '{offset: 44,', '{offset: 48,',
	  'kernarg[6], bytes 48 to 51: the code object has no argument there' ],
	[ 'an argument without a value', '{offset: 44,', '{offset: 48,',
	  'kernarg gives no value to an argument (by_value), bytes 44 to 47' ],
) {
	my ($what, $from, $to, $want) = @$_;
	my $text = slurp('tests/ci/own_kernel/mxfp4_small.yaml');
	$text =~ s/\Q$from\E/$to/ or BAIL_OUT("'$from' is not in the example's case");
	$text =~ s/^  - \{offset: 44.*\n//m if $to =~ /u64/;
	mxcheck('run', '--case', spew("$dir/wrong.yaml", $text), '--co', "$dir/mxfp4_small.co",
		'own/mxfp4_small/16x16x128/exact');
	like($out, qr/^      kernarg: \Q$want\E$/m, "$what is reported") or diag $out, $err;
}
mxcheck('run', '--case', $case, '--co', "$dir/broken.co", 'own/mxfp4_small/16x16x128/exact');
unlike($out, qr/^      kernarg: /m, 'a kernarg that fits is not');
done_testing();
