# What the tests of the command line share: running things, and kernels compiled on the spot.
use strict;
use warnings;
use File::Temp qw(tempdir);
use Test::More;
require './tests/files.pl';

our $build   = $ENV{BUILD} // 'build';
our $mxcheck = "$build/mxcheck";
our $dir     = tempdir(CLEANUP => 1);
our ($status, $out, $err);

# Runs a command: its exit status in $status, what it printed in $out and $err.
sub run {
	my $redirect = 'exec "$@" >"$0/out" 2>"$0/err" </dev/null';
	$status = system('sh', '-c', $redirect, $dir, @_) >> 8;
	$out    = slurp("$dir/out");
	$err    = slurp("$dir/err");
	return $status;
}

sub mxcheck { return run($mxcheck, @_) }

# The kinds of the findings in a report, each once, in order.
sub kinds {
	my %seen;
	my @all = $_[0] =~ /^(?:#   |      )([a-z-]+): /mg;
	return grep { !/^(race|reproduce|mix|diagnosis|pattern)$/ && !$seen{$_}++ } @all;
}

# Compiles and links a kernel as cases/README.md and the README tell the reader to.
sub compile {
	my ($source, $co, $arch) = @_;
	return compile_with($source, $co, '-O2', '-mcpu=' . ($arch // 'gfx950'));
}

sub assemble_file {
	my ($source, $co) = @_;
	chomp(my $llvm = `ci/llvm.sh`);
	run("$llvm/llvm-mc", '-triple=amdgcn-amd-amdhsa', '-mcpu=gfx950', '-filetype=obj', $source,
		'-o', "$co.o") == 0
		and run("$llvm/ld.lld", '-shared', "$co.o", '-o', $co) == 0
		or BAIL_OUT("$source: $err");
	return $co;
}

sub compile_with {
	my ($source, $co, @options) = @_;
	chomp(my $llvm = `ci/llvm.sh`);
	my @target = ('--target=amdgcn-amd-amdhsa', '-mcpu=gfx950');
	run("$llvm/clang", '-x', 'c', '-std=gnu11', @target, '-nogpulib', '-ffreestanding', @options,
		'-c', $source, '-o', "$co.o") == 0
		and run("$llvm/ld.lld", '-shared', "$co.o", '-o', $co) == 0
		or BAIL_OUT("$source: $err");
	return $co;
}

1;
