#!/usr/bin/perl
# mxcheck isa: the inventory of a code object, and of gfx950.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

my $llvm = llvm();

# ---- a code object, against objdump ----

my $gemm = "$build/kernels/gemm/mxfp4_gemm.co";
run("$llvm/llvm-objdump", '-d', $gemm);
my (%want, $size);
my $symbols = `$llvm/llvm-readelf -s --wide $gemm`;
my %end = map { /: (\w{16}) +(\d+) FUNC/ ? (hex $1, $2 + hex $1) : () } split /\n/, $symbols;
for (split /\n/, $out) {
	$size = $end{ hex $1 } if /^(\w{16}) </;
	$want{$1}++ if m{^\t(\w+).*// (\w{12}):} && hex $2 < $size;
}
is(mxcheck('isa', $gemm), 0, 'all instructions of our kernel execute');
my %got = map { /^ *(\d+)  exact +(\w+) / ? ($2, $1) : () } split /\n/, $out;
is_deeply(\%got, \%want, 'its instructions and their counts are those of objdump');

# ---- unsupported instructions ----

my $s = spew("$dir/bad.s", <<'END');
.type kernel,@function
kernel:
	v_mov_b32 v0, v1
	ds_gws_init v0 offset:4 gds
label:
	.long 0xffffffff
	s_endpgm
end:
.size kernel, end-kernel
END
run("$llvm/llvm-mc", '-triple=amdgcn-amd-amdhsa', '-mcpu=gfx950', '-filetype=obj', $s, '-o', "$dir/bad.o");
is(mxcheck('isa', "$dir/bad.o"), 1, 'an unsupported instruction is status 1');
like($out, qr/^ +1  unsupported  ds_gws_init +kernel\+0x4  not in the instruction table$/m, '  which is listed');
like($out, qr/^ +1  unsupported  \(no instruction\) +kernel\+0xc /m, '  so is a dword that is not an instruction');
like($out, qr/^4 distinct instructions: 2 exact \(2 in all\), 0 assumed \(0 in all\), 2 unsupported \(2 in all\)$/m,
	'  and they are counted');
is(mxcheck('isa', $gemm, "$dir/bad.o"), 1, 'of several files the worst counts');

# ---- all of gfx950 ----

is(mxcheck('isa', '--all'), 0, '--all lists');
my %forms;
for (split /\n/, slurp('ref/isa/encoding/gfx950.def')) {
	$forms{$2} .= " $1" if /^MX_TEXT\((\w+), *\w+, (\w+),/;
}
my %listed = map { /^(\w+) +(?:exact|assumed|unsupported|excluded) +((?:[A-Z]+\d? ?)+)/ ? ($1, $2) : () }
	split /\n/, $out;
s/^ | $//g for values %forms, values %listed;
is_deeply(\%listed, \%forms, 'every opcode of gfx950.def with its forms');
my %count;
$count{$1}++ while $out =~ /^\w+ +(exact|assumed|unsupported|excluded) /mg;
my $left = keys(%forms) - $count{excluded};
$_ //= 0 for @count{qw(exact assumed unsupported)};
is((split /\n/, $out)[-1], sprintf('the other %d: %d exact (%.1f %%), %d assumed, %d unsupported', $left,
		$count{exact}, 100 * $count{exact} / $left, @count{qw(assumed unsupported)}), 'and totals them');

like($out, qr/^v_exp_f32 +assumed +(?:\w+ )*\w+  correctly rounded: /m, 'and prints the assumptions');

# ---- formats and registers in the code ----

$s = spew("$dir/stands.s", <<'END');
.type kernel,@function
kernel:
	tbuffer_load_format_x v1, v0, s[4:7], 0 format:[BUF_DATA_FORMAT_8,BUF_NUM_FORMAT_UINT] idxen
	tbuffer_load_format_x v1, v0, s[4:7], 0 format:[BUF_DATA_FORMAT_8,BUF_NUM_FORMAT_SNORM] idxen
	tbuffer_store_format_x v1, v0, s[4:7], 0 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] idxen
	s_getreg_b32 s4, hwreg(HW_REG_MODE)
	s_getreg_b32 s4, hwreg(HW_REG_XCC_ID)
	s_endpgm
end:
.size kernel, end-kernel
END
run("$llvm/llvm-mc", '-triple=amdgcn-amd-amdhsa', '-mcpu=gfx950', '-filetype=obj', $s, '-o', "$dir/stands.o");
is(mxcheck('isa', "$dir/stands.o"), 0, 'an assumed instruction is status 0');
my @lines = map { /^ +1  (\w+) +(\w+) +kernel\+(0x\w+)/ ? "$1 $2 $3" : () } split /\n/, $out;
is_deeply([ sort @lines ], [ 'assumed s_getreg_b32 0x1c', 'assumed tbuffer_load_format_x 0x8',
	'exact s_endpgm 0x20', 'exact s_getreg_b32 0x18', 'exact tbuffer_load_format_x 0x0',
	'exact tbuffer_store_format_x 0x10' ], 'formats and registers make the difference') or diag $out;

# ---- MODE of the kernel descriptor ----

$s = spew("$dir/modes.s", join '', map { <<"END" } [ 'keeps', 3, '' ], [ 'flushes', 0, 'v_accvgpr_write_b32 a0, v0' ]);
.globl $_->[0]
.type $_->[0],\@function
.p2align 8
$_->[0]:
	v_cvt_pk_bf16_f32 v1, v0, v0
	v_cvt_pk_fp8_f32 v1, v0, v0
	v_not_b32 v9, v0
	$_->[2]
	s_endpgm
.L$_->[0]:
.size $_->[0], .L$_->[0]-$_->[0]
.rodata
.amdhsa_kernel $_->[0]
	.amdhsa_next_free_vgpr 16
	.amdhsa_next_free_sgpr 8
	.amdhsa_accum_offset 8
	.amdhsa_float_denorm_mode_32 $_->[1]
.end_amdhsa_kernel
.text
END
assemble_file($s, "$dir/modes.co");
is(mxcheck('isa', "$dir/modes.co"), 1, 'a VGPR past ACCUM_OFFSET in a kernel with AGPRs is unsupported');
like($out, qr/^ +1  unsupported  v_not_b32_e32 +flushes\+0x10  a VGPR beyond those allocated$/m, '  and listed');
like($out, qr/^ +1  assumed +v_not_b32_e32 +keeps\+0x10  VGPRs from ACCUM_OFFSET on /m, '  without AGPRs it is assumed');
like($out, qr/^ +1  exact +v_cvt_pk_bf16_f32 +keeps\+0x0$/m, 'a conversion is exact where MODE keeps them');
like($out, qr/^ +1  assumed +v_cvt_pk_bf16_f32 +flushes\+0x0  denormals of f32 /m, '  and assumed where MODE flushes them');
like($out, qr/^ +2  exact +v_cvt_pk_fp8_f32 /m, '  except to FP8, which the manual defines');

# ---- another instruction set ----

is(mxcheck('isa', '--arch', 'gfx1250', '--all'), 0, '--arch lists another set');
my %names = map { /^MX_TEXT(?:_FIXED)?\(\w+, *\w+, (\w+),/ ? ($1 => 1) : () }
	split /\n/, slurp('ref/isa/encoding/gfx1250.def');
is(scalar(() = $out =~ /^\w+ +(?:exact|assumed|unsupported|excluded) /mg), scalar keys %names,
	'every opcode of gfx1250.def');
like($out, qr/^v_add_nc_u32 +exact +VOP2 VOP3$/m, '  executed');
like($out, qr/^s_and_saveexec_b64 +unsupported +SOP1 +no source has/m, '  or not, with the reason');
like($out, qr/^global_load_d16_b16 +assumed +GLOBAL +the half of a register /m, '  by an assumption of this set alone');
like($out, qr/^v_wmma_f32_16x16x128_fp8_fp8 +assumed +VOP3P +layouts, scales/m, '  or by assumption');
is(mxcheck('isa', '--arch', 'gfx942', '--all'), 2, 'a set that the emulator has not is an error');
is(mxcheck('isa', '--arch', 'gfx950', $gemm), 2, 'so is one beside a file, which has its own');

is(mxcheck('isa'), 2, 'no file is an error');
done_testing;
