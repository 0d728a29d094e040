# Shared by the tests with kernels of product_kernel.h: their case file.
use strict;
use warnings;
our $dir;

my $text = <<'END';
name: product
kernel: %s
grid: ["N / 16", "M / 16"]
block: [64]
%sbuffers:
  - {name: A,  role: a,       type: e2m1, rows: M, cols: K}
  - {name: SA, role: a_scale, type: e8m0, rows: M, cols: K / 32}
  - {name: B,  role: b,       type: e2m1, rows: N, cols: K}
  - {name: SB, role: b_scale, type: e8m0, rows: N, cols: K / 32}
  - {name: C,  role: c,       type: %s,  rows: M, cols: N, ld: (N + 8) * %d, guard: 16}
kernarg:
  - {offset: 0,  type: ptr, value: C}
  - {offset: 8,  type: ptr, value: A}
  - {offset: 16, type: ptr, value: SA}
  - {offset: 24, type: ptr, value: B}
  - {offset: 32, type: ptr, value: SB}
  - {offset: 40, type: u32, value: N}
  - {offset: 44, type: u32, value: K}
  - {offset: 48, type: u32, value: N + 8}
verdict: {%s}
runs:
  - {M: 64, N: 48, K: 256, regime: special}
END

my %verdict = (
	bits  => 'judge: bits, profile: block32, mma_k: 128',
	bound => 'judge: bound',
	set   => 'judge: set, profile: block32, mma_k: 128, splits: 1, k_split: K',
);

# The file, for a kernel whose elements have a type. more: further keys.
sub product_case {
	my ($kernel, $type, $judge, $more) = @_;
	return spew("$dir/case.yaml",
		sprintf $text, $kernel, $more // '', $type, $type eq 'f32' ? 4 : 2, $verdict{$judge});
}

1;
