#!/usr/bin/perl
# Addressing bugs, each in a small kernel, with the finding that it must give. The same kernel passes
# at a shape that does not show the bug, and a correct kernel passes at the shape that does.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $dir, $status, $out, $err);

my $case = <<'END';
name: addressing
kernel: %s
grid: ["N / 16"]
block: [256]
lds: ceildiv(M, 16) * 1024
buffers:
  - {name: A,  role: a,       type: e2m1, rows: M, cols: K, guard: 256}
  - {name: SA, role: a_scale, type: e8m0, rows: M, cols: K / 32, guard: 64}
  - {name: B,  role: b,       type: e2m1, rows: N, cols: K}
  - {name: SB, role: b_scale, type: e8m0, rows: N, cols: K / 32}
  - {name: C,  role: c,       type: f32,  rows: M, cols: N}
kernarg:
  - {offset: 0,  type: ptr, value: C}
  - {offset: 8,  type: ptr, value: A}
  - {offset: 16, type: ptr, value: SA}
  - {offset: 24, type: ptr, value: B}
  - {offset: 32, type: ptr, value: SB}
  - {offset: 40, type: u32, value: M}
  - {offset: 44, type: u32, value: N}
  - {offset: 48, type: u32, value: K}
verdict: {judge: bits, profile: block32, mma_k: 128}
runs:
  - {M: 16, N: 16, K: 128, regime: exact}
END

sub launch {
	my ($kernel, $shape) = @_;
	return mxcheck('run', '--case', spew("$dir/case.yaml", sprintf $case, $kernel), '--co',
		"$build/tests/ci/addressing.gpu.co", '--shape', $shape, '--regime', 'exact');
}

sub is_right {
	my ($kernel, $shape) = @_;
	is(launch($kernel, $shape), 0, "$kernel passes at $shape") or diag $out, $err;
}

my @bugs = (
	# id, bug, kernel, shape that shows it, exit status, finding, shape that does not show it
	[ 'A6', 'bounds of no bytes', 'a6_no_bytes', '48,32,160', 1, 'wrong-bits' ],
	[ 'A6', 'bounds twice as large', 'a6_doubled', '40,32,160', 1, 'out-of-bounds-read', '64,32,160' ],
	[ 'A7', 'a sentinel inside the bounds', 'a7_sentinel_inside', '40,32,160', 4, 'fault', '64,32,256' ],
	[ 'A9', 'a needed mask of K removed', 'a9_no_mask', '48,32,160', 1, 'wrong-bits',
		'48,32,256' ],
	[ 'A11', 'waves past M write to LDS', 'a11_all_stage', '32,32,128', 1, 'out-of-bounds-write',
		'64,32,128' ],
	[ 'A14', 'two stages where K has one', 'a14_two_stages', '48,32,128', 1, 'wrong-bits',
		'48,32,256' ],
);
for (@bugs) {
	my ($id, $what, $kernel, $shape, $want, $kind, $blind) = @$_;
	is_right($_, $shape) for 'masked', 'bounded';
	is_right($kernel, $blind) if $blind;
	launch($kernel, $shape);
	my ($found) = grep { $_ eq $kind } kinds($out);
	is("$status " . ($found // 'nothing'), "$want $kind", "$id: $what: $kind") or diag $out, $err;
}
like($out, qr/wrong-bits: C\[0\]\[0\] /, 'numbers are wrong from the first row on') or diag $out;
done_testing();
