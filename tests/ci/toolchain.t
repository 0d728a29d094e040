#!/usr/bin/perl
# Without a clang for gfx950 make prints one line and leaves no partial file.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

# A machine without clang: a ci/package/llvm.sh that searches folders that do not exist, and a PATH
# without clang.
run('sh', '-c', 'mkdir "$0/tree" "$0/bin" && cp -r Makefile ci kernels cases ref "$0/tree"', $dir) == 0
	or BAIL_OUT($err);
my $llvm = slurp('ci/package/llvm.sh') =~ s{/(?:usr|opt)/}{/no/such/}gr;
spew("$dir/tree/ci/package/llvm.sh", $llvm);
symlink $_, "$dir/bin/" . s{.*/}{}r for grep { !/clang|lld/ } glob '/bin/* /usr/bin/*';

for my $goal ('kernels', 'fuzz-targets') {
	run('env', '-u', 'MXCHECK_LLVM', "PATH=$dir/bin", 'make', '-C', "$dir/tree",
		'--no-print-directory', '-j2', "B=$dir/made", $goal);
	is($status, 2, "make $goal fails without a clang for gfx950") or diag $out;
	like($err, qr/\A[^\n]*no clang and lld of version 20 or newer[^\n]*set MXCHECK_LLVM[^\n]*\n\z/,
		'  with one line');
}
is_deeply([ glob "$dir/made/kernels/*/*.co*" ], [], '  and leaves no code object');
done_testing();
