#!/usr/bin/perl
# The code for the host builds without a warning by the clang that compiles the kernels: here the
# files that use what compilers differ in. MXCHECK_LONG: all files, by gcc and every clang from 14
# on that is installed, without optimisation, for x86-64-v2, and for this machine.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

my $differs = qr/\btarget\(|\b__clang__\b|\b__builtin_cpu|<immintrin\.h>/;
my @sources = glob '{ref/num,ref/mma,ref/isa,ref/hip,kernels,cases,oracle,oracle/exact,fuzz,ci}/*.c';

sub builds {
	my ($compiler, $options, @files) = @_;
	my @objects = map { "$dir/host/" . s/c$/o/r } @files;
	run('make', '-s', '-j2', "B=$dir/host", "CC=$compiler", "OPT=$options", 'SAN=', @objects);
	my @notes = grep { !/^  CC / } split /\n/, $out;
	is("$status $err" . join('', @notes), '0 ',
		"$compiler $options builds " . @files . ' files without a warning');
	run('rm', '-rf', "$dir/host");
}

chomp(my $llvm = `ci/llvm.sh`);
my @some = grep { slurp($_) =~ $differs } @sources;
cmp_ok(@some, '>', 5, 'files use what compilers differ in');
builds("$llvm/clang", '-O0 -march=x86-64-v2', @some);
if ($ENV{MXCHECK_LONG}) {
	for my $compiler ('gcc', "$llvm/clang", map { "clang-$_" } 14 .. 30) {
		next if run('sh', '-c', 'command -v "$0"', $compiler);
		builds($compiler, $_, @sources, glob 'fuzz/targets/*.c')
			for '-O0', '-O2 -march=x86-64-v2', '-O3 -march=native';
	}
}
done_testing();
