#!/usr/bin/perl
# mxcheck disasm prints the same bytes as llvm-objdump -d.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

my $llvm = llvm();
my @objects = (kernels($build), glob("$build/tests/*/*.co"));

# Assembles and links a text.
sub assemble {
	my ($name, $text) = @_;
	my ($s, $o, $co) = map { "$dir/$name.$_" } qw(s o co);
	spew($s, $text);
	run("$llvm/llvm-mc", '-triple=amdgcn-amd-amdhsa', '-mcpu=gfx950', '-filetype=obj', $s, '-o', $o) == 0
		and run("$llvm/ld.lld", '-shared', $o, '-o', $co) == 0 or BAIL_OUT("$name: $err");
	return $co;
}

push @objects, assemble('odd', <<'END');
.text
.type first,@function
first:
	s_cbranch_scc0 first
	s_cbranch_execz 2
	s_call_b64 s[4:5], inner
	s_cbranch_i_fork s[4:5], first
	s_cbranch_g_fork s[4:5], s[6:7]
	s_cbranch_join s4
	v_add_f32 v1, 0x12345678, v2
	s_branch -3
.long 0xffffffff, 0x0000ffff, 0xd3ac0800, 0
	v_mov_b32 v1, v2
.long 0, 0, 0
.type inner,@function
inner:
inner_too:
	s_setpc_b64 s[4:5]
	global_load_dwordx4 v[0:3], v4, s[2:3] offset:-16 sc0 nt
	v_mfma_scale_f32_16x16x128_f8f6f4 v[2:5], v[152:155], v[184:187], v[2:5], v84, v90 cbsz:4 blgp:4
.long 0, 0xc0020000
.section .text.other,"ax",@progbits
other:
	s_endpgm
END

# llvm-objdump takes all files for the CPU of the first.
my %text_of = map {
	run("$llvm/llvm-objdump", '-d', @$_);
	map { /^(\S+):/ ? ($1 => "\n$_") : () } split /^(?=\S+:\tfile format)/m, $out;
} [ grep { !m{/gfx1250} } @objects ], [ grep { m{/gfx1250} } @objects ];
for my $file (@objects) {
	my @want = split /\n/, $text_of{$file} // '';
	is(mxcheck('disasm', $file), 0, "$file is disassembled");
	my @got = split /\n/, $out;
	my ($line) = grep { ($got[$_] // '') ne ($want[$_] // '') } 0 .. ($#got > $#want ? $#got : $#want);
	ok(@want > 1 && !defined $line, '  as objdump does, ' . @want . ' lines')
		or diag map { "$_\n" } $got[$line] // '(end)', $want[$line] // '(end)';
}

my $gemm = "$build/kernels/gemm/mxfp4_gemm.co";
run("$llvm/llvm-objdump", '-d', '--disassemble-symbols=mxfp4_gemm_bf16', $gemm);
my @want = grep { /^\t/ } split /\n/, $out;
is(mxcheck('disasm', $gemm, '--kernel', 'mxfp4_gemm_bf16'), 0, '--kernel selects one kernel');
my @got = grep { /^\t/ } split /\n/, $out;
ok(@got > 10 && "@got" eq substr("@want", 0, length "@got"), '  its instructions and no others');

is(mxcheck('disasm', $gemm, '--kernel', 'missing'), 2, 'a kernel that does not exist is an error');
like($err, qr/no code with the name missing/, '  and is named');
is(mxcheck('disasm', 'README.md'), 2, 'a file that is not ELF is an error');
is(mxcheck('disasm'), 2, 'no file is an error');
done_testing;
