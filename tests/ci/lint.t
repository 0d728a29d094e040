#!/usr/bin/perl
# mxcheck lint: compiled kernels are clean, and each s_nop that is taken out is missed.
use strict;
use warnings;
use Test::More;
use File::Temp 'tempdir';

my $build = $ENV{BUILD} || 'build';
my $dir = tempdir(CLEANUP => 1);
chomp(my $llvm = `ci/llvm.sh`);
plan skip_all => 'no LLVM 20 or newer' unless $llvm;

sub run {
	my $out = `$build/mxcheck lint @_ 2>&1`;
	return ($? >> 8, $out);
}

sub compile {
	my ($source, $level) = @_;
	my $name = "$dir/" . $source =~ tr!/!_!r . "-O$level";
	system("$llvm/clang -x c -std=gnu11 --target=amdgcn-amd-amdhsa -mcpu=gfx950 -nogpulib " .
		"-ffreestanding -w -O$level -c $source -o $name.elf && " .
		"$llvm/ld.lld -shared $name.elf -o $name.co") == 0 or die "$source";
	return "$name.co";
}

# The compiler puts no waits in for inline assembly, nor does it count its instructions: the
# kernels of kernels/ are for -O2 alone, and some of their s_nops are more than is needed.
my %broken = (dead_load => 'missing-wait', unnamed_fragments => 'missing-wait',
	early_scale => 'wait-states', early_store => 'wait-states');
my @built = grep { !m{broken/(\w+)} || !$broken{$1} } glob "$build/kernels/*/*.co";
my @co;
my @levels = $ENV{MXCHECK_LONG} ? qw(0 1 2 3 s) : qw(0 2);
for my $source (glob('tests/ci/lint/*.c tests/hip/*.gpu.c'), 'tests/ci/own_kernel/mxfp4_small.c') {
	push @co, compile($source, $_) for @levels;
}
my @dirty;
for (@built, @co) {
	my ($status, $out) = run($_);
	push @dirty, "$_: $out" if $status;
}
ok(@co > 9 && !@dirty, @built + @co . ' compiled code objects have no finding')
	or diag($dirty[0]);

for my $twin (sort keys %broken) {
	my ($status, $out) = run("$build/kernels/broken/$twin.co");
	my %kinds = map { $_ => 1 } $out =~ /^  ([a-z-]+): /mg;
	is("$status @{[sort keys %kinds]}", "3 $broken{$twin}", "$twin needs no run to be found");
}

# ---- nops taken out ----

sub contents {
	open my $f, '<:raw', $_[0] or die $_[0];
	local $/;
	return scalar <$f>;
}

sub counts { return (run('--notes', "--kernel $_[1]", $_[0]))[1] =~ /^(\d+) findings, (\d+) notes/m }

# Not tried: at -O0 LLVM has a 4-bit operand fill 8 registers; it takes the pair of a 64-bit spill to write the register that its second half reads, and
# keeps whole clauses apart where only neighbours are looked at here.
my $known = qr/^v_writelane_b32|^v_mfma_scale_.*cbsz:4|^(global|flat|scratch|buffer)_(load|store)|^s_(buffer_)?load/;

my $limit = $ENV{MXCHECK_LONG} ? 1e9 : 150;
my ($nops, @missed, %before) = (0);
for my $co (sort @co) {
	my $elf = contents($co);
	my ($address, $offset) = map { hex } `$llvm/llvm-readelf -S $co` =~
		/\.text\s+PROGBITS\s+(\w+)\s+(\w+)/;
	my ($kernel, $padding) = ('', 0);
	my @lines = split /\n/, `$build/mxcheck disasm $co`;
	for my $i (0 .. $#lines - 1) {
		$kernel = $1 if $lines[$i] =~ /^[0-9a-f]+ <(.*)>:/;
		$padding = 0 if $lines[$i] !~ /s_nop/;
		$padding = 1 if $lines[$i] =~ /s_endpgm|s_setpc|s_branch/;
		next if $padding || $lines[$i] !~ m!^\s+s_nop (\d+)\s+// (\w+):!;
		last if $nops == $limit;
		my ($states, $at) = ($1, hex($2) - $address + $offset);
		my ($next, $dwords) = $lines[$i + 1] =~ m!^\s+(.*?)\s*// \w+: ((?:[0-9A-F]{8} ?)+)!;
		next if !defined $next || $next =~ $known;
		my $bytes = 4 * (() = $dwords =~ /\w{8}/g);
		my $mutant = $elf;
		# One state fewer; of s_nop 0, the nop behind what it was for.
		substr($mutant, $at, 4 + $bytes) = $states
			? pack('V', 0xbf800000 + $states - 1) . substr($elf, $at + 4, $bytes)
			: substr($elf, $at + 4, $bytes) . substr($elf, $at, 4);
		open my $f, '>:raw', "$dir/mutant.co" or die;
		print $f $mutant;
		close $f;
		my $was = $before{$co, $kernel} //= join ' ', counts($co, $kernel);
		my $is = join ' ', counts("$dir/mutant.co", $kernel);
		$nops++;
		push @missed, "$co $kernel: s_nop $states before $next" if $is eq $was;
	}
}
ok($nops > 50 && !@missed, "each of $nops s_nops is missed when it is taken out")
	or diag(scalar(@missed), join "\n", '', @missed[0 .. ($#missed < 9 ? $#missed : 9)]);

# ---- the command ----

my ($status, $out) = run('README.md');
is($status, 2, 'a file that is no code object: 2');
like($out, qr/not a 64-bit ELF/, 'and says so');
($status, $out) = run("$build/kernels/gemm/mxfp4_gemm.co", '--kernel nobody');
is($status, 2, 'a kernel that is not there: 2');
($status, $out) = run("$build/kernels/gemm/mxfp4_gemm.co", '--kernel mxfp4_gemm_f32');
like($out, qr/^kernel mxfp4_gemm_f32: \d+ instructions\n  200 VGPRs, 64 AGPRs: 1 waves/m,
	'registers and waves of a kernel');
unlike($out, qr/mxfp4_gemm_bf16/, 'of the one that was named');
done_testing;
