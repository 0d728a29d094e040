#!/usr/bin/perl
# Judges repack and close: what passes, what fails and at which place, and wrong keys.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $dir, $status, $out, $err);

# Runs a case with some of its text replaced.
sub judge {
	my ($yaml, $co, %edits) = @_;
	$yaml =~ s/\Q$_\E/$edits{$_}/ or BAIL_OUT("'$_' is not in the case") for keys %edits;
	return mxcheck('run', '--case', spew("$dir/case.yaml", $yaml), '--co', $co);
}

sub is_refused {
	my ($sentence, $want, $yaml, $co, %edits) = @_;
	judge($yaml, $co, %edits);
	ok($status == 2 && $err =~ /\Amxcheck: \S+case\.yaml$want\n\z/, "$sentence is refused")
		or diag "exit $status\n$err$out";
}

# ---- repack ----

my $co = "$build/tests/ci/repack.gpu.co";
my $shuffle = <<'END';
name: shuffle
kernel: shuffle
let:
  - {name: P, value: "roundup(N, 8)"}
  - {name: BYTES, value: "roundup(M, 32) * P"}
grid: ["ceildiv(BYTES, 256)"]
block: [256]
buffers:
  - {name: S, role: none, type: e8m0, rows: M, cols: N}
  - {name: T, role: none, type: e8m0, rows: M, cols: N, layout: s32x8, fill: 127, of: S}
kernarg:
  - {offset: 0,  type: ptr, value: S}
  - {offset: 8,  type: ptr, value: T}
  - {offset: 16, type: u32, value: M}
  - {offset: 20, type: u32, value: N}
  - {offset: 24, type: u32, value: P}
  - {offset: 28, type: u32, value: BYTES}
  - {offset: 32, type: u32, value: 0}
verdict: {judge: repack}
runs:
  - {M: 45, N: 13, K: 32, regime: general}
END
my @bug = ('type: u32, value: 0' => 'type: u32, value: ');

is(judge($shuffle, $co), 0, 'a shuffle of scales passes') or diag $out, $err;
like($out, qr{bytes 1024/1024 .*\[bytes of the input in the layout of the output\]},
	'with every byte of its padding');
is(judge($shuffle, $co, $bug[0] => $bug[1] . 1), 1, 'padding that is not written fails');
like($out, qr/not-written: T: byte \d+ \(padding of the layout\) is 0xff, must be 0x7f; 439 of 1024/, 'as not written')
	or diag $out;
is(judge($shuffle, $co, $bug[0] => $bug[1] . 1, ', fill: 127' => ''), 0, 'but passes without a fill')
	or diag $out;
is(judge($shuffle, $co, $bug[0] => $bug[1] . 2), 1, 'padding of another value fails');
like($out, qr/wrong-bytes: T: byte \d+ \(padding of the layout\) is 0x00, must be 0x7f; 439/, 'with it') or diag $out;
is(judge($shuffle, $co, 'fill: 127' => 'fill: 127, slack: 3'), 1, 'slack after the layout');
like($out, qr/not-written: T: byte 1024 \(padding of the layout\).* 3 of 1027/, 'is padding') or diag $out;
is(judge($shuffle, $co, ', fill: 127' => ''), 1, 'padding that must be kept, and is written, fails');
like($out, qr/\(padding of the layout\) is 0x7f, must be kept/, 'with what it should be') or diag $out;
is(judge($shuffle, $co, $bug[0] => $bug[1] . 3), 1, 'two digits of the layout exchanged fail');
like($out, qr/wrong-bytes: T: byte \d+ \(row \d+, byte \d+ of it\)/, 'at a row') or diag $out;

my $transpose = <<'END';
name: transpose
kernel: transpose
grid: ["ceildiv(R * C, 256)"]
block: [256]
buffers:
  - {name: S, role: none, type: bf16, rows: R, cols: C}
  - {name: T, role: none, type: bf16, rows: R, cols: C, order: col, of: S}
kernarg:
  - {offset: 0,  type: ptr, value: S}
  - {offset: 8,  type: ptr, value: T}
  - {offset: 16, type: u32, value: R}
  - {offset: 20, type: u32, value: C}
verdict: {judge: repack}
runs:
  - {sizes: {R: 37, C: 70}, regime: general}
END
is(judge($transpose, $co), 0, 'a transpose passes') or diag $out, $err;
like($out, qr{transpose/R=37,C=70/general}, 'with sizes of any names') or diag $out;
is(mxcheck('run', '--case', "$dir/case.yaml", '--co', $co, '--shape', 'C=5'), 0, 'one of them may be given');
like($out, qr{transpose/R=37,C=5/general .*bytes 370/370}, 'by its name') or diag $out;
is(mxcheck('run', '--case', "$dir/case.yaml", '--co', $co, '--shape', '1,2,3'), 2, 'another one may not');
like($err, qr{transpose/R=37,C=70/general: --shape 1,2,3: no size M in this run}, 'by its name') or diag $err;
is(judge($transpose, $co, ', order: col' => ''), 1, 'and is no copy');

# ---- batches, slack, and several buffers in one ----

my $batch = <<'END';
name: batch
kernel: copy_lines
grid: [R, B]
block: [64]
buffers:
  - {name: S, role: none, type: bf16, batch: B, rows: R, cols: C, ld: 2 * C + 6, batch_ld: 1000}
  - {name: T, role: none, type: bf16, batch: B, rows: R, cols: C, of: S}
kernarg:
  - {offset: 0,  type: ptr, value: S}
  - {offset: 8,  type: ptr, value: T}
  - {offset: 16, type: u32, value: C}
  - {offset: 20, type: u32, value: 2 * C + 6}
  - {offset: 24, type: u32, value: 1000}
  - {offset: 28, type: u32, value: 2 * C}
  - {offset: 32, type: u32, value: 2 * C * R}
  - {offset: 36, type: u32, value: 0}
verdict: {judge: repack}
runs:
  - {sizes: {B: 3, R: 5, C: 9}, regime: general}
END
is(judge($batch, $co), 0, 'matrices at a distance are copied') or diag $out, $err;
like($out, qr{bytes 270/270}, 'all of them');
is(judge($batch, $co, ', value: 1000' => ', value: 5 * (2 * C + 6)'), 3, 'a read between them is of unwritten bytes');
like($out, qr/not-written: T: byte 90 \(row 5, byte 0/, 'from the second matrix on') or diag $out;
is(judge($batch, $co, ', batch_ld: 1000' => ', batch_ld: 100'), 2, 'matrices do not overlap');
like($err, qr/: buffers\[0\]\.batch_ld: 100 bytes, but a matrix takes 114$/m, 'their distance is too short');

# Lines of S and T alternate in P, and 8 bytes at its end belong to no buffer.
my $inside = $batch;
$inside =~ s/, batch_ld: 1000//;
$inside =~ s/ld: 2 \* C \+ 6/ld: 4 * C, in: P, at: 4/;
$inside =~ s/of: S/ld: 4 * C, in: P, at: 4 + 2 * C, of: S/;
$inside =~ s/value: 2 \* C \+ 6/value: 4 * C/;
$inside =~ s/value: 1000/value: 4 * C * R/;
$inside =~ s/value: 2 \* C\}/value: 4 * C}/;
$inside =~ s/value: 2 \* C \* R/value: 4 * C * R/;
$inside =~ s/^(buffers:\n)/$1  - {name: P, role: none, type: u8, rows: 1, cols: 4 * C * R * B + 12}\n/m;
is(judge($inside, $co), 0, 'two buffers in a third one, line by line') or diag $out, $err;
like($out, qr{bytes 270/270}, 'are judged') or diag $out;
is(judge($inside, $co, 'type: u32, value: 0' => 'type: u32, value: 4 * C * R * B - 2 * C + 3'), 1, 'a byte that is in neither');
ok((grep { $_ eq 'guard-changed' } kinds($out)) && $out =~ /a byte that no buffer uses of buffer P changed, first at byte 547/,
	'must not be written') or diag $out;
is(judge($inside, $co, 'ptr, value: S' => 'ptr, value: S - 2'), 3, 'nor read');
like($out, qr/out-of-bounds-read: .*byte 2 of P/, 'by its place') or diag $out;
is(judge($inside, $co, 'B + 12' => 'B + 3'), 2, 'a buffer ends in the one that holds it');
like($err, qr/: buffers\[2\]\.at: T ends at byte 544 of P, which has 543$/m, 'with both sizes') or diag $err;

is_refused('a judge repack without `of`', ':19: judge repack: no buffer has `of`', $shuffle, $co, ', of: S' => '');
is(judge($shuffle, $co, 'judge: repack' => 'judge: none'), 0, '`of` with another judge passes') or diag $out, $err;
like($out, qr/ no numbers judged /, 'whose numbers are its own') or diag $out;
is(judge($shuffle, $co, $bug[0] => $bug[1] . 3, 'judge: repack' => 'judge: none'), 1, 'and is judged');
like($out, qr/wrong-bytes: T: /, 'by its bytes') or diag $out;
is_refused('`of` that names nothing', ':\d+: buffers\[1\]\.of: no buffer has this name', $shuffle, $co, 'of: S' => 'of: Q');
is_refused('`of` itself', ':\d+: buffers\[1\]\.of: it must be an input, quantised, or the output c', $shuffle, $co, 'of: S' => 'of: T');
is_refused('a copy of another type', ':\d+: buffers\[1\]\.of: the buffers differ in type',
	$shuffle, $co, '{name: S, role: none, type: e8m0' => '{name: S, role: none, type: u8');
is_refused('a copy of another size', ': buffers\[1\]: T is 45 x 13, and S, which it copies, is 45 x 14',
	$shuffle, $co, 'cols: N}' => 'cols: N + 1}');
is_refused('a copy with data', ':\d+: buffers\[1\]\.of: a buffer with `of` has role none and no data',
	$shuffle, $co, 'of: S' => 'of: S, data: zero');
is_refused('a layout of f32 for another type', ':\d+: buffers\[0\]\.layout: it is a layout of f32',
	$transpose, $co, 'cols: C}' => 'cols: C, layout: iree_c_m64_n128}');
is_refused('a layout that splits elements', ':\d+: buffers\[0\]\.layout: it splits the bytes of an element',
	$transpose, $co, 'cols: C}' => 'cols: C, layout: s32x8}');

# ---- close ----

my $asm  = slurp('cases/foreign/mxfp8_asm.yaml') =~ s/^(runs:\n).*/$1  - {M: 32, N: 47, K: 512, regime: general}\n/msr;
my $gemm = "$build/kernels/foreign/mxfp8_asm.co";
my $verdict = (grep { /^verdict/ } split /\n/, $asm)[0];

sub close_to { return ($verdict => "verdict: {judge: close, $_[0]}") }

is(judge($asm, $gemm, close_to('rtol: 1e-5, atol: 1e-3')), 0, 'a GEMM is close to the f64 product') or diag $out, $err;
like($out, qr{close 1504/1504 .*\[close to the f64 product: atol 0\.001, rtol 1e-05, ulp 0 were typed into the case, not derived; [\d.e-]+ of it used\]},
	'and the verdict says that the tolerance was typed in') or diag $out;
is(judge($asm, $gemm, close_to('atol: 1e-9')), 1, 'it is not that close');
like($out, qr/out-of-tolerance: C\[\d+\]\[\d+\] is 0x/, 'at an element') or diag $out;

is(judge($asm, $gemm, $verdict => 'verdict: {judge: none}'), 0, 'its output');
mxcheck('run', '--case', "$dir/case.yaml", '--co', $gemm, '--save', "$dir/saved");
my ($c) = glob "$dir/saved/foreign/mxfp8_asm/*/*/C.npy";
my ($line) = $asm =~ /^(  - \{name: C,.*)\}$/m;
my @expect = ("$line}" => "$line, expect: $c}");
is(judge($asm, $gemm, @expect, close_to('ulp: 0')), 0, 'is close to itself with a tolerance of 0') or diag $out, $err;
like($out, qr{close to the files that the case expects: atol 0, rtol 0, ulp 0}, 'of a file') or diag $out;

# A file of another type has values, not codes.
my @values = unpack 'f<*', substr slurp($c), 128;
my $header = "{'descr': '<f8', 'fortran_order': False, 'shape': (32, 47), }";
my $wide   = "\x93NUMPY\1\0" . pack('v', 118) . sprintf("%-117s\n", $header);
$values[50] *= 1 + 3e-7; # 2.5 to 5 units in the last place
$values[51] = 'nan' + 0;
spew("$dir/wide.npy", $wide . pack 'd<*', @values);
@expect = ("$line}" => "$line, expect: $dir/wide.npy}");
is(judge($asm, $gemm, @expect, close_to('ulp: 2')), 1, 'a file of f64 is compared by value');
like($out, qr/out-of-tolerance: C\[1\]\[3\] is \S+, must be about \S+; error \S+; 2 of 1504 elements are wrong/, 'to an ulp') or diag $out, $err;
is(judge($asm, $gemm, @expect, close_to('ulp: 6')), 1, 'NaN');
like($out, qr/C\[1\]\[4\] is \S+, must be about -?nan; .* 1 of 1504/, 'is close to NaN alone') or diag $out;
$values[51] = 0;
spew("$dir/wide.npy", $wide . pack 'd<*', @values[ 0 .. 1502 ]) =~ /./;
is(judge($asm, $gemm, @expect, close_to('ulp: 6')), 2, 'a file that is cut off is bad input');

# A kernel that does not flush its results fails where it should.
my $f4 = "$build/kernels/gemm/mxfp4_gemm.co";
my $text = slurp('cases/gemm/mxfp4_f32.yaml') =~ s/judge: bits,/judge: bits, flush: true,/r;
is(mxcheck('run', '--case', spew("$dir/case.yaml", $text), '--co', $f4, '--shape', '64,64,128', '--regime', 'special', 'gemm/mxfp4_f32'), 1,
	'subnormal results are wrong if they should be flushed');
like($out, qr/subnormal results flushed.*wrong-bits: C\[\d+\]\[\d+\] is 0x[80]0\w+ \(-?[\d.]+e-\d+\), must be 0x[08]0000000 \(-?0\)/s, 'which are zeros') or diag $out;
is(mxcheck('run', '--case', "$dir/case.yaml", '--co', $f4, '--shape', '64,64,128', '--regime', 'exact', 'gemm/mxfp4_f32'), 0,
	'others are not') or diag $out;
my $split = "$build/kernels/gemm/mxfp4_splitk.co";
$text = slurp('cases/gemm/mxfp4_splitk2.yaml') =~ s/judge: set,/judge: set, flush: true,/r;
is(mxcheck('run', '--case', spew("$dir/case.yaml", $text), '--co', $split, '--shape', '64,64,256', '--regime', 'special', 'gemm/*'), 1,
	'so are subnormal parts under judge set');
like($out, qr/subnormal parts flushed.*outside-set: C\[\d+\]\[\d+\] is 0x[80]0\w+ /s, 'which are zeros') or diag $out;

is_refused('close without a tolerance', ':\d+: judge close: none of atol, rtol and ulp is given', $asm, $gemm,
	$verdict => 'verdict: {judge: close}');
is_refused("a tolerance of $_", ':\d+: verdict\.rtol: not a finite number of 0 or more', $asm, $gemm, close_to("rtol: $_"))
	for '-1', 'nan', 'inf', '1e-3x';
is_refused('a tolerance of another judge', ':\d+: only judge close has atol, rtol and ulp', $asm, $gemm,
	$verdict => $verdict =~ s/\}/, ulp: 1}/r);
is_refused('close to nothing', ':\d+: judge close: no buffer has expect, and none has the role c', $shuffle, $co,
	'judge: repack' => 'judge: close, ulp: 1', ', of: S' => '');
done_testing();
