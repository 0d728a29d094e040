#!/usr/bin/perl
# Published kernels: each case of ../shared/foreign, its verdict, and the kinds of its findings.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

my $folder = '../shared/foreign';
plan skip_all => "no $folder: cases of published kernels" if !-d $folder;

# Folder and case; the exit status; the kinds of findings, notes excepted; a time that is long.
my @cases = (
	[ 'bf16gemm_32x64_pf3',  0, [] ],
	[ 'bf16gemm_256x256',    0, [], 'long' ],
	# MODE flushes f32 denormals, so v_mul_f32 by alpha does. The judge expects the subnormals that
	# the special regime plants.
	[ 'f4gemm/f4gemm_256x256_splitk4', 1, ['outside-set'] ],
	[ 'fmha_v3_hd128_bf16',  0, [], 'long' ],
	# MFMAs read what transposing LDS reads load 8 instructions before without a wait; waves fill LDS
	# for the next tile while others still read, without a barrier. The numbers are right where an
	# LDS read takes 40 cycles, and wrong where it takes 128.
	[ 'fmha_v3_hd128_fp8',   3, [ 'race-register', 'race-lds-latency', 'race-lds' ] ],
	[ 'fmha_v4_fp8',         0, [] ],
	# Both store their tiles to LDS that other waves have read, with no barrier after these reads.
	[ 'fmoe_2stages_int8_64x128', 3, ['race-lds'] ],
	[ 'fmoe_mxfp4_32x512',   3, ['race-lds'] ],
	[ 'fp8gemm_blockscale_128x128', 0, [], 'long' ],
	[ 'i8gemm_32x128',       0, [] ],
	# The block table for the next round is read while 31 later loads are in flight; no wait covers it.
	[ 'pa_noquant_gqa8',     3, ['race-register'] ],
	# Its inline assembly does not wait for its ds_reads, and its prologue lacks a barrier.
	[ 'seeds/primus_grouped_fwd', 3, [ 'race-lds', 'race-register', 'wrong-bits' ], 'long' ],
	[ 'topksoftmax_4x128x8', 0, [] ],
	[ 'seeds/wave_epilogue_eliminated', 0, [] ],
	[ 'seeds/wave_splitk2',  0, [], 'long' ],
);

for (@cases) {
	my ($case, $want, $kinds, $long) = @$_;
	my $name = $case =~ s{.*/}{}r;
	SKIP: {
		skip "$case takes seconds", 2 if $long && !is_long();
		mxcheck('run', '--case', $folder . '/' . ($case =~ m{/} ? $case : "$case/$case") . '.yaml');
		is($status, $want, "$name: status $want") or diag $out, $err;
		my @found = grep { !/^(?:order|notes)$/ } kinds($out);
		is_deeply(\@found, $kinds, '  its findings: ' . (join(', ', @$kinds) || 'none'));
	}
}
done_testing;
