# Shared by the tests of the command line: running commands, compiling kernels.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Temp qw(tempdir);
use Test::More;
require './tests/files.pl';
require './tests/tiers.pl';

our $build   = $ENV{BUILD} // 'build';
our $mxcheck = "$build/mxcheck";
our $dir     = tempdir(CLEANUP => 1);
our ($status, $out, $err);

# Runs a command: its exit status in $status (128 + the signal that killed it, as in a shell), its
# output in $out and $err.
sub run {
	my $child = fork // die "fork: $!";
	if (!$child) {
		open STDIN, '<', '/dev/null' and open STDOUT, '>', "$dir/out" and open STDERR, '>', "$dir/err"
			and exec { $_[0] } @_;
		exec 'sh', '-c', 'echo "$0: cannot be run"; exit 127', $_[0];
	}
	waitpid $child, 0;
	$status = $? & 127 ? 128 + ($? & 127) : $? >> 8;
	$out    = slurp("$dir/out");
	$err    = slurp("$dir/err");
	return $status;
}

sub mxcheck { return run($mxcheck, @_) }

# The kinds of the findings in a report, each once, in order.
sub kinds {
	my %seen;
	my @all = $_[0] =~ /^(?:#   |      )([a-z-]+): /mg;
	return grep { !/^(race|reproduce|mix|diagnosis|pattern|kernarg)$/ && !$seen{$_}++ } @all;
}

# Compiles and links a kernel with the commands of the README and of cases/README.md.
sub compile {
	my ($source, $co, $arch) = @_;
	return compile_with($source, $co, '-O2', '-mcpu=' . ($arch // 'gfx950'));
}

sub assemble_file {
	my ($source, $co, $arch) = @_;
	my $llvm = llvm();
	run("$llvm/llvm-mc", '-triple=amdgcn-amd-amdhsa', '-mcpu=' . ($arch // 'gfx950'), '-filetype=obj', $source,
		'-o', "$co.o") == 0
		and run("$llvm/ld.lld", '-shared', "$co.o", '-o', $co) == 0
		or BAIL_OUT("$source: $err");
	return $co;
}

sub compile_with {
	my ($source, $co, @options) = @_;
	my $llvm = llvm();
	my @target = ('--target=amdgcn-amd-amdhsa', '-mcpu=gfx950');
	run("$llvm/clang", '-x', 'c', '-std=gnu11', @target, '-nogpulib', '-ffreestanding', @options,
		'-c', $source, '-o', "$co.o") == 0
		and run("$llvm/ld.lld", '-shared', "$co.o", '-o', $co) == 0
		or BAIL_OUT("$source: $err");
	return $co;
}

# Makes a HIP runtime that mxcheck takes for a real device: tests/kernels/slow_hip.c in
# LD_LIBRARY_PATH=$dir.
sub make_slow_hip {
	run('cc', '-shared', '-fPIC', '-o', "$dir/libamdhip64.so.7", 'tests/kernels/slow_hip.c', '-L',
		$build, '-Wl,--no-as-needed', '-l:libmxhip.so', '-Wl,-rpath,' . abs_path($build)) == 0
		or BAIL_OUT($err);
}

1;
