#!/usr/bin/perl
# A kernel with packed operands: it passes with its layouts, and fails with a wrong stride, fill or
# padding. Its operands are saved unpacked.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $dir, $status, $out, $err);

my $yaml = slurp('cases/foreign/mxfp4_preshuffled.yaml') =~ s/^ +- \{name: \w+, of: .*\n//mgr; # without choices of fills
my $co   = "$build/kernels/foreign/mxfp4_preshuffled.co";
my $ragged = 'foreign/mxfp4_preshuffled/45x70x416/exact';

# The case with some of its text replaced.
sub edited {
	my (%edits) = @_;
	my $text = $yaml;
	$text =~ s/$_/$edits{$_}/g for keys %edits;
	return spew("$dir/case.yaml", $text);
}

sub judge { return mxcheck('run', '--case', $_[0], '--co', $_[1], $_[2] // $ragged) }

sub finds { my %k = map { $_ => 1 } kinds($out); return !grep { !$k{$_} } @_ }

is(judge(edited(), $co), 0, 'a ragged shape passes') or diag $out, $err;
is(judge(edited('layout: s32x8, fill: 0' => 'layout: s32x8, fill: 127'), $co), 0,
	'scales padded with 127 do too: they scale zeros') or diag $out, $err;

is(judge(edited('layout: s32x8, fill: 0' => 'layout: s32x8, fill: 255'), $co), 1,
	'L3: padded with 0xFF they do not');
ok(finds('wrong-bits') && $out =~ /\(-?nan\)/, 'they are NaN') or diag $out;
is(judge(edited('layout: s32x8, fill: 0' => 'layout: s32x8'), $co), 3,
	'L3: nor without a fill');
ok(finds('uninitialised'), 'unwritten bytes were used') or diag $out;
is(judge(edited(', pad_rows: 32' => ', guard: 16'), $co), 1, 'B padded to 16 rows');
ok(finds('out-of-bounds-read'), 'is read past its end') or diag $out;

my $broken = "$build/tests/ci/valid_width.gpu.co";
is(judge(edited(), $broken), 1, 'L2: the valid width for the padded one');
ok(finds('wrong-bits'), 'gives wrong numbers') or diag $out;
is(judge(edited(), $broken, 'foreign/mxfp4_preshuffled/32x32x256/exact'), 0,
	'but not if K is a multiple of 256') or diag $out;

is(judge(edited('layout: s32x8,' => 'layout: s32x8_wave,'), $co), 2,
	'L9: a layout that crops scales away is bad input');
like($err, qr/buffers\[1\]\.layout: layout s32x8_wave crops 45 x 13 .* which loses \d+ of 585/,
	'with the number');

# Files contain the lines of a buffer without its layout.
is(mxcheck('--save', "$dir/saved", $ragged), 0, 'a run is saved');
my $saved = "$dir/saved/$ragged";
is(-s "$saved/$_->[0].npy", 128 + $_->[1], "$_->[0].npy has its lines")
	for [ 'A', 45 * 208 ], [ 'SA', 45 * 13 ], [ 'B', 70 * 208 ], [ 'SB', 70 * 13 ];
my $text = $yaml;
$text =~ s/^(  - \{name: (A|SA|B|SB),.*)\}$/$1, data: $saved\/$2.npy}/mg;
spew("$dir/case.yaml", $text);
is(judge("$dir/case.yaml", $co), 0, 'and gives the same verdict from its files') or diag $out, $err;

mxcheck('run', '--case', edited(), '--co', $broken, $ragged, '--who', 'B[33,70]', '--depth', 1);
like($out, qr/^B\[33\]\[70\] \(byte ${\ (2 * 16 * 208 + 2 * 256 + 1 * 16 + 3)} of B\)/m,
	'--who finds an element of a packed buffer') or diag $out, $err;
done_testing();
