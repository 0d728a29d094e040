#!/usr/bin/perl
# A program that was linked with a library whose symbols have AMD's versions, run on libmxhip.so.
use strict;
use warnings;
use Cwd 'abs_path';
use File::Temp 'tempdir';
use Test::More;
require './tests/files.pl';

my $build = abs_path($ENV{BUILD} || 'build');
plan skip_all => 'libmxhip.so is built with sanitizers' if $ENV{SAN};

my $dir = tempdir(CLEANUP => 1);
my %version = (
	hipGetDeviceCount => 'hip_4.2',
	hipStreamIsCapturing => 'hip_4.3',
	hipGraphGetNodes => 'hip_4.4',
	hipGraphNodeGetType => 'hip_4.5',
	hipPointerGetAttribute => 'hip_5.0',
	hipMallocAsync => 'hip_5.1',
	hipLaunchHostFunc => 'hip_5.3',
	hipGetDevicePropertiesR0600 => 'hip_6.0',
	hipGetProcAddress => 'hip_6.1',
	hipGetFuncBySymbol => 'hip_6.2',
	hipEventRecordWithFlags => 'hip_6.4',
	hipDrvLaunchKernelEx => 'hip_6.5',
);
my @names = sort keys %version;

# Stands for AMD's library; the weak function is one that libmxhip.so lacks.
my %all = (%version, hipOfAnotherVersion => 'hip_7.2');
spew("$dir/stub.c", join '', map { "int $_(void) { return 1; }\n" } keys %all);
spew("$dir/stub.map", join '', map { "$all{$_} { global: $_; };\n" } keys %all);
spew("$dir/program.c", join '', "#include <stdio.h>\n",
	(map { "int $_(void *, ...);\n" } @names),
	"__attribute__((weak)) int hipOfAnotherVersion(void *);\n",
	"int main(void) {\n\tint n = 0;\n\tvoid *all[] = { ", (map { "(void *)$_, " } @names), "};\n",
	"\tint e = hipGetDeviceCount(&n);\n",
	"\tprintf(\"%d %d %d\\n\", e, n, (int)(sizeof all / sizeof *all));\n",
	"\treturn hipOfAnotherVersion ? hipOfAnotherVersion(0) : 0;\n}\n");
system("cc -shared -fPIC $dir/stub.c -o $dir/libamdhip64.so.7 -Wl,-soname,libamdhip64.so.7 " .
	"-Wl,--version-script=$dir/stub.map && cc -w $dir/program.c -o $dir/program $dir/libamdhip64.so.7") == 0
	or BAIL_OUT('cc');
unlink "$dir/libamdhip64.so.7";
symlink "$build/libmxhip.so", "$dir/libamdhip64.so.7";
is(`LD_BIND_NOW=1 LD_LIBRARY_PATH=$dir $dir/program 2>&1`, '0 1 ' . @names . "\n",
	'it starts, without a warning');
is($?, 0, 'and finds each symbol in its version');
done_testing;
