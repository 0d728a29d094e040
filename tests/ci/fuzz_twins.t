#!/usr/bin/perl
# Every twin with a bug of shape, layout or address is found by fuzzing within a minute and made
# small. Prints the table. Right kernels have no finding.
use strict;
use warnings;
use Test::More;
use Time::HiRes 'time';
require './tests/ci/gate.pl';
our ($build, $status, $out, $err, $dir);

my @twins = (
	# id, case, code object
	[ 'A1',  'gemm/mxfp4_f32',            'kernels/broken/wrapped_bounds' ],
	[ 'A2',  'foreign/mxfp8_wgrad',       'tests/ci/empty_skipped.gpu' ],
	[ 'A3',  'foreign/mxfp8_grouped',     'tests/ci/next_rows.gpu' ],
	[ 'A3',  'foreign/mxfp8_wgrad',       'tests/ci/next_summed.gpu' ],
	[ 'A4',  'gemm/mxfp4_f32',            'kernels/broken/wrapped_loads' ],
	[ 'A4',  'gemm/mxfp4_f32',            'kernels/broken/wrapped_stores' ],
	[ 'A4',  'foreign/mxfp8_grouped',     'tests/ci/wrapped_groups.gpu' ],
	[ 'A4',  'foreign/mxfp8_wgrad',       'tests/ci/wrapped_sums.gpu' ],
	[ 'A4',  'gemm/mxfp4_splitk',         'tests/ci/wrapped_atomics.gpu' ],
	[ 'A5',  'gemm/mxfp4_f32',            'kernels/broken/dropped_stores' ],
	[ 'A10', 'sequence/quantise_shuffle_gemm', 'kernels/broken/ragged_block' ],
	[ 'A10', 'gemm/mxfp4_splitk',         'tests/ci/four_splits.gpu' ],
	[ 'A12', 'gemm/mxfp4_f32',            'kernels/broken/store_past_m' ],
	[ 'A12', 'gemm/mxfp4_pipelined_f32',  'kernels/broken/tile_past_m' ],
	[ 'A13', 'gemm/mxfp4_masked_f32',     'kernels/broken/scales_past_k' ],
	[ 'A14', 'gemm/mxfp4_pipelined_f32',  'kernels/broken/few_tiles' ],
	[ 'S11', 'gemm/mxfp4_f32',            'kernels/broken/store_past_n' ],
	[ 'N8',  'gemm/mxfp4_splitk4',        'kernels/broken/splitk_lost' ],
	[ 'N8',  'gemm/mxfp4_splitk4',        'kernels/broken/splitk_doubled' ],
	[ '-',   'gemm/mxfp8_epilogue',       'kernels/broken/bias_of_rows' ],
	[ '-',   'gemm/mxfp8_epilogue',       'kernels/broken/zero_times_c' ],
	[ '-',   'gemm/mxfp8_epilogue',       'tests/ci/alpha_skips_c.gpu' ],
	[ 'L2',  'foreign/mxfp4_preshuffled', 'tests/ci/valid_width.gpu' ],
	[ 'L2',  'sequence/quantise_shuffle_gemm', 'kernels/broken/scale_tiles' ],
	[ 'L3',  'foreign/mxfp4_preshuffled', 'tests/ci/padding_scaled.gpu' ],
	[ 'L3',  'foreign/mxfp8_grouped',     'tests/ci/padding_stored.gpu' ],
);

# Doubles the number of shapes until a failure. The seconds are of the last run, with the reduction.
sub find_twin {
	my ($id, $case, $co) = @{ $_[0] };
	my ($count, $start, $all) = (16, time, time);
	until (mxcheck('fuzz', '--regress', "$dir/regress", '--count', $count, '--case', "cases/$case.yaml", '--co', "$build/$co.co") || time - $all > 60) {
		$count *= 2;
		$start = time;
	}
	my @small = $out =~ m{^FAIL  \Q$case\E/(\S+)/\w+\n +([a-z-]+):}mg;
	ok(@small > 0 && time - $all < 60, "$id $co is found") or diag $out, $err;
	my @texts = map { "$small[2 * $_] $small[2 * $_ + 1]" } 0 .. $#small / 2;
	diag sprintf '%-4s %-31s %5.1f s  %s', $id, $co, time - $start, join '; ', @texts;
}

if (is_long()) {
	find_twin($_) for @twins;
	is(mxcheck('fuzz', '--regress', "$dir/regress", '--time', '300s', '--jobs', 2), 0, 'five minutes of fuzzing have no finding on right kernels')
		or diag $out, $err;
	unlike($out, qr/^FAIL/m, '  on any');
}

done_testing();
