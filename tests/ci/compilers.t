#!/usr/bin/perl
# The host code builds without a warning with gcc and every installed clang from 14 on, without
# optimisation, for x86-64-v2, and for this machine; then the tests of the float and matrix
# instructions run. All under MXCHECK_LONG.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

plan skip_all => 'MXCHECK_LONG is not set' unless $ENV{MXCHECK_LONG};

my @objects = map { s/c$/o/r } glob '{ref/num,ref/mma,ref/isa/*,ref/codeobject,ref/hip,kernels/host,cases,oracle,oracle/exact,fuzz/hunt,fuzz/mutation,ci/*}/*.c';

sub builds {
	my ($compiler, $options, @files) = @_;
	my @goals = map { "$dir/host/$_" } @files;
	run('make', '-s', '-j2', "B=$dir/host", "CC=$compiler", "OPT=$options", 'SAN=', @goals);
	my @notes = grep { !/^  (?:CC|AR|TEST) / } split /\n/, $out;
	is("$status $err" . join('', @notes), '0 ',
		"$compiler $options builds " . @files . ' files without a warning');
}

my @run = qw(isa/float isa/transcendental isa/quotient mma/dense);
for my $compiler ('gcc', map { "clang-$_" } 14 .. 30) {
	next if run('sh', '-c', 'command -v "$0"', $compiler);
	for my $options ('-O0', '-O2 -march=x86-64-v2', '-O3 -march=native') {
		run('rm', '-rf', "$dir/host");
		builds($compiler, $options, @objects, map { s/c$/o/r } glob 'fuzz/targets/*.c');
		builds($compiler, $options, map { "tests/${_}_test.t" } @run);
		is(run("$dir/host/tests/${_}_test.t"), 0, "  and its ${_}_test passes") or diag $out for @run;
	}
}
done_testing();
