#!/usr/bin/perl
# mxcheck lint: compiled kernels have no finding, and each removed s_nop is one.
use strict;
use warnings;
use Test::More;
use File::Temp 'tempdir';
use List::Util 'uniq';
require './tests/diff/generate.pl';
require './tests/files.pl';
require './tests/tiers.pl';

my $build = $ENV{BUILD} || 'build';
my $dir = tempdir(CLEANUP => 1);
my $llvm = llvm();
plan skip_all => 'no LLVM 20 or newer' unless $llvm;

sub run {
	my $out = `$build/mxcheck lint @_ 2>&1`;
	return ($? >> 8, $out);
}

my %language = (c => '-x c -std=gnu11', cl => '-x cl -cl-std=CL2.0');

sub compile {
	my ($source, $level) = @_;
	my $name = "$dir/" . $source =~ s!^\Q$dir\E/|.*tests/!!r =~ tr!/!_!r . "-O$level";
	my ($suffix) = $source =~ /\.(c|cl)$/;
	system("$llvm/clang $language{$suffix} --target=amdgcn-amd-amdhsa -mcpu=gfx950 -nogpulib " .
		"-ffreestanding -Itests/diff -DWAVE=64 '-DOPAQUE(x)=(x)' -w -O$level -c $source -o $name.elf && " .
		"$llvm/ld.lld -shared $name.elf -o $name.co") == 0 or die "$source";
	return "$name.co";
}

# Random programs of tests/diff.
sub generated {
	my ($seed) = @_;
	open my $f, '>', "$dir/own-$seed.c" or die;
	print $f own_program($seed);
	close $f;
	return "$dir/own-$seed.c";
}

# Twins that lint detects.
my %broken = (dead_load => 'missing-wait', unnamed_fragments => 'missing-wait', ring_reads => 'missing-wait',
	early_scale => 'wait-states', early_store => 'wait-states');
my $waits = "$build/kernels/probe/wait_states.co"; # kernels that lack wait states
my @built = grep { !m{broken/(\w+)} || !$broken{$1} } grep { $_ ne $waits } kernels($build);

# Kernels without inline assembly. With it clang puts in more s_nops than needed. data.gpu.c has no code.
my @sources = ((grep { !m{/(?:gfx1250|data\.)} } glob('tests/ci/lint/*.c tests/hip/*.gpu.c')), 'tests/ci/own_kernel/mxfp4_small.c');
if (is_long()) {
	push @sources, qw(kernels/gemm/mxfp4_splitk.c kernels/corunners/tenant.c cases/foreign/mxfp4_opencl.cl),
		map { "cases/foreign/$_.c" } qw(mxfp4_preshuffled mxfp8_grouped mxfp8_wgrad);
	push @sources, map { generated($_) } 1 .. 40;
}
my @co;
my @levels = is_long() ? qw(0 1 2 3 s) : qw(0 2);
for my $source (@sources) {
	my $made = "$build/$source" =~ s/c$/co/r; # at -O2
	push @co, $_ eq 2 && -e $made ? $made : compile($source, $_) for @levels;
}
my ($known) = grep { m{/own-5\.c-O1\.co$} } @co;
if ($known) {
	@co = grep { $_ ne $known } @co;
	local our $TODO = 'clang 22 leaves two of three wait states between a v_dot4c at the end of a block and a v_readlane in the next';
	is((run($known))[0], 0, 'random program 5 at -O1 has no finding');
}
my ($dirty, $found) = run(@built, @co);
ok(@co > 9 && !$dirty, @built + @co . ' compiled code objects have no finding') or diag $found =~ /^(?:\S+\.co|  [a-z-]+: .*)$/mg;

my (undef, $lacking) = run('--notes', $waits);
my @lacks = $lacking =~ /^  wait-states(?:-note)?: (\w+)\+/mg;
is_deeply([ uniq(@lacks) ], [ $lacking =~ /^kernel (\w+):/mg ], 'each kernel of a probe for missing wait states lacks some')
	or diag $lacking;

for my $twin (sort keys %broken) {
	my ($status, $out) = run("$build/kernels/broken/$twin.co");
	my %kinds = map { $_ => 1 } $out =~ /^  ([a-z-]+): /mg;
	is("$status @{[sort keys %kinds]}", "3 $broken{$twin}", "$twin needs no run to be found");
}

# ---- inline assembly ----

# clang does not count the loads of inline assembly. At -O0 it stores the result of each ds_read_b128
# of the GEMM right after it, before the wait in the source. These findings are true, and the run has
# the same races.
my $unfit = compile('kernels/gemm/mxfp4_gemm.c', 0);
my ($unfit_status, $unfit_said) = run('--kernel mxfp4_gemm_f32', $unfit);
my @reads = $unfit_said =~ /missing-wait: \S+ flat_store_dwordx4 .*: reads v\d+ while \S+ ds_read_b128 .* may be in flight: no s_waitcnt lgkmcnt/g;
ok($unfit_status == 3 && @reads == 16 && @reads == (() = $unfit_said =~ /missing-wait/g),
	'a result of inline assembly that is used without a wait is a finding') or diag($unfit_said);
my $gate = `$build/mxcheck run --case cases/gemm/mxfp4_f32.yaml --co $unfit --device emu gemm/mxfp4_f32/1x1x32/exact`;
like($gate, qr/race-register: \S+ flat_store_dwordx4 .* before ds_read_b128 /, 'and a race in a run');

# ---- a full counter ----

sub assemble {
	my ($name, @lines) = @_;
	open my $f, '>', "$dir/$name.s" or die;
	print $f join "\n", '.amdgcn_target "amdgcn-amd-amdhsa--gfx950"', '.text', '.globl k', '.p2align 8',
		'.type k,@function', 'k:', @lines, 's_endpgm', '.Lend:', '.size k, .Lend-k', '.rodata', '.p2align 6',
		'.amdhsa_kernel k', '.amdhsa_next_free_vgpr 64', '.amdhsa_accum_offset 64',
		'.amdhsa_next_free_sgpr 16', '.end_amdhsa_kernel', '';
	close $f;
	system("$llvm/llvm-mc -triple=amdgcn-amd-amdhsa -mcpu=gfx950 -filetype=obj $dir/$name.s -o $dir/$name.elf && " .
		"$llvm/ld.lld -shared $dir/$name.elf -o $dir/$name.co") == 0 or die $name;
	return "$dir/$name.co";
}

for my $younger (61, 62) {
	my $full = assemble("loads$younger", 'global_load_dword v1, v6, s[0:1]',
		('global_load_dword v3, v6, s[0:1]') x $younger, 'global_load_dword v4, v1, s[0:1]');
	my ($status, $out) = run($full);
	my $missing = () = $out =~ /missing-wait: .* reads v1 while /g;
	is("$status $missing", $younger == 62 ? '0 0' : '3 1',
		"$younger loads leave " . ($younger == 62 ? 'no room: the next one stalls, and v1 has landed'
		                                          : 'room for the next one, which reads v1')) or diag($out);
}

# ---- removed nops ----

sub contents {
	open my $f, '<:raw', $_[0] or die $_[0];
	local $/;
	return scalar <$f>;
}

# What one run says of each of several code objects.
sub said {
	my ($kernel, @co) = @_;
	my (undef, $out) = run('--notes', "--kernel $kernel", @co);
	return split /^(?=\S+\.co$)/m, $out;
}

sub numbers { return join ' ', $_[0] =~ /^(\d+) findings?, (\d+) notes?/m }

# A store, and a load that overwrites its operand: LLVM ends their clause only after the load.
sub ends_late {
	my ($out, $last) = @_;
	return $last =~ /^\w+_load_/ && $out =~ /: \S+ \Q$last\E: overwrites a register .* its clause/;
}

sub registers {
	my ($text) = @_;
	return map { my ($a, $b) = /(\d+)(?::(\d+))?/; $a .. $b // $a } $text =~ /\bv(\d+|\[\d+:\d+\])/g;
}

sub overlap {
	my ($some, $others) = @_;
	my %is = map { $_ => 1 } @$some;
	return scalar grep { $is{$_} } @$others;
}

# Nops that LLVM puts in for internal operands, which are not in the code:
#   - a v_writelane that spills half of a pair of SGPRs is marked as writing the pair, and the next
#     v_writelane reads the other half; the same holds for tuples of VGPRs spilled by
#     v_accvgpr_write and by stores;
#   - at -O0 v_mfma_scale reads all 8 registers of the builtin for a 4-bit operand;
sub is_for_llvm_alone {
	my ($next, @before) = @_;
	my ($last) = grep { !/^s_nop/ } reverse @before;
	if ($next =~ /^v_writelane_b32 v\d+, s(\d+), \d+$/) {
		my $s = $1 - 1;
		return $s % 2 == 0 && grep { /^v_writelane_b32 v\d+, s$s, \d+$/ } @before;
	}
	for my $spill (qr/^v_accvgpr_write_b32 /, qr/^scratch_store_\w+ off, /) {
		return 1 if $next =~ $spill && $last =~ $spill;
	}
	if (my ($a, $b) = $next =~ /^v_mfma_scale_\S+ \S+ (v\[\d+:\d+\]), (v\[\d+:\d+\]), .*cbsz:4 blgp:4/) {
		my @upper = map { my ($first) = registers($_); $first + 4 .. $first + 7 } $a, $b;
		return overlap(\@upper, [ map { /^\S+ (\S+),/ ? registers($1) : () } @before ]);
	}
	return 0;
}

my $limit = is_long() ? 2000 : 60;
my ($nops, $alone, @missed, %mutants) = (0, 0);
for my $co (sort @co) {
	my $elf = contents($co);
	my ($address, $offset) = map { hex } `$llvm/llvm-readelf -S $co` =~
		/\.text\s+PROGBITS\s+(\w+)\s+(\w+)/;
	my ($kernel, $padding) = ('', 0);
	my @lines = split /\n/, `$build/mxcheck disasm $co`;
	for my $i (0 .. $#lines - 1) {
		$kernel = $1 if $lines[$i] =~ /^[0-9a-f]+ <(.*)>:/;
		$padding = 0 if $lines[$i] !~ /s_nop/;
		$padding = 1 if $lines[$i] =~ /s_endpgm|s_setpc|s_branch|s_trap/;
		next if $padding || $lines[$i] !~ m!^\s+s_nop (\d+)\s+// (\w+):!;
		last if $nops == $limit;
		my ($states, $at) = ($1, hex($2) - $address + $offset);
		my ($next, $dwords) = $lines[$i + 1] =~ m!^\s+(.*?)\s*// \w+: ((?:[0-9A-F]{8} ?)+)!;
		next if !defined $next;
		my @before = map { s!^\s+|\s*//.*!!gr } @lines[($i > 8 ? $i - 8 : 0) .. $i - 1];
		if (is_for_llvm_alone($next, @before)) {
			$alone++;
			next;
		}
		my $bytes = 4 * (() = $dwords =~ /\w{8}/g);
		my $mutant = $elf;
		# One wait state fewer; an s_nop 0 moves after the instruction that needs it.
		substr($mutant, $at, 4 + $bytes) = $states
			? pack('V', 0xbf800000 + $states - 1) . substr($elf, $at + 4, $bytes)
			: substr($elf, $at + 4, $bytes) . substr($elf, $at, 4);
		my $file = "$dir/mutant$nops.co";
		open my $f, '>:raw', $file or die;
		print $f $mutant;
		close $f;
		$nops++;
		push @{ $mutants{$co}{$kernel} }, [ $file, "s_nop $states before $next", $before[-1] ];
	}
}
for my $co (sort keys %mutants) {
	for my $kernel (sort keys %{ $mutants{$co} }) {
		my @mutants = @{ $mutants{$co}{$kernel} };
		my ($was, @is) = said($kernel, $co, map { $_->[0] } @mutants);
		push @missed, "$co $kernel: not all mutants are read" if @is != @mutants;
		for (@mutants) {
			my (undef, $what, $last) = @$_;
			my $out = shift @is;
			push @missed, "$co $kernel: $what"
				if numbers($out) eq numbers($was) && !ends_late($out, $last);
		}
	}
}
ok($nops > 50 && !@missed, "each of $nops removed s_nops is a finding, except $alone that only LLVM needs")
	or diag(scalar(@missed), join "\n", '', @missed[0 .. ($#missed < 9 ? $#missed : 9)]);

# ---- the command ----

my ($status, $out) = run('README.md');
is($status, 2, 'a file that is not a code object: 2');
like($out, qr/not a 64-bit little-endian ELF/, 'with the reason');
($status, $out) = run("$build/kernels/gemm/mxfp4_gemm.co", '--kernel missing');
is($status, 2, 'a kernel that does not exist: 2');
($status, $out) = run("$build/kernels/gemm/mxfp4_gemm.co", '--kernel mxfp4_gemm_f32');
like($out, qr/^kernel mxfp4_gemm_f32: \d+ instructions\n  allocates 200 VGPRs and 64 AGPRs: 1 wave of .*; no spills$/m,
	'registers and waves of a kernel');
like($out, qr/^  loop \+0x\w+ to \+0x\w+: \d+ instructions, 64 MFMA .*, 256 passes of MFMA 1024 cycles: bound by \w+$/m,
	'an estimate of its main loop');
unlike($out, qr/mxfp4_gemm_bf16/, 'of the named kernel only');
($status, $out) = run("$build/kernels/gemm/gfx1250_mxfp8.co", '--kernel gfx1250_mxfp8_f32');
like($out, qr/^  loop \+0x\w+ to \+0x\w+: \d+ instructions, 16 WMMA \([\d.]+ %\), \d+ other vector$/m, 'of gfx1250 an estimate without passes');

# ---- spills, compared with LLVM's reader of metadata ----

sub spills {
	my ($text) = @_;
	return map { $text =~ /^ +\.${_}gpr_spill_count: +(\d+)/m ? $1 : undef } qw(v s);
}

open my $c, '>', "$dir/spilling.c" or die;
print $c <<'END';
#define GLOBAL __attribute__((address_space(1)))
__attribute__((device_kernel, amdgpu_flat_work_group_size(64, 64), amdgpu_num_vgpr(24), amdgpu_num_sgpr(24)))
void spilling(const GLOBAL unsigned *in, GLOBAL unsigned *out, const GLOBAL unsigned *more) {
	unsigned t = __builtin_amdgcn_workitem_id_x(), a[64], b[32];
	for (unsigned i = 0; i < 64; i++)
		a[i] = in[i * 64 + t];
	for (unsigned i = 0; i < 32; i++)
		b[i] = more[i];
	__asm__ volatile("" ::: "memory");
	for (unsigned i = 0; i < 64; i++)
		out[i * 64 + t] = a[i] * a[63 - i] + b[i % 32];
}
END
close $c;
my $spilling = compile("$dir/spilling.c", 2);
my ($v, $s) = spills(scalar `$llvm/llvm-readelf --notes $spilling`);
($status, $out) = run($spilling);
ok($v, 'a kernel with too few registers spills');
like($out, qr/^  allocates .*; spills $v VGPRs, $s SGPRs$/m, '  with the numbers in its metadata');

my $broken = contents($spilling);
my $at = index($broken, '.vgpr_spill_count');
my $n = 0;
for my $byte (0xdf, 0xdd, 0xdb, 0xc1, 0xff) {
	my $copy = $broken;
	substr($copy, $at + length('.vgpr_spill_count'), 1) = chr $byte;
	open my $f, '>:raw', "$dir/mutant.co" or die;
	print $f $copy;
	close $f;
	($status, $out) = run("$dir/mutant.co");
	$n += $out =~ /; spills unknown: not in the metadata$/m && $status == 0;
}
is($n, 5, 'truncated metadata, or a count that is not a number, gives no spills');

($status, $out) = run("$build/kernels/gemm/mxfp4_pingpong.co");
like($out, qr/LDS \d+ bytes: 1 workgroup of a compute unit;/, 'LDS of more than half a unit leaves room for one workgroup');

# ---- groups ----

my @one_wait = ("\tglobal_load_dwordx2 v[2:3], v0, s[0:1]\n\tglobal_load_dword v4, v0, s[0:1]\n",
	"\tv_add_u32 v5, v2, v3\n", "\tv_add_u32 v6, v4, v3\n\ts_endpgm\n");
my $late = assemble('late', join '', @one_wait);
($status, $out) = run($late);
is($status, 3, 'two instructions read loads before one missing wait');
like($out, qr/^  missing-wait: k\+0x10 v_add_u32_e32 v5, v2, v3: reads v2 while .*; and 1 more: one s_waitcnt vmcnt before \+0x10 orders all$/m,
	'  one line, with the first of them');
like($out, qr/^1 finding, /m, '  and one finding');
my $later = assemble('later', join "\tglobal_load_dword v4, v0, s[0:1]\n", @one_wait);
($status, $out) = run($later);
like($out, qr/^2 findings, /m, 'a load after the first reader needs a wait of its own');

# ---- code that cannot be analysed ----

my $undecodable = assemble('undecodable', <<'END');
	global_load_dword v1, v0, s[0:1]
	.long 0xffffffff
	v_mov_b32 v2, v1
	s_endpgm
END
($status, $out) = run($undecodable);
is($status, 3, 'a dword that is no instruction');
like($out, qr/^  unsupported: \w+\+0x8: 0xffffffff is no instruction of gfx950; the code after it is not analysed$/m,
	'  is a finding, because the code after it is not analysed');
unlike($out, qr/indirect/, '  and no jump');
for my $target (qw(gfx942 gfx1201)) {
	my $other = "$dir/$target.co";
	system("printf 's_endpgm\n' | $llvm/llvm-mc -triple=amdgcn-amd-amdhsa -mcpu=$target " .
		"-filetype=obj -o $dir/$target.o && $llvm/ld.lld -shared $dir/$target.o -o $other") == 0
		or BAIL_OUT("no $target");
	my $run = '--case cases/gemm/mxfp4_f32.yaml gemm/mxfp4_f32/1x1x32/exact --co';
	for my $command ('lint', 'isa', 'disasm', "run $run", "mutate $run", "run --who C:0 $run",
		"run --trace 0,0,0:0 $run", "run --watch C:0 $run", "run --break 0x0 $run") {
		my $said = `$build/mxcheck $command $other 2>&1 >/dev/null`;
		is($? >> 8, 2, "$command refuses code for $target");
		like($said, qr/^mxcheck[^\n]*: \S+$target\.co: built for $target, the device is gfx950\n\z/,
			'  and names it in one line');
	}
}
my $printed = "$dir/gfx1250.co";
system("printf 's_endpgm\n' | $llvm/llvm-mc -triple=amdgcn-amd-amdhsa -mcpu=gfx1250 " .
	"-filetype=obj -o $dir/gfx1250.o && $llvm/ld.lld -shared $dir/gfx1250.o -o $printed") == 0
	or BAIL_OUT('no gfx1250');
my $gfx950 = '--device emu:gfx950 --case cases/gemm/mxfp4_f32.yaml gemm/mxfp4_f32/1x1x32/exact --co';
for my $command ("run $gfx950", "mutate $gfx950") {
	my $said = `$build/mxcheck $command $printed 2>&1 >/dev/null`;
	is($? >> 8, 2, "$command refuses code for gfx1250");
	like($said, qr/^mxcheck[^\n]*: \S+gfx1250\.co: built for gfx1250, [^\n]+\n\z/, '  in one line');
}

# ---- gfx1250 ----

my @second = (glob("$build/tests/*/gfx1250*.co"), grep { -e } '../shared/foreign/seeds/flydsl_gfx1250_fp8.hsaco');
my @unclean = grep { (run($_))[0] } @second;
ok(@second > 3 && !@unclean, @second . ' code objects for gfx1250 have no finding') or diag("@unclean");

# The lines of lint for one function in assembly.
sub lint_gfx1250 {
	my ($assembly) = @_;
	open my $as, '|-', "$llvm/llvm-mc -triple=amdgcn-amd-amdhsa -mcpu=gfx1250 -filetype=obj -o $dir/one.o" or die;
	print $as ".text\n.globl f\n.type f,\@function\nf:\n$assembly\ns_endpgm\n.size f, .-f\n";
	close $as or die;
	system("$llvm/ld.lld -shared $dir/one.o -o $dir/one.co") == 0 or die;
	my ($status, $out) = run("$dir/one.co");
	return "$status " . join '; ', $out =~ /^  (\S+: .*)/mg;
}
my $branch = "s_cbranch_scc1 1f\ns_set_vgpr_msb 1\n1:\n%s\nv_mov_b32 v2, v1";
is(lint_gfx1250(sprintf $branch, ''), '3 vgpr-banks: f+0x8 v_mov_b32_e32 v2, v1: another path has other banks of VGPRs',
	'an instruction whose registers depend on the path');
is(lint_gfx1250(sprintf $branch, 's_set_vgpr_msb 1'), '0 ', '  not if both paths set the banks');
is(lint_gfx1250('s_set_vgpr_msb 64' . "\nglobal_load_b32 v1, v0, s[0:1]\ns_set_vgpr_msb 1\nv_mov_b32 v2, v1"),
	'3 missing-wait: f+0x14 v_mov_b32_e32 v2, v1 /*v257*/: reads v257 while +0x4 global_load_b32 v1 /*v257*/, v0, s[0:1] may be in flight: no s_wait_loadcnt 0',
	'a missing wait names registers by their bank');
is(lint_gfx1250('s_set_vgpr_msb 64' . "\nglobal_load_b32 v1, v0, s[0:1]\ns_set_vgpr_msb 0\nv_mov_b32 v2, v1"), '0 ',
	'  v1 is another one');
like(lint_gfx1250("s_set_vgpr_msb 64\nv_wmma_f32_16x16x32_f16 v[0:7], v[16:23], v[24:31], v[32:39]\ns_set_vgpr_msb 1\nv_mov_b32 v60, v7"),
	qr/^3 wait-states: .* 4 v_nop are missing\z/, '  so it is for wait states');

# In expert scheduling mode: LLVM's s_wait_alus, and each one removed, or looser by one.
SKIP: {
	my $expert = "$dir/expert.co";
	skip 'no clang that has expert scheduling mode', 3 if system("$llvm/clang -x c -std=gnu11 --target=amdgcn-amd-amdhsa " .
		"-mcpu=gfx1250 -nogpulib -ffreestanding -O2 -mllvm -amdgpu-expert-scheduling-mode -c " .
		"tests/ci/lint/gfx1250_expert.c -o $dir/expert.elf 2>/dev/null && $llvm/ld.lld -shared $dir/expert.elf -o $expert");
	my $bytes = contents($expert);
	my @waits = grep { substr($bytes, $_, 4) =~ /^..\x88\xbf/s } map { 4 * $_ } 0 .. length($bytes) / 4 - 1;
	is((run($expert))[0], 0, 'a kernel that LLVM compiled for expert scheduling mode has no finding');
	my @kept;
	for my $at (@waits) {
		my $wait = unpack 'V', substr $bytes, $at, 4;
		for my $other (0xbf800000, $wait + (($wait >> 12 & 15) == 15 ? 1 << 2 : 1 << 12)) {
			substr(my $twin = $bytes, $at, 4) = pack 'V', $other;
			spew("$dir/twin.co", $twin);
			my ($status, $out) = run("$dir/twin.co");
			push @kept, sprintf '%x at %x', $other, $at if "$status " . (() = $out =~ /^  wait-states: /mg) ne '3 1';
		}
	}
	ok(@waits > 5, 'its ' . @waits . ' s_wait_alu wait for results and for sources');
	is("@kept", '', 'without one of them, or with one that is looser by one, there is a finding');
}
done_testing;
