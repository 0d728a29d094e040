#!/usr/bin/perl
# A case of gfx1250: an MXFP8 GEMM by WMMAs on an emulated gfx1250, judged by bits.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $status, $out, $err, $dir);

my $case = spew("$dir/mxfp8.yaml", <<'END');
name: gfx1250/mxfp8
kernel: mxfp8_gemm
grid: ["ceildiv(N, 16)", "ceildiv(M, 16)"]
block: [32]
let:
  - {name: KS, value: "roundup(K / 32, 4)"}
buffers:
  - {name: A,  role: a,       type: e4m3, rows: M, cols: K}
  - {name: SA, role: a_scale, type: e8m0, rows: M, cols: K / 32, ld: KS, extent: M * KS}
  - {name: B,  role: b,       type: e4m3, rows: N, cols: K}
  - {name: SB, role: b_scale, type: e8m0, rows: N, cols: K / 32, ld: KS, extent: N * KS}
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
  - {offset: 52, type: u32, value: KS}
verdict: {judge: bits, profile: block32, mma_k: 128, k_tile: 128}
runs:
  - {M: 64, N: 64, K: 256, regime: exact}
  - {M: 45, N: 33, K: 416, regime: general}
  - {M: 13, N: 20, K: 96,  regime: special}
END

my @run = ('run', '--case', $case, '--co', "$build/tests/ci/gfx1250_mxfp8.gpu.co", '--device');
is(mxcheck(@run, 'emu'), 2, 'a gfx950 refuses code for gfx1250');
like($err, qr/: built for gfx1250, the device is gfx950$/m, '  and names both architectures');
is(mxcheck('--device', 'emu:gfx1250', 'gemm/mxfp4_f32/1x1x32/exact'), 2, 'a gfx1250 refuses code for gfx950');
like($err, qr/: built for gfx950, the device is gfx1250$/m, '  and names both') or diag $err;
{
	local $ENV{MXHIP_ARCH} = 'gfx1250';
	is(mxcheck(@run, 'emu', '*/exact'), 0, 'MXHIP_ARCH names the architecture of emu') or diag $out, $err;
	like($out, qr/^device emu:gfx1250 \(gfx1250, libmxhip\.so\), seed 1$/m, '  and the report does');
	$ENV{MXHIP_ARCH} = 'gfx900';
	is(mxcheck(@run, 'emu'), 77, '  one that the emulator lacks is no device');
	like($err, qr/: the emulator has no gfx900$/m, '  for this reason') or diag $err;
}
push @run, 'emu:gfx1250';
is(mxcheck(@run, '--require-proof'), 0, 'on a gfx1250 the exact regime, general and special values have the right bits') or diag $out, $err;
like($out, qr/^device emu:gfx1250 \(gfx1250,.*^3 passed, 0 failed/ms, '  in three runs, whose order is proved');
for my $profile ('fused', 'fma32', 'cdna3', 'oracle/probe/measured/nvidia_h100.yaml:wgmma_k32_e4m3') {
	is(mxcheck(@run, '--profile', $profile), 0, "  under $profile") or diag $out, $err;
}
is(mxcheck(@run, '--race', 20), 0, '  and under other schedules') or diag $out, $err;

my $swapped = spew("$dir/swapped.yaml", slurp($case) =~ s/value: (S?)A\}/value: $1X}/gr =~ s/value: (S?)B\}/value: $1A}/gr =~ s/value: (S?)X\}/value: $1B}/gr);
is(mxcheck('run', '--case', $swapped, @run[3 .. $#run], 'gfx1250/mxfp8/64x64x256/exact'), 1, 'A for B is found') or diag $out, $err;
# ---- hunts: workgroups of 4 waves of 32, which overlap by half ----

my $co = "$dir/saxpy.co";
compile(spew("$dir/saxpy.c", <<'END'), $co, 'gfx1250');
__attribute__((amdgpu_kernel)) void saxpy(float *y, const float *x, float a, int n) {
	int i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
	if (i < n)
		y[i] += a * x[i];
}
END
my $overlap = spew("$dir/saxpy.yaml", <<'END');
name: gfx1250/saxpy
kernel: saxpy
grid: ["ceildiv(N, 64)"]
block: [128]
buffers:
  - {name: Y, role: none, type: f32, rows: 1, cols: N, data: random}
  - {name: X, role: none, type: f32, rows: 1, cols: N, data: random}
kernarg:
  - {offset: 0,  type: ptr, value: Y}
  - {offset: 8,  type: ptr, value: X}
  - {offset: 16, type: f32, value: 2}
  - {offset: 20, type: i32, value: N}
verdict: {judge: none}
runs:
  - {sizes: {N: 1000}, regime: general}
END
is(mxcheck('run', '--case', $overlap, '--co', $co, '--device', 'emu:gfx1250', '--race', 60), 3, 'a race between workgroups is found') or diag $out, $err;
like($out, qr/^ +race-global: .*\n(?:.*\n)* +nondeterminism: /m, '  by order, and by a hunt') or diag $out;
my ($replay) = $out =~ /^ +replay: \S+ (.*)$/m;
like($replay // '', qr/>[23]\b/, '  in a schedule of four waves') or diag $out;
is(run('sh', '-c', "$mxcheck $replay"), 3, '  which can be replayed') or diag $out, $err;
# ---- a trace: banks of VGPRs, and what a tensor copy copies ----

my $copies = spew("$dir/copies.yaml", <<'END');
name: gfx1250/copies
kernel: through
grid: [1]
block: [32]
buffers:
  - {name: Y, role: none, type: f32, rows: 8, cols: N, data: random}
  - {name: X, role: none, type: f32, rows: 8, cols: N, data: random}
kernarg:
  - {offset: 0,  type: ptr, value: Y}
  - {offset: 8,  type: ptr, value: X}
  - {offset: 16, type: u32, value: N}
  - {offset: 20, type: u32, value: 6}
verdict: {judge: none}
runs:
  - {sizes: {N: 48}, regime: general}
END
my @copies = ('run', '--case', $copies, '--co', "$build/tests/hip/gfx1250_copies.gpu.co", '--device', 'emu:gfx1250', '--trace', '0,0,0:0');
is(mxcheck(@copies), 0, 'a trace of tensor copies') or diag $err;
like($out, qr/tensor_load_to_lds .*\n +load \[8\]\[32\] of 4 bytes at 0x\w+, strides \[48\]; tensor from there \[6\]\[48\]; LDS 0x\w+, 16 bytes after each 128$/m,
	'  has what each descriptor says') or diag $out;
like($out, qr/tensor_store_from_lds .*\n +store \[8\]\[32\] of 4 bytes /, '  also of a store');

# ---- a published kernel: FlyDSL's MXFP8 GEMM, 3 tiles of 128 x 256 x 128 in LDS by tensor copies, K = 7168 ----

SKIP: {
	my $flydsl = '../shared/foreign/seeds/flydsl_gfx1250_fp8.hsaco';
	skip "$flydsl is not here", 3 if !-e $flydsl;
	my $case = spew("$dir/flydsl.yaml", <<'END');
name: flydsl/fp8
kernel: kernel_mxscale_gemm_0
grid: ["ceildiv(M, 128)", "ceildiv(N, 256)"]
block: [128]
buffers:
  # the host pads A, its scales and C
  - {name: A,  role: a,       type: e4m3, rows: M, cols: K, layout: row_major, pad_rows: 128, fill: 0}
  - {name: SA, role: a_scale, type: e8m0, rows: M, cols: K / 32, layout: flydsl_64, pad_rows: 128, pad_cols: 4, fill: 127}
  - {name: B,  role: b,       type: e4m3, rows: N, cols: K, layout: preshuffle_16x16}
  - {name: SB, role: b_scale, type: e8m0, rows: N, cols: K / 32, layout: flydsl_128, pad_cols: 4, fill: 127}
  - {name: C,  role: c,       type: bf16, rows: M, cols: N, layout: row_major, pad_rows: 128}
kernarg:
  - {offset: 0,  type: ptr, value: C}
  - {offset: 16, type: ptr, value: A}
  - {offset: 32, type: ptr, value: B}
  - {offset: 48, type: ptr, value: SA}
  - {offset: 64, type: ptr, value: SB}
  - {offset: 76, type: u32, value: M}
  - {offset: 80, type: u32, value: N}
verdict: {judge: bits, profile: block32, mma_k: 128, k_tile: 128}
runs:
  - {M: 128, N: 512, K: 7168, regime: exact}
  - {M: 13,  N: 512, K: 7168, regime: general}
  - {M: 33,  N: 512, K: 7168, regime: special}
END
	my @flydsl = ('run', '--case', $case, '--co', $flydsl, '--device', 'emu:gfx1250', '--require-proof');
	is(mxcheck(@flydsl, is_long() ? ('--race', 1000) : ()), 0, 'FlyDSL: its bits are right and its order is proved') or diag $out, $err;
	(my $swapped = slurp($case)) =~ s/flydsl_64/flydsl_32/;
	is(mxcheck(@flydsl[ 0, 1 ], spew("$dir/swapped.yaml", $swapped), @flydsl[ 3 .. $#flydsl ], '*/exact'), 1, '  not with scales in another layout') or diag $out, $err;
	like($out, qr/^ +wrong-bits: /m, '  which are wrong bits') or diag $out;
}
done_testing;
