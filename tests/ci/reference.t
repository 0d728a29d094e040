#!/usr/bin/perl
# References: right kernels are within the derived bounds, and wrong ones are not.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $dir, $status, $out, $err);

my $co = "$build/tests/ci/reference.gpu.co";

# What each case adds to the head of all; `kernarg` has its values, in order: buffers, and others with
# their type.
my %case = (
	product => <<'END',
grid: [M * N / 64]
buffers:
  - {name: A,  role: none, type: bf16, rows: M, cols: K}
  - {name: SA, role: none, type: f32,  rows: M, cols: 1}
  - {name: B,  role: none, type: e2m1, rows: N, cols: K}
  - {name: SB, role: none, type: e8m0, rows: N, cols: K / 32}
  - {name: BIAS, role: none, type: f32, rows: 1, cols: N}
  - {name: C,  role: none, type: bf16, rows: M, cols: N}
reference: {op: product, a: A, a_scale: SA, a_block: [1, K], b: B, b_scale: SB, b_block: [1, 32], bias: BIAS, c: C}
kernarg: A SA B SB BIAS C u32:N u32:K u32:0
runs:
  - {M: 8, N: 16, K: 64, regime: exact}
  - {M: 8, N: 16, K: 64, regime: general}
  - {M: 8, N: 16, K: 64, regime: special}
END
	f32_product => <<'END',
grid: [M / 16, N / 16]
buffers:
  - {name: A, role: none, type: f32, rows: M, cols: K}
  - {name: B, role: none, type: f32, rows: N, cols: K}
  - {name: C, role: none, type: f32, rows: M, cols: N}
reference: {op: product, a: A, b: B, c: C}
kernarg: A B C u32:N u32:K u32:0
runs:
  - {M: 16, N: 32, K: 60, regime: exact}
  - {M: 16, N: 32, K: 60, regime: general}
  - {M: 16, N: 32, K: 60, regime: special}
END
	softmax => <<'END',
grid: [1]
buffers:
  - {name: X, role: none, type: f32, rows: 64, cols: N}
  - {name: Y, role: none, type: f32, rows: 64, cols: N}
reference: {op: softmax, x: X, y: Y}
kernarg: X Y u32:N u32:0
runs:
  - {sizes: {N: 21}, regime: general}
END
	norm => <<'END',
grid: [1]
buffers:
  - {name: X, role: none, type: f32,  rows: 64, cols: N}
  - {name: W, role: none, type: bf16, rows: 1, cols: N}
  - {name: B, role: none, type: f32,  rows: 1, cols: N}
  - {name: Y, role: none, type: f32,  rows: 64, cols: N}
reference: {op: layer_norm, x: X, weight: W, bias: B, y: Y, eps: 0.001}
kernarg: X W B Y u32:N u32:1 u32:0
runs:
  - {sizes: {N: 37}, regime: exact}
  - {sizes: {N: 37}, regime: general}
  - {sizes: {N: 37}, regime: special}
END
	topk => <<'END',
grid: [1]
buffers:
  - {name: X, role: none, type: f32, rows: 64, cols: N}
  - {name: T, role: none, type: u32, rows: 64, cols: 4}
  - {name: W, role: none, type: f32, rows: 64, cols: 4}
reference: {op: topk, x: X, indices: T, weights: W}
kernarg: X T W u32:N u32:4 u32:0
runs:
  - {sizes: {N: 21}, regime: general}
END
	attention => <<'END',
grid: ["ceildiv(S, 32)"]
buffers:
  - {name: Q, role: none, type: bf16, rows: S, cols: 2 * D}
  - {name: KT, role: none, type: bf16, rows: T, cols: 2 * D}
  - {name: V, role: none, type: bf16, rows: T, cols: 2 * D}
  - {name: O, role: none, type: bf16, rows: S, cols: 2 * D}
  - {name: LSE, role: none, type: f32, rows: 2, cols: S}
reference: {op: attention, q: Q, k: KT, v: V, o: O, lse: LSE, heads: 2, mask: causal}
kernarg: Q KT V O LSE u32:T u32:S u32:D u32:0
runs:
  - {sizes: {S: 32, T: 37, D: 8}, regime: general}
END
);

$case{paged} = <<'END';
grid: ["ceildiv(B, 32)"]
buffers:
  - {name: Q, role: none, type: f32, rows: B, cols: 16}
  - {name: KT, role: none, type: f32, rows: 4 * P, cols: 8}
  - {name: V, role: none, type: f32, rows: 4 * P, cols: 8}
  - {name: BT, role: none, type: u32, rows: B, cols: T}
  - {name: CL, role: none, type: u32, rows: 1, cols: B}
  - {name: O, role: none, type: f32, rows: B, cols: 16}
reference: {op: attention, q: Q, k: KT, v: V, o: O, batch: B, heads: 2, kv_heads: 1, pages: BT, page: 4, lengths: CL}
kernarg: Q KT V BT CL O u32:B u32:T u32:8 u32:0
runs:
  - {sizes: {B: 5, T: 6, P: 31}, regime: general}
END

$case{latent} = <<'END';
grid: ["ceildiv(B, 32)"]
buffers:
  - {name: Q, role: none, type: f32, rows: B, cols: 24}
  - {name: KV, role: none, type: f32, rows: 4 * P, cols: 12}
  - {name: LIST, role: none, type: u32, rows: 1, cols: T}
  - {name: AT, role: none, type: u32, rows: 1, cols: B + 1}
  - {name: LAST, role: none, type: u32, rows: 1, cols: B}
  - {name: O, role: none, type: f32, rows: B, cols: 16}
reference: {op: attention, q: Q, k: KV, v: KV, width: 8, o: O, batch: B, heads: 2, kv_heads: 1, scale: 0.3, pages: LIST, page: 4, page_begin: AT, last_page: LAST}
kernarg: Q KV LIST AT LAST O u32:B u32:0
runs:
  - {sizes: {B: 5, T: 17, P: 31}, regime: general}
END
$case{moe} = <<'END';
grid: [1]
let:
  - {name: S, value: "T * TOPK + E * 3"}
buffers:
  - {name: X,   role: none, type: f32, rows: T, cols: 8}
  - {name: W1,  role: none, type: f32, rows: E * 16, cols: 8}
  - {name: W2,  role: none, type: f32, rows: E * 8, cols: 8}
  - {name: ID,  role: none, type: u32, rows: 1, cols: S}
  - {name: EX,  role: none, type: i32, rows: 1, cols: S / 4}
  - {name: CNT, role: none, type: u32, rows: 1, cols: 1}
  - {name: W,   role: none, type: f32, rows: 1, cols: S}
  - {name: O,   role: none, type: f32, rows: T, cols: 8}
reference: {op: moe, x: X, w1: W1, w2: W2, tokens: ID, experts: EX, count: CNT, routing: W, o: O, topk: TOPK, n_experts: E, tile: 4}
kernarg: X W1 W2 u64:0x0 u64:0x00 ID EX CNT W O u32:T u32:TOPK u32:0x0 u32:0
runs:
  - {sizes: {T: 19, E: 5, TOPK: 3}, regime: general}
END

# The lines of a `kernarg: A u32:N`: each value at the next offset that is a multiple of its size.
sub kernarg {
	my ($at, @lines) = 0;
	for (split ' ', $_[0]) {
		my ($type, $value) = /(.+):(.+)/ ? ($1, $2) : ('ptr', $_);
		my $size = $type =~ /32/ ? 4 : 8;
		$at += -$at % $size;
		push @lines, "  - {offset: $at, type: $type, value: $value}\n";
		$at += $size;
	}
	return join '', "kernarg:\n", @lines;
}
for (keys %case) {
	$case{$_} =~ s/^kernarg: (.+)\n/kernarg($1)/me;
	$case{$_} = "name: $_\nkernel: $_\nblock: [64]\nverdict: {judge: bound}\n$case{$_}";
}

# Runs a case with a bug, and with some of its text replaced.
sub judge {
	my ($name, $bug, %edits) = @_;
	my $text = $case{$name};
	$text =~ s/type: u32, value: 0\}/type: u32, value: $bug}/;
	$text =~ s/\Q$_\E/$edits{$_}/ or BAIL_OUT("'$_' is not in the case") for keys %edits;
	return mxcheck('run', '--case', spew("$dir/case.yaml", $text), '--co', $co);
}

sub finds {
	my ($sentence, $name, $bug, $want, %edits) = @_;
	judge($name, $bug, %edits);
	ok($status == 1 && $out =~ /^      $want/m, "$name: $sentence") or diag "exit $status\n$out$err";
}

for (sort keys %case) {
	is(judge($_, 0), 0, "$_: the right kernel passes in every regime") or diag $out, $err;
}
judge('product', 0);
like($out, qr/exact: nothing rounds, in any order, before the output \(rne\) \(1 case\)/, 'in the exact regime the bound is 0')
	or diag $out;
like($out, qr/derived bound of any order, then the output's rounding \(rne\); [\d.e-]+ of it used/, 'in the others it is derived');
finds('truncation', 'product', 1, 'out-of-bound: C\[');
is(judge('product', 1, ', c: C}' => ', c: C, rounding: rtz}'), 0, 'product: unless the case says so') or diag $out;
finds('no scale of rows', 'product', 2, 'out-of-bound: C\[');
finds('no bias', 'product', 3, 'out-of-bound: C\[');
finds('scales of the wrong block', 'product', 0, 'out-of-bound: C\[',
	'b_block: [1, 32]' => 'b_block: [2, 16]', 'rows: N, cols: K / 32' => 'rows: N / 2, cols: K / 16');
is(judge('product', 0, 'judge: bound' => 'judge: close, ulp: 1, atol: 1e-3'), 0, 'product: close to the reference') or diag $out;
like($out, qr/close to the f64 reference: atol 0.001, rtol 0, ulp 1 were typed into the case, not derived/, 'by a tolerance typed in') or diag $out;
my $insn = 'v_mfma_f32_16x16x4_f32';
my @bits = ('judge: bound' => "judge: bits, profile: fma32, instruction: $insn");
is(judge('f32_product', 0, @bits), 0, 'f32_product: the bits of a chain of FMAs') or diag $out, $err;
like($out, qr/chain of FMAs \(assumed\), K in order by 4 of $insn, one accumulator \(rne\) \(3 cases\)/, '  as the basis says') or diag $out;
is(judge('f32_product', 1), 0, 'f32_product: the opposite order is within the bound');
finds('  but has other bits', 'f32_product', 1, 'wrong-bits: C\[', @bits);
my $file = spew("$dir/f32.yaml", "device: GPU\ndriver: ''\ndate: '2026'\nprofiles:\n" . join '', map {
	"  - name: $$_[0]\n    questions: 9\n    random: 0\n    fields:\n      - {field: group, value: $$_[1], fidelity: measured, source: x}\n" } [ $insn, 4 ], [ 'v_mfma_f32_32x32x2_f32', 2 ]);
is(judge('f32_product', 0, 'judge: bound' => "judge: bits, profile: $file, instruction: $insn"), 0, 'f32_product: the bits of a measured profile') or diag $out, $err;
like($out, qr/profile $insn \(measured on GPU, 2026\), K in order by 4/, '  as the basis says') or diag $out;
finds('  whose bits are not those of another instruction', 'f32_product', 0, 'wrong-bits: C\[', 'judge: bound' => "judge: bits, profile: $file, instruction: v_mfma_f32_32x32x2_f32");
judge('f32_product', 0, @bits);
is(mxcheck('run', '--profile', $file, '--case', "$dir/case.yaml", '--co', $co), 0, '  and those that --profile measured') or diag $out, $err;
like($out, qr/profile $insn \(measured on GPU, 2026\)/, '    as the basis says') or diag $out;
finds('a lost addend', 'softmax', 1, 'out-of-bound: Y\[');
my @rms = ('op: layer_norm' => 'op: rms_norm', ', bias: B' => '', 'type: u32, value: 1}' => 'type: u32, value: 0x0}');
is(judge('norm', 0, @rms), 0, 'norm: without mean and bias it is the RMS norm') or diag $out, $err;
finds('a mean where none is', 'norm', 0, 'out-of-bound: Y\[', @rms[ 0 .. 3 ]);
finds('no mean', 'norm', 0, 'out-of-bound: Y\[', @rms[ 4, 5 ]);
finds('the variance of a sample', 'norm', 1, 'out-of-bound: Y\[');
finds('no eps', 'norm', 2, 'out-of-bound: Y\[');
finds('no bias', 'norm', 3, 'out-of-bound: Y\[');
finds('another weight expected', 'norm', 0, 'out-of-bound: Y\[', ', weight: W' => '');
finds('a column twice', 'topk', 1, 'out-of-bound: T\[0\]\[2\] is \d+, which is there twice');
finds('a column that does not exist', 'topk', 2, 'out-of-bound: T\[0\]\[1\] is 21, which is no column');
finds('a mask that is short by one', 'attention', 1, 'out-of-bound: O\[');
finds('no mask expected', 'attention', 0, 'out-of-bound: O\[', ', mask: causal' => '');
finds('LSE without the maximum', 'attention', 2, 'out-of-bound: LSE\[');
finds('heads swapped', 'attention', 3, 'out-of-bound: O\[');
for (q{"1 / sqrt(D)"}, '.353553390593273762') {
	judge('attention', 0, 'heads: 2' => "heads: 2, scale: $_");
	is($status, 0, "a scale of $_ is that of D = 8") or diag $out, $err;
}
finds('another scale expected', 'attention', 0, 'out-of-bound: O\[', 'heads: 2' => 'heads: 2, scale: 0.35');
finds('pages in order', 'paged', 1, 'out-of-bound: O\[');
finds('the last page left out', 'paged', 2, 'out-of-bound: O\[');
finds('the length of another batch', 'paged', 3, 'out-of-bound: O\[');
# A table of pages in order, and lengths alone, are the same.
my @rows = map { ("{name: $_, role: none, type: f32, rows: 4 * P" => "{name: $_, role: none, type: f32, rows: 4 * T") } 'KT', 'V';
is(judge('paged', 1, 'B: 5' => 'B: 1', ', pages: BT, page: 4' => '', @rows), 0, 'paged: without a table keys are rows that follow each other')
	or diag $out, $err;
finds('lists of pages from 0', 'latent', 1, 'out-of-bound: O\[');
finds('a last page that is full', 'latent', 2, 'out-of-bound: O\[');
finds('V from the last columns', 'latent', 3, 'out-of-bound: O\[');
my @first = ('value: W2}' => 'value: 0}', ', w2: W2' => '', ', routing: W' => '', 'O,   role: none, type: f32, rows: T,' => 'O,   role: none, type: f32, rows: T * TOPK,');
is(judge('moe', 0, @first), 0, 'moe: the first product alone') or diag $out, $err;
my @flags = map { [ 'type: u32, value: 0x0}' => "type: u32, value: 0x$_}" ] } 0 .. 3;
is(judge('moe', 0, @first, @{ $flags[1] }, 'tile: 4' => 'tile: 4, ids: flat'), 0, 'moe: tokens as flat numbers') or diag $out, $err;
my @scales = ("  - {name: O, " => "  - {name: SX, role: none, type: f32, rows: T, cols: 1}\n  - {name: SW, role: none, type: f32, rows: E * 16, cols: 1}\n  - {name: O, ",
	'x: X, w1: W1' => 'x: X, x_scale: SX, w1: W1, w1_scale: SW', 'u64, value: 0x0}' => 'ptr, value: SX}', 'u64, value: 0x00}' => 'ptr, value: SW}');
is(judge('moe', 0, @scales), 0, 'moe: scales of tokens and of rows') or diag $out, $err;
$scales[1] =~ s/rows: T,/rows: S,/;
is(judge('moe', 0, @scales, @{ $flags[2] }, 'tile: 4' => 'tile: 4, sorted_scale: true'), 0, 'moe: scales of sorted rows') or diag $out, $err;
finds('scales of tokens instead', 'moe', 0, 'out-of-bound: O\[', @scales, 'tile: 4' => 'tile: 4, sorted_scale: true');
finds('the expert of the first tile', 'moe', 1, 'out-of-bound: O\[');
finds('gate and up exchanged', 'moe', 2, 'out-of-bound: O\[');
finds('gate and up exchanged in the first product alone', 'moe', 2, 'out-of-bound: O\[', @first);
finds('no weights', 'moe', 3, 'out-of-bound: O\[');
finds('a row of a full tile lost', 'moe', 4, 'out-of-bound: O\[', 'T: 19' => 'T: 4', 'E: 5' => 'E: 1', 'TOPK: 3' => 'TOPK: 1');
finds('h in E2M1 expected', 'moe', 0, 'out-of-bound: O\[', 'tile: 4' => 'tile: 4, h: e2m1_even');

# ---- wrong references ----

sub is_refused {
	my ($sentence, $want, $name, %edits) = @_;
	judge($name, 0, %edits);
	ok($status == 2 && $err =~ /\Amxcheck: \S+case\.yaml$want\n\z/, "$sentence is refused") or diag "exit $status\n$err$out";
}
is_refused('a block without scales', ':\d+: reference\.a_block: there are no scales', 'product', 'a_scale: SA, ' => '');
is_refused('bits without an instruction', ':\d+: missing key: instruction', 'f32_product', 'judge: bound' => 'judge: bits, profile: fma32');
is_refused('bits by an instruction of f16', ':\d+: verdict\.instruction: v_mfma_f32_16x16x16_f16 is no MFMA of f32', 'f32_product', 'judge: bound' => 'judge: bits, profile: fma32, instruction: v_mfma_f32_16x16x16_f16');
is_refused('bits with a K', ':\d+: a reference has no mma_k, k_tile, swapped and flush', 'f32_product', $bits[0] => "$bits[1], mma_k: 4");
is_refused('an instruction without bits', ':\d+: only judge bits of a reference has an instruction', 'f32_product', 'judge: bound' => "judge: bound, instruction: $insn");
is_refused('bits of bf16', ':\d+: reference\.op: judge bits is for products without bias, of f32, or of rows of MX formats with scales in e8m0, e5m3 or e4m3', 'product', @bits);
is_refused('indices in f32', ':\d+: reference\.indices: indices are i32 or u32', 'topk', '{name: T, role: none, type: u32' => '{name: T, role: none, type: f32');
is_refused('an output in u8', ':\d+: reference\.y: an output is f32, bf16, f16 or f64', 'softmax', '{name: Y, role: none, type: f32' => '{name: Y, role: none, type: u8');
is_refused('weights in blocks without a tile', ':\d+: reference\.tile: weights in blocks need the key', 'attention', 'heads: 2' => 'heads: 2, p: e4m3_up');
is_refused('a tile of weights without blocks', ':\d+: reference\.tile: only weights in blocks have tiles', 'attention', 'heads: 2' => 'heads: 2, tile: 64');
is_refused('a tile of one and a half blocks', ': reference\.tile: 48 keys are not whole blocks of 32', 'attention', 'heads: 2' => 'heads: 2, p: e2m1_up, tile: 48');
is_refused('a norm without eps', ':\d+: reference\.eps: this reference needs the key', 'norm', ', eps: 0.001' => '');
is_refused('an eps of 0', ':\d+: reference\.eps: not a finite number above 0', 'norm', 'eps: 0.001' => 'eps: 0');
is_refused('a softmax with eps', ':\d+: reference\.eps: not a key of this reference', 'softmax', 'y: Y}' => 'y: Y, eps: 1}');
is_refused('a weight for each row', ': reference\.weight: W is 64 x 1, must be 1 x 37', 'norm', 'type: bf16, rows: 1, cols: N' => 'type: bf16, rows: 64, cols: 1');
is_refused('a scale of 0', ': reference\.scale: it is 0', 'attention', 'heads: 2' => 'heads: 2, scale: 0');
is_refused('a scale of no number', q{: reference\.scale: unknown name 'half'}, 'attention', 'heads: 2' => 'heads: 2, scale: half');
is_refused('an output of another size', ': reference\.c: C is 8 x 17, must be 8 x 16', 'product', '{name: C,  role: none, type: bf16, rows: M, cols: N}' => '{name: C,  role: none, type: bf16, rows: M, cols: N + 1}');
is_refused('scales of another size', ': reference\.b_scale: SB is 16 x 2, must be 16 x 1', 'product', 'b_block: [1, 32]' => 'b_block: [1, 64]');
is_refused('a table without pages', ':\d+: reference\.page: `pages` and `page` need each other', 'paged', ', page: 4' => '');
is_refused('a page that does not divide K', ': reference: page does not divide the rows of K', 'paged', 'page: 4' => 'page: 7');
is_refused('more pages than K has', ': reference\.pages: 32 pages for a batch, but K has only 31', 'paged', 'T: 6' => 'T: 32');
is_refused('K as V without a width', ':\d+: reference\.v: the buffer is already in the reference', 'latent', ', width: 8' => '');
is_refused('a V wider than K', ': reference\.v: KV is 124 x 12, must be 124 x 13', 'latent', 'width: 8' => 'width: 13');
is_refused('a last page beside lengths', ':\d+: reference\.last_page: a last page needs page_begin, and no lengths', 'latent', ', page_begin: AT' => '');
is_refused('fewer pages than batches', ': reference\.pages: LIST is 1 x 4, must be 1 x 5', 'latent', 'T: 17' => 'T: 4');
is_refused('a table of f32', ':\d+: reference\.lengths: indices are i32 or u32', 'paged', '{name: CL, role: none, type: u32' => '{name: CL, role: none, type: f32');
my $header = "{'descr': '<u4', 'fortran_order': False, 'shape': (5, 6), }";
spew("$dir/table.npy", "\x93NUMPY\1\0" . pack('v', 118) . sprintf("%-117s\n", $header) . pack 'L<*', 31, (0) x 29);
judge('paged', 0, 'cols: T}' => "cols: T, data: $dir/table.npy}");
ok($status == 2 && $err =~ /batch 0: page 31 is not in K/, 'a page of a file that is not in K is bad input') or diag "exit $status\n$err$out";
is_refused('experts without their number', ':\d+: reference\.topk: this reference needs topk, n_experts and tile', 'moe', ', n_experts: E' => '');
is_refused('too few sorted rows', ': reference\.tokens: ID has 71 columns, sorted tokens may need 72', 'moe', 'E * 3' => 'E * 3 - 1');
is_refused('half an expert', ': reference: w1 with 75 rows, 5 experts, 3 for a token: w1 must have two halves for each expert, and a token at most all experts', 'moe', 'E * 16' => 'E * 15');
is_refused('more experts for a token than there are', ': reference: w1 with 80 rows, 5 experts, 6 for a token: w1 must have two halves for each expert, and a token at most all experts', 'moe', 'TOPK: 3' => 'TOPK: 6');
is_refused('scales that divide nothing', ': reference\.x_scale: 20 x 1 scales do not divide 19 x 8 elements evenly', 'moe', '{name: W, ' => '{name: XS, role: none, type: f32, rows: 20, cols: 1}
  - {name: W, ', 'x: X' => 'x: X, x_scale: XS');
is_refused('three heads of two', ': reference: heads, kv_heads or batch do not divide the sizes', 'attention', 'heads: 2' => 'heads: 3');
done_testing();
