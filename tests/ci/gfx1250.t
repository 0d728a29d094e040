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
is(mxcheck(@run, 'emu', '--require-proof'), 0, 'emu is a device of the architecture of the code') or diag $out, $err;
like($out, qr/^device emu \(gfx1250, libmxhip\.so\), seed 1$/m, '  and names it');
is(mxcheck(@run, 'emu:gfx950'), 2, 'a gfx950 refuses code for gfx1250');
like($err, qr/: built for gfx1250, the device is gfx950$/m, '  and names both architectures');
is(mxcheck('--device', 'emu:gfx1250', 'gemm/mxfp4_f32/1x1x32/exact'), 2, 'a gfx1250 refuses code for gfx950');
like($err, qr/: built for gfx950, the device is gfx1250$/m, '  and names both') or diag $err;
my @mixed = ('gemm/mxfp8_f32/1x1x32/exact', 'gemm/gfx1250_mxfp8_f32/1x1x32/exact');
is(mxcheck(@mixed, '--require-proof'), 0, 'cases of both run in one command') or diag $out, $err;
like($out, qr/^device emu \(gfx1250 and gfx950, .*^2 passed, 0 failed/ms, '  on a device of each') or diag $out;
# ---- bits of a product with scales in E4M3 or E5M3 on blocks of 16 ----

sub sixteen {
	my ($edit, $kernel) = (@_, 'nvfp4');
	local $_ = slurp("cases/gemm/gfx1250_${kernel}_f32.yaml");
	$edit->();
	return mxcheck('run', '--case', spew("$dir/blocks.yaml", $_), '--co', "$build/kernels/gemm/gfx1250_$kernel.co", '*/13x31*', '*/33x130*');
}
is(sixteen(sub { }), 0, 'a GEMM with scales of blocks of 16 has the bits of its WMMA') or diag $out, $err;
like($out, qr/profile block32 \(assumed\), K in order by 128 of v_wmma_scale16_f32_32x16x128_f4/, '  and of the profile, which is named') or diag $out;
is(sixteen(sub { s/value: SA\}/value: SB}/ }), 1, 'the scales of B for those of A') or diag $out, $err;
like($out, qr/^ +wrong-bits: C\[/m, '  are wrong bits');
is(sixteen(sub { }, 'e5m3'), 0, 'so has one with scales in E5M3') or diag $out, $err;
is(sixteen(sub { s/e5m3, rows/e4m3, rows/g }, 'e5m3'), 1, '  which are others in E4M3') or diag $out, $err;
is(sixteen(sub { s/_scale16_/_scale_/ }), 2, 'an instruction with scales of blocks of 32');
like($err, qr/: reference: a scale of v_wmma_scale_f32_32x16x128_f4 is of 1 x 32 elements$/m, '  is refused') or diag $err;
is(sixteen(sub { s/instruction: \w+/instruction: v_wmma_f32_16x16x32_f16/ }), 2, 'an instruction without scales');
like($err, qr/: verdict\.instruction: v_wmma_f32_16x16x32_f16 is no WMMA with scales$/m, '  is refused') or diag $err;

for (['gfx950', 'gfx1250'], ['gfx1250', 'gfx950']) {
	my ($arch, $other) = @$_;
	is(mxcheck(@mixed, '--device', "emu:$arch"), 0, "a $arch runs its case") or diag $out, $err;
	like($out, qr/^skipped: 1 run is for $other, the device is a $arch\n(?:.*\n)*1 passed, 0 failed/m, "  and skips that of $other") or diag $out;
}
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
for ([ gfx1250 => 0 ], [ gfx950 => 1 ]) {
	my ($arch, $status) = @$_;
	my $rows = spew("$dir/expected.yaml", "expect:\n  - {run: 'gfx1250/*', findings: [wrong-bits], arch: $arch, reason: x, until: 2999-12-31}\n");
	is(mxcheck('run', '--case', $swapped, @run[ 3 .. $#run - 1 ], 'emu', '--expect', $rows, '*/exact'), $status, "  expected on $arch: $status") or diag $out, $err;
}
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
is(mxcheck('run', '--case', $overlap, '--co', $co, '--device', 'emu:gfx1250', '--race', 30), 3, 'a race between workgroups is found') or diag $out, $err;
like($out, qr/^ +race-global: .*\n(?:.*\n)* +nondeterminism: /m, '  by order, and by a hunt') or diag $out;
my ($replay) = $out =~ /^ +replay: \S+ (.*)$/m;
like($replay // '', qr/>[23]\b/, '  in a schedule of four waves') or diag $out;
is(run('sh', '-c', "$mxcheck $replay"), 3, '  which can be replayed') or diag $out, $err;
# ---- clusters of the kernel's metadata ----

# The assembly of a kernel in C, to which what C cannot say is added.
sub assembly {
	my ($name, $c) = @_;
	my $file = spew("$dir/$name.c", $c);
	run(llvm() . '/clang', '-x', 'c', '--target=amdgcn-amd-amdhsa', '-mcpu=gfx1250', '-O2', '-nogpulib', '-S', $file, '-o', "$dir/$name.s") == 0
		or BAIL_OUT($err);
	return slurp("$dir/$name.s");
}

my $cluster = assembly('cluster', <<'END');
__attribute__((amdgpu_kernel)) void cluster(__attribute__((address_space(1))) unsigned *y) {
	y[__builtin_amdgcn_workgroup_id_x()] = 16 * __builtin_amdgcn_cluster_workgroup_max_flat_id() +
	                                       __builtin_amdgcn_cluster_workgroup_flat_id();
}
END
sub with_clusters {
	my ($dims, $co) = @_;
	my $text = $cluster =~ s/^( +)\.name: /$1.cluster_dims: [ $dims ]\n$1.name: /mr;
	return assemble_file(spew("$co.s", $text), $co, 'gfx1250');
}
my $placed = spew("$dir/placed.yaml", <<'END');
name: gfx1250/placed
kernel: cluster
grid: [N]
block: [1]
buffers:
  - {name: Y, role: none, type: f32, rows: 1, cols: N, data: zero}
kernarg:
  - {offset: 0, type: ptr, value: Y}
verdict: {judge: none}
runs:
  - {sizes: {N: 8}, regime: general}
END
for ([ '2, 1, 1', '11' ], [ '4, 1, 1', '31' ], [ '1024, 1024, 1024', '00' ]) {
	my ($dims, $place) = @$_;
	my $co = with_clusters($dims, "$dir/cluster.co");
	mxcheck('run', '--case', $placed, '--co', $co, '--device', 'emu:gfx1250', '--watch', 'Y:20');
	like($out, qr/writes Y.*: 0x000000$place /, "clusters of $dims by the metadata of the kernel") or diag $out, $err;
}
mxcheck('init', with_clusters('2, 1, 1', "$dir/cluster.co"));
like($out, qr/^grid: \[2, 1, 1\] # fill in: workgroups, a whole number of the kernel's clusters of 2 x 1 x 1$/m, '  which mxcheck init has')
	or diag $out, $err;
is(mxcheck('run', '--case', spew("$dir/init.yaml", $out), '--co', "$dir/cluster.co"), 0, '  in a case that runs as it is') or diag $out, $err;
my $any = assemble_file(spew("$dir/any.s", $cluster), "$dir/any.co", 'gfx1250');
my $high = spew("$dir/high.yaml", slurp($placed) =~ s/^grid: .*/grid: [1, N]/mr =~ s/N: 8/N: 65537/r);
isnt(mxcheck('run', '--case', $high, '--co', $any), 0, 'a grid of 65,537 workgroups along y') or diag $out;
like($err, qr/: 65537 workgroups along y, at most 65536 are possible$/m, '  is refused') or diag $err;
sub clustered { return spew("$dir/clustered.yaml", slurp($_[0]) =~ s/^block: /cluster: $_[1]\n$&/mr) }
mxcheck('run', '--case', clustered($placed, '["N / 2"]'), '--co', $any, '--watch', 'Y:20');
like($out, qr/writes Y.*: 0x00000031 /, '  or of the case') or diag $out, $err;
isnt(mxcheck('run', '--case', clustered('cases/gemm/mxfp4_f32.yaml', '[2]'), 'gemm/mxfp4_f32/256x256x512/exact'), 0, '  a gfx950 has none');
like($err, qr/: clusters of 2 x 1 x 1 workgroups: gfx950 has none$/m, '  and refuses them') or diag $out, $err;
my $program = spew("$dir/launch.c", <<'END');
#include <hip/hip_runtime_api.h>
#include <stdio.h>
const char *mxhipErrorDetail(void);
struct attribute { int id, pad; unsigned cluster[16]; };
struct config { unsigned grid[3], block[3], lds; hipStream_t stream; struct attribute *attributes; unsigned n; };
hipError_t hipDrvLaunchKernelEx(const struct config *c, hipFunction_t f, void **params, void **extra);
int main(int n, char **argv) {
	struct attribute a = { 4, 0, { (unsigned)n, 1, 1 } };
	struct config c = { { 12, 1, 1 }, { 1, 1, 1 }, 0, 0, &a, 1 };
	hipModule_t m;
	hipFunction_t f;
	void *y;
	if (hipModuleLoad(&m, argv[1]) || hipModuleGetFunction(&f, m, "cluster") || hipMalloc(&y, 64))
		return 9;
	hipError_t e = hipDrvLaunchKernelEx(&c, f, (void *[]){ &y }, NULL);
	printf("%s: %s\n", hipGetErrorName(e), e ? mxhipErrorDetail() : "");
	return 0;
}
END
SKIP: {
	skip 'no HIP headers', 6 if run('cc', '-w', '-D__HIP_PLATFORM_AMD__', $program, '-o', "$dir/launch", '-L', $build, '-l:libmxhip.so', '-Wl,-rpath,' . abs_path($build));
	local $ENV{MXHIP_ARCH} = 'gfx1250';
	my $co = with_clusters('3, 1, 1', "$dir/cluster3.co");
	run("$dir/launch", $co);
	like($out, qr/^hipErrorInvalidConfiguration: clusters of 2 x 1 x 1 workgroups, kernel cluster has 3 x 1 x 1$/, '  which a launch may not change');
	run("$dir/launch", $co, 'again');
	like($out, qr/^hipSuccess/, '  but repeat') or diag $out;
	mkdir "$dir/recorded";
	is(mxcheck('exec', '--record', "$dir/recorded", '--', "$dir/launch", $any), 0, 'a launch with clusters is recorded') or diag $out, $err;
	is(mxcheck('run', '--case', glob("$dir/recorded/*.yaml")), 0, '  with them, as its bytes show') or diag $out, $err;
	local $ENV{MXHIP_ARCH} = 'gfx900';
	mxcheck('exec', '--', "$dir/launch", $any);
	like($err, qr/^libmxhip: ignored: MXHIP_ARCH: the emulator has no gfx900$/m, 'an architecture that the emulator lacks is ignored, with a line');
	like($err, qr/^libmxhip: a code object is not loaded: built for gfx1250, the device is gfx950 \(see MXHIP_ARCH\)$/m, '  and so is code that is not for a gfx950') or diag $out, $err;
}

# ---- looking into a run: banks of VGPRs ----

my $banked = assembly('banks', <<'END') =~ s/(amdhsa_next_free_vgpr) .*/$1 320/r;
__attribute__((amdgpu_kernel)) void banks(__attribute__((address_space(1))) unsigned *y) {
	unsigned x = __builtin_amdgcn_workitem_id_x(), r;
	asm volatile("s_mov_b32 s103, 5\n\ts_set_vgpr_msb 0x40\n\tv_add_nc_u32 v44, s103, %1\n\t"
	             "s_set_vgpr_msb 1\n\tv_mov_b32 %0, v44\n\ts_set_vgpr_msb 0"
	             : "=v"(r) : "v"(x) : "s103");
	y[x] = r;
}
END
my $banks_co = assemble_file(spew("$dir/banked.s", $banked), "$dir/banks.co", 'gfx1250');
my $banks = spew("$dir/banks.yaml", slurp($placed) =~ s/placed/banks/r =~ s/kernel: cluster/kernel: banks/r =~ s/grid: \[N\]/grid: [1]/r =~ s/block: \[1\]/block: [N]/r);
my @banks = ('run', '--case', $banks, '--co', $banks_co, '--device', 'emu:gfx1250');
is(mxcheck(@banks, '--trace', '0,0,0:0'), 0, 'a trace of a kernel with banks of VGPRs') or diag $err;
like($out, qr{v_add_nc_u32_e32 v44 /\*v300\*/, s103, v\d+\n +v300 = from lane 0: 00000005 00000006 }, '  names v300') or diag $out;
like($out, qr/^ +s103 = 00000005$/m, '  and s103');
mxcheck(@banks, '--who', 'Y:4');
like($out, qr{v_mov_b32_e32 v(\d+), v44 /\*v300\*/.*\n +src0 v300 = 0x00000006\n +from banks\+0x\w+ v_add_nc_u32_e32 v44 /\*v300\*/, s103, }, '  and --who goes through it') or diag $out;

# ---- the provenance of a block, of which M0 selects v43 and v48 ----

my $block_co = assemble_file(spew("$dir/block.s", assembly('block', <<'END')), "$dir/block.co", 'gfx1250');
__attribute__((amdgpu_kernel)) void block(__attribute__((address_space(1))) unsigned *y) {
	unsigned x = __builtin_amdgcn_workitem_id_x();
	asm volatile("v_mov_b32 v43, 3\n\tv_add_nc_u32 v48, 8, %0\n\ts_mov_b32 m0, 0x108\n\t"
	             "global_store_block %1, v[40:71], off\n\ts_wait_storecnt 0\n\t"
	             "global_load_block v[40:71], %1, off\n\ts_wait_loadcnt 0\n\tglobal_store_b32 %1, v48, off"
	             : : "v"(x), "v"(y + 32 * x) : "v43", "v48", "memory");
}
END
my $block = spew("$dir/block.yaml", slurp($banks) =~ s/banks/block/gr =~ s/cols: N\b/cols: 32 * N/r);
my @block = ('run', '--case', $block, '--co', $block_co, '--device', 'emu:gfx1250');
mxcheck(@block, '--who', 'Y:128');
like($out, qr/data v48 = 0x00000009\n +from block\+0x\w+ global_load_block .*\n +memory at Y.*\(byte 160 of Y\) = 0x00000009\n +from block\+0x\w+ global_store_block .*\n +data v48 = 0x00000009\n/,
	'--who finds the register of a block that was loaded and stored') or diag $out, $err;

# ---- a trace: what a tensor copy copies ----

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

# ---- expert scheduling mode: what LLVM compiles for it, and without the first wait for a store's source ----

my $expert = compile_with('tests/ci/lint/gfx1250_expert.c', "$dir/expert.co", '-O2', '-mcpu=gfx1250', '-mllvm', '-amdgpu-expert-scheduling-mode');
my $modes = spew("$dir/expert.yaml", <<'END');
name: gfx1250/expert
kernel: expert
grid: [1]
block: [64]
buffers:
  - {name: X, role: none, type: f32, rows: N, cols: 64, data: random}
  - {name: S, role: none, type: f64, rows: 1, cols: 64, data: random}
kernarg:
  - {offset: 0,  type: ptr, value: X}
  - {offset: 8,  type: ptr, value: S}
  - {offset: 16, type: i32, value: N}
verdict: {judge: none}
runs:
  - {sizes: {N: 3}, regime: general}
END
is(mxcheck('run', '--case', $modes, '--co', $expert), 0, 'a kernel in expert scheduling mode') or diag $out, $err;
(my $early = slurp($expert)) =~ s/\x83\xff\x88\xbf/\0\0\x80\xbf/;
is(mxcheck('run', '--case', $modes, '--co', spew("$dir/early.co", $early)), 3, '  a removed s_wait_alu') or diag $out, $err;
like($out, qr/wait-states: \S+ v_add_nc_u64_e32 .*: overwrites a source of \S+ global_store_b32 .*: no s_wait_alu depctr_vm_vsrc\(0\) between them \[LLVM\]/,
	'  is a finding') or diag $out;
my @mutants = ('mutate', '--case', $modes, '--co', $expert, '--device', 'emu:gfx1250', '-v');
is(mxcheck(@mutants), 0, '  no mutant survives') or diag $out, $err;
my $needed = () = $out =~ /^flagged .* s_wait_alu depctr_(v\w_v\w+)\(\d+\): \1\(\d+\) -> \1\(\d+\); by wait-states: /mg;
ok($needed > 10 && $out !~ /^(?:equivalent|survived|noted) .* s_wait_alu /m, "  and each weaker s_wait_alu is flagged, $needed of them") or diag $out;
is(mxcheck(@mutants, '--no-analysis'), 1, '  but not without the analysis');
is(scalar(() = $out =~ /^survived .* s_wait_alu .*; no rule of wait states flags it$/mg), $needed, '  where all survive') or diag $out;
(my $spare = slurp($expert)) =~ s/\x9f\x0f\x88\xbf/\x83\x0f\x88\xbf/;
is(mxcheck(@mutants, '--co', spew("$dir/spare.co", $spare)), 0, '  a wait for sources that none needs');
like($out, qr/^equivalent .* s_wait_alu .*: vm_vsrc\(0\) -> vm_vsrc\(7\); other waits cover each dependence on the path of each wave$/m, '  is equivalent') or diag $out;

# ---- mutation: the compiler's v_nops are wait states ----

if (is_long()) {
	mxcheck('mutate', '--race', 1, 'gemm/gfx1250_mxfp8_f32/128x128x384/general', '-v');
	like($out, qr/^(?:noted|flagged) .* v_nop: v_nop -> s_nop 0; by .*wait-states/m, 'mutate: a v_nop that is missing breaks a rule') or diag $out, $err;
}

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
	is(mxcheck(@flydsl[ 0, 1 ], spew("$dir/swapped.yaml", $swapped), @flydsl[ 3 .. $#flydsl ], '*/general'), 1, '  not with scales in another layout') or diag $out, $err;
	like($out, qr/^ +wrong-bits: /m, '  which are wrong bits') or diag $out;
}
done_testing;
