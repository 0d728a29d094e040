#!/usr/bin/perl
# The cases of AITER's kernels load, and their numbers are right where the code objects are: in
# MXCHECK_AITER, or in ../shared/foreign/co.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $dir, $status, $out, $err);

my %shape = (
	'aiter/bf16gemm/*/exact'           => '33,64,192',
	'aiter/bf16gemm_bf16/*/exact'      => '33,256,256',
	'aiter/f4gemm/32x128/*/exact'      => '33,128,256',
	'aiter/f4gemm_rows/*/exact'        => '256,256,512',
	'aiter/f4gemm_splitk/*/special'    => '256,512,2048',
	'aiter/fp8gemm_blockscale/*/exact' => '17,128,256',
	'aiter/i8gemm/*/exact'             => '33,128,256',
	'aiter/pa/*'                       => 'H=2,B=3,P=60',
	'aiter/topksoftmax/*'              => 'S=5',
	'aiter/fmha_fwd/*'                 => 'S=32,T=64,HQ=1',
	'aiter/fmha_fwd_fp8/*'             => 'S=32,T=64',
	'aiter/fmha_v3_fwd_fp8/*'          => 'S=32,T=256',
	'aiter/fmoe_mxfp4/*'               => 'T=5,E=3',
	'aiter/fmoe_stage1_int8/*'         => 'T=9,E=3,K=512',
);
# Their numbers need the usual latencies.
my %typical = map { $_ => 1 } 'aiter/fmha_v3_fwd_fp8/*', 'aiter/fmoe_mxfp4/*', 'aiter/fmoe_stage1_int8/*';

is(mxcheck('--list', 'aiter/*'), 0, 'the cases load without their code objects') or diag $err;
is(mxcheck('aiter/*'), 2, 'and do not run without them');
like($err, qr/no code object of the \d+ selected runs is here; --code DIR names the folder/, 'which is said');

my $code = $ENV{MXCHECK_AITER} // '../shared/foreign/co';
SKIP: {
	skip "no $code: code objects of AITER", scalar(keys %shape) + 3 if !-d $code;
	for my $case (sort keys %shape) {
		mxcheck('--code', $code, '--shape', $shape{$case}, $typical{$case} ? ('--schedule', 'typical') : (), $case);
		if ($out =~ /^      unsupported: /m) {
			SKIP: { skip "the emulator does not execute all of $case", 1 }
			next;
		}
		my @judged = $out =~ /^(?:pass|FAIL)  \S+ +(?:bits|bound|set) (\d+)\/(\d+)/mg;
		my $wrong = grep { $judged[ 2 * $_ ] != $judged[ 2 * $_ + 1 ] } 0 .. $#judged / 2;
		ok(@judged && !$wrong, "$case: every number is right") or diag $out, $err;
	}

	# A wrong reference: the bounds are narrow enough to separate a cut output from a rounded one.
	my $text = slurp('cases/aiter/i8gemm.yaml') =~ s/rounding: rtz/rounding: rne/r;
	is(mxcheck('run', '--case', spew("$dir/case.yaml", $text), '--code', $code, '--shape', '33,128,256'), 1,
		'a GEMM that cuts is no GEMM that rounds');
	like($out, qr/out-of-bound: C\[/, 'by its numbers') or diag $out;
	$text = slurp('cases/aiter/fmoe_mxfp4.yaml') =~ s/h: e2m1_up/h: e2m1_even/r;
	mxcheck('run', '--case', spew("$dir/case.yaml", $text), '--code', $code, '--shape', 'T=3', '--schedule', 'typical');
	like($out, qr/out-of-bound: O\[/, 'nor does one recipe of h pass for another') or diag $out, $err;
}
done_testing();
