#!/usr/bin/perl
# Runs of some tiles: matrices above 4 GiB pass on a right kernel, and what cannot have tiles says why.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $status, $out, $err, $dir);

is(mxcheck('gemm/mxfp4_f32/33554560x16x256/exact', 'gemm/mxfp8_f32/8191x524353x8192/exact'), 0,
	'right kernels pass on matrices above 4 GiB') or diag $out, $err;
like($out, qr/^2 passed, 0 failed/m, '  both');
like($out, qr/^numbers rest on: .*; 24 tiles, 24 of 262145 workgroups/m, '  the verdict says how much ran');
is(mxcheck('--require-proof', 'gemm/mxfp4_f32/33554560x16x256/exact'), 3, 'nothing is proved of the others');
like($out, qr/not-proved: .*: only some of the workgroups ran/, '  with that reason') or diag $out;
is(mxcheck('--require-proof', '--tiles', 32, 'gemm/mxfp4_f32/128x128x288/exact'), 0, 'tiles that are all of the matrix are proved') or diag $out;
is(mxcheck('run', '--case', 'cases/gemm/mxfp4_f32.yaml', '--shape', '4194305,200,32', '--regime', 'general',
	'--tiles', 3, 'gemm/mxfp4_f32/64x64x256/*'), 0, '--tiles makes tiles of any run') or diag $out, $err;
like($out, qr/; 3 tiles, 3 of 65538 workgroups\]/, '  so many');
is(mxcheck('run', '--case', 'cases/gemm/mxfp4_f32.yaml', '--co', "$build/kernels/broken/wrapped_loads.co", '--shape', '33554560,16,256',
	'--tiles', 3, 'gemm/mxfp4_f32/33x128x512/*'), 1, 'a failure of tiles') or diag $err;
my ($line) = $out =~ /^ *reproduce: (.*)$/m;
like($line, qr/ --tiles 3 /, '  is reproduced with as many') or diag $out;
is(run('sh', '-c', $line // 'false'), 1, '  by the printed command');

# ---- what has no tiles ----

sub refused {
	my ($why, $edit, @args) = @_;
	my $text = slurp('cases/gemm/mxfp4_f32.yaml') =~ s/^runs:\n.*\z/runs:\n  - {M: 256, N: 200, K: 64, regime: exact, tiles: 2}\n/msr;
	my $before = $text;
	$edit->() for $text;
	BAIL_OUT("no edit for $why") if $text eq $before && !@args;
	is(mxcheck('run', '--case', spew("$dir/case.yaml", $text), @args), 2, "refused: $why");
	like($err, qr/^mxcheck: .*\Q$why\E/m, '  with the reason') or diag $out;
}
my $none = sub { };
refused('the contract gives M no axis of the grid', sub { s/axis: y/stages: 1/ });
refused('M and N have the same axis', sub { s/axis: y/axis: x/; s/M: 256/M: 200/; s/^(grid: \[)"ceildiv\(N, 128\)"/$1"ceildiv(M, 128)"/m });
refused('has 2 tiles of 128, and its axis z of the grid 1 workgroups', sub { s/axis: y/axis: z/ });
refused('the regime special plants whole rows', sub { s/exact, tiles/special, tiles/ });
refused('the judge is none of bits, bound and set', sub { s/judge: bits, profile: block32, mma_k: 128, k_tile: 256/judge: close, atol: 1/ });
refused('A has a key data', sub { s/(name: A,.*)\}/$1, data: zero}/ });
refused('C has a layout', sub { s/(name: C,.*)\}/$1, layout: row_major}/ });
refused('--baseline base.yaml: not with --tiles', $none, '--tiles', 3, '--baseline', 'base.yaml');
refused('contract.sizes[0]: axis without tile', sub { s/tile: 128, axis: y/axis: y/ });
refused('runs[0].tiles: not 0 to 32', sub { s/tiles: 2/tiles: 33/ });
refused('a run of some tiles is not compared with others', $none, '--race', 2);
refused('is a run of some tiles', $none, '--save', "$dir/saved");
refused('--tiles 33: not a number from 1 to 32', $none, '--tiles', 33);

refused('the axis z of the grid has 2 workgroups, not one for each of 6 groups',
	sub { $_ = slurp('cases/foreign/mxfp8_grouped.yaml') =~ s/, G\]/, 2]/r =~ s/exact, /exact, tiles: 2, /r });
for ([ 'gemm/mxfp8_persistent', 'the contract gives M no axis of the grid' ], [ 'sequence/quantise_both', 'the case has steps' ]) {
	is(mxcheck('run', '--case', "cases/$_->[0].yaml", '--tiles', 2), 2, "refused: tiles of $_->[0]");
	like($err, qr/: tiles: $_->[1]$/m, '  with the reason') or diag $err;
}

# ---- layouts and epilogues ----

# A run of tiles of a case without its limits, by its code object or another.
sub tiles {
	my ($case, $shape, $co) = @_;
	my $text = slurp("cases/$case.yaml") =~ s/^  limits:.*\n(?:    - .*\n)+//mr;
	return mxcheck('run', '--case', spew("$dir/case.yaml", $text), $co ? ('--co', "$build/$co") : (), '--shape', $shape, '--regime', 'exact', '--tiles', 24, "$case/32x*/exact");
}

my ($packed, $added) = ('foreign/mxfp4_preshuffled', 'gemm/mxfp8_epilogue');
is(tiles($packed, '4194303,128,32,FILL_A=127'), 0, 'tiles of operands with layouts') or diag $out, $err;
is(tiles($packed, '4194303,128,160,FILL=poison'), 0, '  and padding that is never written') or diag $out, $err;
like($out, qr/bits 24[0-9]{3}\/24[0-9]{3} .*; 24 tiles, 24 of/, '  are judged');
is(tiles($packed, '8388736,128,32'), 3, '  from 4 GiB of C on the offsets wrap') or diag $out, $err;
is(tiles($packed, '4194303,128,32', 'tests/ci/valid_width.gpu.co'), 3, '  and the valid width of scales is wrong') or diag $out, $err;
is(tiles($added, "8388736,128,32$_"), 0, "tiles of an epilogue$_") or diag $out, $err for '', ',BETA=0', ',ALPHA=-1';
is(tiles($added, '8388736,128,32,BETA=0', 'kernels/broken/zero_times_c.co'), 1, '  with a C of NaN where beta is 0') or diag $out, $err;
is(tiles($added, '8388736,128,32', 'kernels/broken/bias_of_rows.co'), 1, '  and a bias') or diag $out, $err;

# ---- groups and splits of K ----

is(mxcheck('run', '--case', 'cases/gemm/mxfp4_splitk_ordered.yaml', '--shape', '16777280,128,512,SPLITS=2', '--tiles', 2, '*/257x*'), 0,
	'tiles of an ordered split-K with 32 GiB of parts') or diag $out, $err;
like($out, qr/; 2 tiles, 4 of 131074 workgroups/, '  with all their splits');
is(mxcheck('run', '--case', 'cases/gemm/mxfp4_splitk_onto_bf16.yaml', '--shape', '33554560,64,512,SPLITS=2', '--tiles', 2, '*/64x*'), 0,
	'tiles of atomics onto a random C') or diag $out, $err;
mxcheck('run', '--case', 'cases/gemm/mxfp4_f32.yaml', '--shape', '1,1,32', '--tiles', 2, '--regime', 'exact', 'gemm/mxfp4_f32');
like($out, qr/; 1 tile, 1 of 1 workgroups/, 'a matrix of one tile');
is(mxcheck('fuzz', '--count', 24, '--regress', "$dir/regress", '--case', 'cases/foreign/mxfp8_grouped.yaml', '--co', "$build/tests/ci/wrapped_groups.gpu.co"), 3,
	'fuzzing finds a group beyond 2^32 bytes of A') or diag $out, $err;
like($out, qr{^FAIL  foreign/mxfp8_grouped/\d+x1x32,groups=\d+\+}m, '  and makes it small') or diag $out;

done_testing();
