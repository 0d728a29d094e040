#!/usr/bin/perl
# The cases of AITER's kernels, each variant and run, on kernels that end at once: sizes keep the contract, arguments fit
# the segment, data are drawn, and the judge reads the outputs, which nothing has written. So a variant whose code
# object is nowhere at hand is checked in all but its results.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);
my $llvm = llvm();
plan skip_all => 'no LLVM' unless -x "$llvm/llvm-mc";

# A kernel of that name, whose segment has the size that AITER's have or the case gives.
sub empty_kernel {
	my ($symbol, $bytes) = @_;
	return ("\t.globl $symbol\n\t.p2align 8\n\t.type $symbol,\@function\n$symbol:\n\ts_endpgm\n" .
		"\t.amdhsa_kernel $symbol\n\t.amdhsa_next_free_vgpr 8\n\t.amdhsa_next_free_sgpr 16\n\t.amdhsa_accum_offset 8\n\t.end_amdhsa_kernel\n",
		"  - .name: $symbol\n    .symbol: $symbol.kd\n    .kernarg_segment_size: $bytes\n    .kernarg_segment_align: 16\n" .
		"    .group_segment_fixed_size: 0\n    .private_segment_fixed_size: 0\n    .wavefront_size: 64\n    .sgpr_count: 16\n" .
		"    .vgpr_count: 8\n    .agpr_count: 0\n    .max_flat_workgroup_size: 1024\n    .args:\n" .
		"      - {.offset: 0, .size: $bytes, .value_kind: by_value}\n");
}

# One code object has all kernels, under the name of each of AITER's.
my (%bytes, %files, @unlike);
for my $text (map { slurp($_) } glob 'cases/aiter/*.yaml') {
	my ($end) = $text =~ /^kernarg_size: (\d+)/m;
	($end) = sort { $b <=> $a } map { $_ + 8 } $text =~ /^ *- \{offset: (\d+)/mg if !$end;
	while ($text =~ /\bcode: ([\w.]+\.co)\b.*?\bkernel: (\w+)/sg) {
		my ($file, $symbol) = ($1, $2);
		$files{$file} = 1;
		$bytes{$symbol} = $end if $end > ($bytes{$symbol} || 0);
		my ($n, $name) = $symbol =~ /^_ZN5aiter(\d+)(\w+)E$/;
		push @unlike, $symbol if !$name || length $name != $n;
	}
}
my %seen;
is(join(' ', grep { !$seen{$_}++ } @unlike), '_ZN5aiter24fmha_fwd_hd128_fp8_gfx950E',
	'names of kernels have the length that they say, but for one of AITER');

my ($code, $metadata) = ('', '');
for my $symbol (sort keys %bytes) {
	my @parts = empty_kernel($symbol, $bytes{$symbol});
	$code .= $parts[0];
	$metadata .= $parts[1];
}
spew("$dir/all.s", "\t.text\n$code\t.amdgpu_metadata\n---\namdhsa.version: [1, 2]\namdhsa.target: amdgcn-amd-amdhsa--gfx950\n" .
	"amdhsa.kernels:\n$metadata...\n\t.end_amdgpu_metadata\n");
system("$llvm/llvm-mc -triple=amdgcn-amd-amdhsa -mcpu=gfx950 -filetype=obj $dir/all.s -o $dir/all.o && " .
	"$llvm/ld.lld -shared $dir/all.o -o $dir/all.so") == 0 or BAIL_OUT('the kernels do not assemble');
mkdir "$dir/code" or die $!;
link("$dir/all.so", "$dir/code/$_") or die "$_: $!" for keys %files;

# The short tier takes one variant of a GEMM and of fmoe_mxfp4, whose tiles differ in numbers alone, and one
# regime.
my @runs = is_long() ? ('aiter/*') : map { "aiter/$_" } 'f4gemm/32x128/*/exact', 'f4gemm_*/256x256/*/exact',
	'[!f]*gemm*/*32x128/*/exact', 'fp8gemm*/32x128/*/exact', 'bf16gemm*/exact', 'fmha_*', 'fmoe_mxfp4/vs_1tg*', 'fmoe_stage1*', 'mla/*', 'pa/*', 'topksoftmax/*8/*';
mxcheck('--code', $dir . '/code', @runs);
is($status, 1, 'every run is judged') or diag $out, $err;
unlike($out, qr/skipped|^(?:pass|BAD)/m, 'none is skipped, and none passes') or diag $out;
my %unwritten = map { $_ => 1 } qw(order not-written wrong-bits out-of-bound outside-set);
is(join(' ', grep { !$unwritten{$_} } kinds($out)), '', 'and nothing but its output is wrong') or diag $out;
like($out, qr/^FAIL +aiter\/mla\/.*bound 0\/24624 /m, 'one is mla, which has never run on its kernel') or diag $out;
done_testing();
