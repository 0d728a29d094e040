#!/usr/bin/perl
# The table of mutants by kernel (kernels/mutants.pl), of a build with one kernel and two cases. The
# case with beta 0 does not load C.
use strict;
use warnings;
use File::Copy qw(cp);
use File::Path qw(make_path);
use Test::More;
require './tests/ci/gate.pl';
our ($build, $dir, $out, $err);

sub table { return run('perl', 'kernels/mutants.pl', "$dir/build") }

make_path("$dir/build/kernels/gemm", "$dir/cases/gemm");
cp("$build/$_", "$dir/build/$_") or BAIL_OUT("$_: $!") for 'mxcheck', 'libmxhip.so', 'kernels/gemm/mxfp8_epilogue.co';
cp("cases/gemm/mxfp8_epilogue0.yaml", "$dir/cases/gemm") or BAIL_OUT($!);
is(table(), 1, 'mutants that no run reaches fail') or diag $out, $err;
like($out, qr/^\| `mxfp8_epilogue` \| \d+ \| \d+ \| 0 \| 0 \| 0 \| 12 \| reached \|$/m, '  and are counted') or diag $out, $err;
like($out, qr/^not reached: mxfp8_epilogue\+0x[0-9a-f]+ s_waitcnt vmcnt/m, '  and named');

cp("cases/gemm/mxfp8_epilogue.yaml", "$dir/cases/gemm") or BAIL_OUT($!);
is(table(), 0, 'with a case that reaches them, all are judged') or diag $out, $err;
like($out, qr/^\| `mxfp8_epilogue` \| \d+ \| \d+ \| 0 \| 0 \| 0 \| 0 \| reached \|$/m, '  and none is left') or diag $out, $err;

cp("$build/kernels/gemm/mxfp8_scratch.co", "$dir/build/kernels/gemm") or BAIL_OUT($!);
is(table(), 1, 'a kernel without a run fails');
like($out, qr/^no run of mxfp8_scratch$/m, '  and is named') or diag $out, $err;
like($out, qr/^no run goes through the loop of mxfp8_scratch$/m, '  with its loop');
like($out, qr/^\| `mxfp8_scratch` .* \| not reached \|$/m, '  in the table, too');
done_testing();
