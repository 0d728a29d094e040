#!/usr/bin/perl
# A family of kernels in one case: variants, their sizes, and the folder of their code objects.
use strict;
use warnings;
use Test::More;
use File::Copy;
require './tests/ci/gate.pl';
our ($build, $dir, $status, $out, $err);

my $case = spew("$dir/family.yaml", <<'END');
name: family
external: true
kernel: copy_lines
variants:
  - {name: narrow, code: some/narrow.co, sizes: {C: 9}}
  - {name: wide,   code: some/wide.co,   sizes: {C: 64}}
  - {name: turned, code: some/turned.co, kernel: transpose, sizes: {C: 5}}
grid: [R]
block: [64]
buffers:
  - {name: S, role: none, type: bf16, rows: R, cols: C}
  - {name: T, role: none, type: bf16, rows: R, cols: C, of: S}
kernarg:
  - {offset: 0,  type: ptr, value: S}
  - {offset: 8,  type: ptr, value: T}
  - {offset: 16, type: u32, value: C}
  - {offset: 20, type: u32, value: 2 * C}
  - {offset: 28, type: u32, value: 2 * C}
kernarg_size: 40
verdict: {judge: repack}
runs:
  - {sizes: {R: 3}, regime: general}
  - {sizes: {R: 7}, regime: general}
END
my @run = ('run', '--case', $case);
mkdir "$dir/code";
is(mxcheck(@run, '--code', "$dir/code"), 2, 'without any code object there is nothing to run');
like($err, qr/no code object of the 6 selected runs is here; --code DIR names the folder/, 'says why');

# The folder may be flat, have the folders of `code`, or others.
mkdir "$dir/code/some";
copy("$build/tests/ci/repack.gpu.co", $_) or die $! for "$dir/code/narrow.co", "$dir/code/some/wide.co";
is(mxcheck(@run, '--code', "$dir/code"), 0, 'variants with a code object run') or diag $out, $err;
is_deeply([ $out =~ /^pass  (\S+) .*bytes (\d+)/mg ],
	[ 'family/narrow/R=3/general', 54, 'family/wide/R=3/general', 384,
	  'family/narrow/R=7/general', 126, 'family/wide/R=7/general', 896 ], 'with their own sizes') or diag $out;
like($out, qr/^4 passed, 0 failed, 2 skipped without their code object,/m, 'and the others are counted');
mkdir "$dir/code/$_" for 'a', 'a/b';
copy("$build/tests/ci/repack.gpu.co", "$dir/code/a/b/turned.co") or die $!;
is(mxcheck(@run, '--code', "$dir/code", 'family/turned/R=3/*'), 3, 'a variant may have its own kernel');
like($out, qr/transpose\+0x/, 'which ran');
mxcheck(@run, '--code', "$dir/code", '--shape', 'R=2', 'family/turned/R=3/*');
like($out, qr{reproduce: .* --shape R=2 --regime general 'family/turned/R=2/general'$}m, 'and alone is reproduced at another shape');
like($out, qr/reproduce: \S+ run --case '\S+' --code '\S+' --device/, 'and is reproduced with the folder');

is(mxcheck(@run, '--code', "$dir/none"), 2, 'a folder that is absent is refused');
like($err, qr{--code \S+/none: not a folder that can be read}, 'by its name');
is(mxcheck(@run, '--code', $dir, '--co', "$dir/code/narrow.co"), 2, '--co and --code exclude each other');
done_testing();
