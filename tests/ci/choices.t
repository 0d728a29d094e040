#!/usr/bin/perl
# Choices of a contract: what else a key of the case may have. A kernel that is wrong for one of them
# is found by fuzzing with the choice, and passes without it.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $status, $out, $err, $dir);

my $regress = "$dir/regress";

sub fuzz { return mxcheck('fuzz', '--regress', $regress, '--count', is_long() ? 96 : 32, @_) }

sub without_choices { return $_[0] =~ s/^ +- \{name: \w+, +of: [^\n]*\n//mgr }

my %case = (
	quantise => <<'END',
name: quantise
kernel: quantise
grid: ["ceildiv(M * K / 32, 64)"]
block: [64]
buffers:
  - {name: X,  role: none,    type: f32,  rows: M, cols: K}
  - {name: A,  role: a,       type: e2m1, rows: M, cols: K, of: X, recipe: floor}
  - {name: SA, role: a_scale, type: e8m0, rows: M, cols: K / 32}
kernarg:
  - {offset: 0,  type: ptr, value: X}
  - {offset: 8,  type: ptr, value: A}
  - {offset: 16, type: ptr, value: SA}
  - {offset: 24, type: u32, value: M * K / 32}
  - {offset: 28, type: u32, value: RECIPE}
contract:
  sizes:
    - {name: N, max: 1}
    - {name: K, min: 32, multiple: 32}
    - {name: RECIPE, of: A.recipe, values: [even]}
verdict: {judge: repack}
runs:
  - {M: 5, N: 1, K: 64, regime: general}
END
	pack_rows => <<'END',
name: pack_rows
kernel: pack_rows
grid: ["roundup(R, 32)"]
block: [64]
let:
  - {name: PAD, value: 0}
  - {name: LD,  value: C + PAD}
buffers:
  - {name: S, role: none, type: e8m0, rows: R, cols: C, ld: LD}
  - {name: T, role: none, type: e8m0, rows: R, cols: C, layout: s32x8, fill: 0, of: S}
kernarg:
  - {offset: 0,  type: ptr, value: S}
  - {offset: 8,  type: ptr, value: T}
  - {offset: 16, type: u32, value: R}
  - {offset: 20, type: u32, value: C}
  - {offset: 24, type: u32, value: LD}
  - {offset: 28, type: u32, value: LAYOUT}
  - {offset: 32, type: u32, value: 127 * FILL}
contract:
  sizes:
    - {name: R, tile: 32}
    - {name: C, tile: 8}
    - {name: LAYOUT, of: T.layout, values: [flydsl_32]}
    - {name: WIDE,   of: PAD,      values: [1, 16]}
    - {name: FILL,   of: T.fill,   values: [127]}
verdict: {judge: repack}
runs:
  - {sizes: {R: 33, C: 9}, regime: general}
END
);

# ---- each choice: a kernel that is wrong for it alone, and the smallest shape ----

my @found = (
	# case, kernel of its own or code object, finding, shape
	[ 'quantise',  'quantise_quarter', 'wrong-bytes', '1x1x64,RECIPE=even' ],
	[ 'pack_rows', 'pack_wide',   'out-of-bounds-write', 'R=1,C=1,LAYOUT=flydsl_32' ],
	[ 'pack_rows', 'pack_packed', 'uninitialised',       'R=2,C=1,WIDE=1' ],
	[ 'pack_rows', 'pack_zeros',  'wrong-bytes',         'R=1,C=1,FILL=127' ],
	[ 'cases/gemm/mxfp8_epilogue.yaml', 'kernels/broken/zero_times_c.co', 'wrong-bits', '1x1x32,BETA=0' ],
	[ 'cases/gemm/mxfp8_epilogue.yaml', 'tests/ci/alpha_skips_c.gpu.co', 'wrong-bits', '1x1x32,ALPHA=0' ],
	[ 'cases/foreign/mxfp4_preshuffled.yaml', 'tests/ci/padding_scaled.gpu.co', 'uninitialised', '1x1x32,FILL=poison' ],
	[ 'cases/foreign/mxfp4_preshuffled.yaml', 'tests/ci/padding_scaled.gpu.co', 'out-of-tolerance', '2x1x32,FILL_A=127,FILL_B=127,FILL=random' ],
);
push @found, [ 'cases/gemm/mxfp4_splitk.yaml', 'tests/ci/four_splits.gpu.co', 'outside-set', '1x2x544,SPLITS=5', 8 ] if is_long();

for (sort keys %case) {
	is(fuzz('--case', spew("$dir/$_.yaml", $case{$_}), '--co', "$build/tests/ci/choices.gpu.co"), 0, "$_ passes with all choices") or diag $out, $err;
}
for (@found) {
	my ($file, $kernel, $kind, $shape, $count) = @$_;
	my $own = $case{$file};
	my $text = $own ? $own =~ s/^kernel: .*/kernel: $kernel/mr : slurp($file);
	$text =~ s/^verdict: .*/verdict: {judge: close, rtol: 0.01, atol: 1}/m, $text =~ s/^.* special, .*\n//m if $kernel =~ m{padding_scaled}; # -0 is as good as 0
	my $co = $own ? "$build/tests/ci/choices.gpu.co" : "$build/$kernel";
	my $plain = without_choices($text) =~ s/value: RECIPE|value: LAYOUT|value: 127 \* FILL/value: 0/gr;
	is(fuzz('--case', spew("$dir/plain.yaml", $plain), '--co', $co, '--count', is_long() ? 96 : 16), 0, "$kernel passes without choices") or diag $out, $err;
	isnt(fuzz('--case', spew("$dir/chosen.yaml", $text), '--co', $co, $count ? ('--count', $count) : ()), 0, '  and is found with them');
	my ($again) = $out =~ m{^FAIL  \S+/\Q$shape\E/\w+\n +$kind: .*\n(?:.*\n){0,2}? +reproduce: (.*)$}m or diag $out, $err;
	isnt(run('sh', '-c', $again // 'true'), 0, "  as $kind at $shape, and reproduced") or diag $out, $err;
	like($out, qr{^FAIL  \S+/\Q$shape\E/}m, '  with this choice') or diag $out;
}

# ---- a run with a choice ----

my $case = 'cases/gemm/mxfp8_epilogue.yaml';
my @broken = ('--co', "$build/kernels/broken/zero_times_c.co");
is(mxcheck('run', '--case', $case, @broken, 'gemm/mxfp8_epilogue/32x32x128/*'), 0, "a run has the case's own values") or diag $out;
is(mxcheck('run', '--case', $case, @broken, '--shape', 'BETA=0', 'gemm/mxfp8_epilogue/32x32x128/*'), 1, '--shape sets another');
like($out, qr{^FAIL  gemm/mxfp8_epilogue/32x32x128,BETA=0/exact }m, '  which is in the name of the run');
for ([ 'BETA=2', 'BETA: not in the contract: 2' ], [ 'GAMMA=1', 'no size GAMMA in this run' ], [ 'M=0', 'M: not a number from 1 to 2^63 - 1: 0' ]) {
	is(mxcheck('run', '--case', $case, '--shape', $_->[0]), 2, "--shape $_->[0] is refused");
	like($err, qr/\Q$_->[1]\E$/m, '  with the reason');
}
my $runs = slurp($case) =~ s/^runs:\n.*\z//msr;
is(mxcheck('run', @broken, '--case', spew("$dir/own.yaml", "${runs}runs:\n  - {M: 2, N: 2, K: 32, sizes: {BETA: 0}, regime: exact}\n")), 1, 'a run of a file has one') or diag $err;
is(mxcheck('run', '--case', spew("$dir/own.yaml", "${runs}runs:\n  - {M: 2, N: 2, K: 32, sizes: {BETA: 2}, regime: exact}\n")), 2, '  of the contract');
like($err, qr/own\.yaml:\d+: sizes: BETA: not in the contract: 2$/, '  with the reason');

my @quantise = ('run', '--case', "$dir/quantise.yaml", '--co', "$build/tests/ci/choices.gpu.co");
is(mxcheck(@quantise, '--shape', 'RECIPE=even'), 0, 'a run with another recipe') or diag $out, $err;
like($out, qr/; A quantised by even\b/, '  names it');

# ---- outside the contract ----

$runs = slurp('cases/gemm/mxfp4_splitk.yaml');
my @empty = ('--shape', '16,16,512,SPLITS=8');
is(mxcheck('run', '--case', spew("$dir/splits.yaml", $runs), @empty), 2, 'splits that the limits exclude are refused');
like($err, qr/outside its contract: \(S - 1\) \* KK - K is 384, must be at most -1$/, '  with the reason');
spew("$dir/splits.yaml", $runs =~ s/^  limits:/  outside: in-bounds\n  limits:/mr);
is(mxcheck('run', '--case', "$dir/splits.yaml", @empty), 0, 'or the kernel stays inside its buffers') or diag $out, $err;
like($out, qr/no numbers judged/, '  and numbers are not judged');
is(fuzz('--case', "$dir/splits.yaml", '--count', 48), 4, '  except for an odd N, where its atomics of two elements fault') or diag $out;
like($out, qr{, [1-9]\d* outside the contract\b.*\n.*\nFAIL  gemm/mxfp4_splitk/\d+x\d*[13579]x32/exact\n +fault: .*, which is not a multiple of 4;}, '  as fuzzing finds') or diag $out;
unlike($out, qr/^ +(?!fault)[a-z-]+: .*mxfp4_splitk_bf16/m, '  and nothing else');

# ---- wrong input ----

for ([ '{name: X, of: gamma, values: [1]}', 'the case does not have what `of` names' ], [ '{name: X, of: Q.fill, values: [1]}', 'the case does not have what' ], [ '{name: X, of: beta}', 'a choice has `of` and `values`' ],
	[ '{name: X, of: beta, values: [a]}', "a: epilogue.beta: 'a' is not a finite f32" ], [ '{name: X, of: beta, values: [-1.25]}', 'values are different words' ], [ '{name: X, of: beta, values: ["1,2"]}', 'values are different words' ],
	[ '{name: X, of: beta, values: [1], tile: 32}', 'a choice has no other keys' ], [ '{name: D, of: beta, values: [1]}', 'its name is taken' ], [ '{name: BETA, of: alpha, values: [1]}, {name: X, of: alpha, values: [2]}', '`of` has a choice already' ]) {
	my ($choice, $why) = @$_;
	my $text = slurp($case) =~ s/^contract:\n(?: .*\n)+/contract: {sizes: [$choice]}\n/mr;
	is(mxcheck('run', '--case', spew("$dir/wrong.yaml", $text)), 2, "$choice is refused");
	like($err, qr/^mxcheck: \S+wrong\.yaml:\d+: contract\.sizes\[\d\]: \Q$why\E/, '  with the place');
}

done_testing();
