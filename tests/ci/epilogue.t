#!/usr/bin/perl
# Cases with an epilogue: what passes and fails under each judge that allows one, and what is refused.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $dir, $status, $out, $err);

my $good = "$build/kernels/gemm/mxfp8_epilogue.co";
my $text = slurp('cases/gemm/mxfp8_epilogue.yaml');
my $c_in = '  - {name: C,    role: c_in,      type: bf16, rows: M, cols: N}';

# The case with some of its text replaced.
sub judge {
	my ($run, $co, @edits) = @_;
	my ($edited, @options) = ($text);
	while (my ($from, $to) = splice @edits, 0, 2) {
		my $at = index $edited, $from;
		BAIL_OUT("'$from' is not in the case") if $at < 0;
		substr($edited, $at, length $from) = $to;
	}
	return mxcheck('run', '--case', spew("$dir/case.yaml", $edited), '--co', $co,
		"gemm/mxfp8_epilogue/$run");
}

my ($exact, $general, $special) = qw(65x63x288/exact 64x96x512/general 33x130x480/special);

# ---- what passes ----

my @bound = ('verdict: {judge: bits, profile: block32, mma_k: 128}' => 'verdict: {judge: bound}');
for ($general, $special) {
	is(judge($_, $good, @bound), 0, "judge bound, $_") or diag $out, $err;
	like($out, qr/any order and epilogue, .* of it used at most/, 'the report names the bound');
}
is(judge($general, "$build/kernels/broken/bias_of_rows.co", @bound), 1, 'and flags a wrong bias');
like($out, qr/out-of-bound: D\[0\]\[1\]/, 'at its location') or diag $out;

my @in_place = ("$c_in\n" => '', 'guard: 32}' => 'guard: 32, data: regime}',
	'offset: 40, type: ptr, value: C' => 'offset: 40, type: ptr, value: D');
for ($exact, $general, $special) {
	is(judge($_, $good, @in_place), 0, "C in place of the output, $_") or diag $out, $err;
}
is(judge($exact, $good, @in_place, 'type: f32, value: beta' => 'type: f32, value: 0'), 1,
	'it fails if the kernel gets beta 0');
like($out, qr/diagnosis: as if beta C were not added/, 'and the diagnosis has the reason') or diag $out;

my @rows = ('role: bias_cols, type: f32,  rows: 1, cols: N' => 'role: bias_rows, type: f32,  rows: 1, cols: M');
is(judge('64x96x512/general', "$build/kernels/broken/bias_of_rows.co", @rows), 0,
	'a bias of rows, of which this kernel reads N') or diag $out, $err;

is(judge($exact, $good, 'order: fma_beta' => 'order: once'), 0,
	'in the exact regime every order is right')
	or diag $out, $err;

# ---- what is refused ----

sub is_refused {
	my ($sentence, $run, $want, @edits) = @_;
	judge($run, $good, @edits);
	ok($status == 2 && $err =~ /\A[^\n]+\n\z/ && index($err, $want) >= 0 && $out !~ /^pass/m,
		"$sentence is refused: $want") or diag "exit $status\n$out$err";
}

is_refused('an unknown order', $exact, ":7: order: 'fma' is not one of mul_add, fma_beta, ", 'order: fma_beta' => 'order: fma');
is_refused('an alpha that is NaN', $exact, ":7: epilogue.alpha: 'nan' is not a finite f32", 'alpha: 0.75' => 'alpha: nan');
is_refused('beta without C', $exact, ':7: epilogue.beta: no buffer has role c_in', "$c_in\n" => '');
is_refused('a bias that is too short', $exact, ": buffers[5]: BIAS is 1 x 62, its role requires 1 x 63",
	'rows: 1, cols: N' => 'rows: 1, cols: N - 1');
is_refused('an argument that is not a number', $exact, ": kernarg[11].value: unknown name 'gamma'",
	'value: beta' => 'value: gamma');
is_refused('judge set', $exact, ':7: epilogue: judge set has no epilogue',
	'judge: bits,' => 'judge: set, splits: 1, k_split: K,');
is_refused('an epilogue of groups', $exact, 'epilogue: a case with groups has no epilogue',
	'buffers:' => "groups: {rows: [M], padding: free}\nbuffers:");
is_refused('an alpha of many digits in the exact regime', $exact,
	'K = 288 is too long for the exact regime with this alpha', 'alpha: 0.75' => 'alpha: 0.1');
is(judge($general, $good, 'alpha: 0.75' => 'alpha: 0.1', 'beta: -1.25' => 'beta: 1e-3'), 0,
	'outside the exact regime it is allowed') or diag $out, $err;
is_refused('random bits for C in the exact regime', $exact,
	'data are not in the exact regime: epilogue of element [0][', $c_in => $c_in =~ s/}/, data: random}/r);

done_testing();
