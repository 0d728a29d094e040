#!/usr/bin/perl
# A HIP program with <<<>>>, compiled by clang and linked with libmxhip.so in place of AMD's runtime.
use strict;
use warnings;
use Cwd 'abs_path';
use File::Temp 'tempdir';
use Test::More;
require './tests/files.pl';

my $build = abs_path($ENV{BUILD} || 'build');
my $llvm = llvm();
plan skip_all => 'no clang 20 or newer' unless $llvm && -x "$llvm/clang";
plan skip_all => 'libmxhip.so is built with sanitizers' if $ENV{SAN};

my $dir = tempdir(CLEANUP => 1);
my $hip = "$llvm/clang -x hip --offload-arch=gfx950 -nogpulib -nogpuinc";

sub run {
	my ($command) = @_;
	my $said = `$command 2>&1`;
	return $? ? diag("$command: $said") && undef : $said;
}

for my $level ('-O1', '-O2', '-O3') {
	run("$hip $level --cuda-device-only --no-gpu-bundle-output tests/hip/saxpy.hip -o $dir/code");
	spew("$dir/bundle", hip_bundle(slurp("$dir/code")));
	run("$hip $level --cuda-host-only -Xclang -fcuda-include-gpubinary -Xclang $dir/bundle " .
		"-c tests/hip/saxpy.hip -o $dir/saxpy.o");
	run("cc $dir/saxpy.o -L$build -lmxhip -Wl,-rpath,$build -o $dir/saxpy");
	is(run("$dir/saxpy"), "1000 of 1000 right, 2 launches\n", "a HIP program at $level runs as it is");
}
is(run("MXCHECK_CPU=avx $dir/saxpy") =~ s/ is not .*//r,
	"libmxhip: ignored: MXCHECK_CPU: 'avx'\n1000 of 1000 right, 2 launches\n",
	'an MXCHECK_CPU that it does not have is ignored with one line');
done_testing;
