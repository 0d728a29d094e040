#!/usr/bin/perl
# mxcheck quant, dequant, mfma and compare: values worked out by hand, files, and bad input.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

# ---- .npy files, by NumPy's description ----

sub npy {
	my ($name, $descr, $shape, $data) = @_;
	my $header = "{'descr': '$descr', 'fortran_order': False, 'shape': ($shape), }\n";
	return spew("$dir/$name.npy",
		"\x93NUMPY\x01\x00" . pack('v', length $header) . $header . $data);
}

sub f32 { return npy($_[0], '<f4', $_[1], pack 'f<*', @_[ 2 .. $#_ ]) }
sub u8 { return npy($_[0], '|u1', $_[1], pack 'C*', @_[ 2 .. $#_ ]) }

# The header of a file, and its numbers.
sub header_of { return slurp("$dir/$_[0].npy") =~ /(\{.*\})/ ? $1 : '' }
sub data_of {
	my ($name, $format) = @_;
	my $bytes = slurp("$dir/$name.npy");
	return unpack "$format*", substr $bytes, 10 + unpack 'v', substr $bytes, 8, 2;
}

sub is_refused {
	my ($sentence, $want, @arguments) = @_;
	mxcheck(@arguments);
	my @wrong;
	push @wrong, "exit $status" if $status != 2;
	push @wrong, 'not one line on stderr' if $err !~ /\A[^\n]+\n\z/;
	push @wrong, "no '$want'" if index($err, $want) < 0;
	push @wrong, 'something on stdout' if $out ne '';
	ok(!@wrong, "$sentence is refused: $want") or diag "@wrong\n$out$err";
}

# ---- help ----

for my $command (qw(quant dequant mfma compare)) {
	is(mxcheck($command, '--help'), 0, "$command has --help");
	like($out, qr/\Ausage: mxcheck $command /, '  which begins with its usage') or diag $err;
	my $man = slurp('ci/man/mxcheck.1') =~ s/\\-/-/gr;
	is_deeply([ grep { index($man, $_) < 0 } $out =~ /^  (?:-h, )?(--?[a-z0-9-]+)/mg ], [],
		'  and its options are in the manual page');
}
mxcheck('--help');
like($out, qr/quant \| dequant \| mfma \| compare/, 'mxcheck --help names them');

my ($version) = join '.', slurp('ref/mxref.h') =~ /^#define MXREF_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$/mg;
is(mxcheck('--version'), 0, 'mxcheck has --version') or diag $err;
like($out, qr/\Amxcheck \Q$version\E, commit \S+\n/, '  its own and the commit');
my ($step) = $out =~ /^CPU path +(\S+)$/m;
my $llvm = llvm();
chomp(my $found = $llvm ne '' ? "$llvm, " . `$llvm/clang -dumpversion` : 'none');
like($out, qr/^LLVM +\Q$found\E$/m, '  the LLVM that llvm.sh finds') or diag $out;
like($out, qr/^emu +\S*libmxhip\.so, gfx950\nhip +/m, '  and the runtimes') or diag $out;

is(run('env', 'MXCHECK_CPU=avx', $mxcheck, '--help'), 2, 'an MXCHECK_CPU that is no step is refused');
my @steps = $err =~ /\Amxcheck: MXCHECK_CPU: 'avx' is not (.*)\n\z/ ? split /, | or /, $1 : BAIL_OUT($err);
for my $i (0 .. $#steps) {
	my $has = $i <= (grep { $steps[$_] eq $step } 0 .. $#steps)[0];
	is(run('env', "MXCHECK_CPU=$steps[$i]", $mxcheck, '--help'), $has ? 0 : 2,
		"  MXCHECK_CPU=$steps[$i] is " . ($has ? 'accepted' : 'refused'));
	is($err, $has ? '' : "mxcheck: MXCHECK_CPU: '$steps[$i]' is more than this CPU has: $step\n", '    and says why');
}
run('env', "MXCHECK_CPU=$steps[0]", $mxcheck, '--version');
like($out, qr/^CPU path +$steps[0]$/m, '  MXCHECK_CPU sets the step in use');

# A folder of scripts instead of LLVM.
run('sh', '-c', 'mkdir "$0/a llvm" && cd "$0/a llvm" && echo "echo 99.1.2 amdgcn" >clang &&'
	. ' touch ld.lld llvm-readelf && chmod +x *', $dir) == 0 or BAIL_OUT($err);
run('env', "MXCHECK_LLVM=$dir/a llvm", $mxcheck, '--version');
like($out, qr/^LLVM +\Q$dir\E\/a llvm, 99\.1\.2/m, 'MXCHECK_LLVM selects the LLVM') or diag $out;

# ---- quant ----

# amax 100 is 2^6 and more, the largest power of two in E2M1 is 2^2: scale 2^4. 100/16 = 6.25
# becomes 6; -2.5/16 is below 0.25 and becomes -0.
sub row { my ($table, $i) = @_; return [ ($table =~ /^\[0\]\[$i\] +(.*)$/m)[0] =~ /\S+/g ] }
is(mxcheck('quant', '--format', 'E2M1', '0.1', '-2.5', '100'), 0, 'typed numbers are quantised')
	or diag $err;
is_deeply(row($out, 0), [qw(0x3DCCCCCD 0.100000001 0x83 0x0 0x00000000 0 -0.1)],
	'E2M1: 0.1 under 100 is 0');
is_deeply(row($out, 1), [qw(0xC0200000 -2.5 0x83 0x8 0x80000000 -0 2.5)], 'E2M1: -2.5 is -0');
is_deeply(row($out, 2), [qw(0x42C80000 100 0x83 0x7 0x42C00000 96 -4)], 'E2M1: 100 is 6 * 2^4');
mxcheck('quant', '--format=e4m3', '0x43E00000', '0x1p-9', '-inf');
is_deeply(row($out, 0)->[2], '0xFF',
	'bits and infinities are taken: an infinite amax is scale NaN');
mxcheck('quant', '--format', 'E4M3', '0x43E00000', '-0x1p-1');
is_deeply(row($out, 0), [qw(0x43E00000 448 0x7F 0x7E 0x43E00000 448 0)], 'E4M3: 448 is 0x7E');
is_deeply(row($out, 1), [qw(0xBF000000 -0.5 0x7F 0xB0 0xBF000000 -0.5 0)], 'E4M3: -0.5 is 0xB0');

# 7 is above the largest element, 6: rceil takes scale 2, floor saturates.
mxcheck('quant', '--format', 'E2M1', '--recipe', 'rceil', '7');
is_deeply([ @{ row($out, 0) }[ 2, 3 ] ], [qw(0x80 0x6)], 'rceil scales 7 by 2: 3.5 is 4');
mxcheck('quant', '--format', 'E2M1', '--recipe', 'floor', '7');
is_deeply([ @{ row($out, 0) }[ 2, 3 ] ], [qw(0x7F 0x7)], 'floor does not: 6');
mxcheck('quant', '--format', 'E2M1', '--recipe', 'torchao-0.18-floor', 'inf', '1');
is(row($out, 0)->[2], '0xFD', 'torchao 0.18.0 takes infinity for 2^128');
mxcheck('quant', '--help');
like($out, qr/^  $_ /m, "$_ says whose and which version it is")
	for 'ceil +torchao main [0-9a-f]{8}:', 'torchao-0\.18-rceil +torchao 0\.18\.0:',
	'compressed-tensors +compressed-tensors 0\.20\.0:', 'quark-floor +amd-quark 0\.13:',
	'aiter-py-even +AITER [0-9a-f]{8}:';
# 2.5 lies half way between 2 (0x4) and 3 (0x5); 4 makes the scale 1.
my %tie = (rne => '0x4', rna => '0x5', rtz => '0x4');
for (sort keys %tie) {
	mxcheck('quant', '--format', 'E2M1', '--rounding', $_, '4', '2.5');
	is(row($out, 1)->[3], $tie{$_}, "$_ rounds 2.5 to $tie{$_}");
}
mxcheck('quant', '--format', 'E2M1', '--rounding', 'sr', '4', ('2.25') x 31);
my $once = $out;
is_deeply([ sort keys %{ { map { row($once, $_)->[3] => 1 } 1 .. 31 } } ], [qw(0x4 0x5)],
	'sr rounds 2.25 up and down');
mxcheck('quant', '--format', 'E2M1', '--rounding', 'sr', '4', ('2.25') x 31);
is($out, $once, '  the same with the same seed');
mxcheck('quant', '--format', 'E2M1', '--rounding', 'sr', '--seed', '2', '4', ('2.25') x 31);
isnt($out, $once, '  and otherwise with another');

# 2 rows of 33: the second block is one element.
my $x = f32('x', '2, 33', (1) x 32, 8, (0.5) x 32, -6);
my @files = ('-o', "$dir/codes.npy", '--scales', "$dir/scales.npy");
is(mxcheck('quant', '--format', 'E2M1', $x, @files), 0, 'a file is quantised') or diag $err;
is(header_of('codes'), "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 33,), }",
	'  codes: uint8, the same shape');
is_deeply([ data_of('codes', 'C') ], [ (6) x 32, 6, (6) x 32, 0xF ],
	'  1 is 4 * 2^-2, 8 is 4 * 2^1, -6 is -6');
is_deeply([ data_of('scales', 'C') ], [ 125, 128, 124, 127 ], '  a scale for each 32 of a row');
is(mxcheck('dequant', '--format', 'E2M1', '--scales', "$dir/scales.npy", "$dir/codes.npy", '-o',
	"$dir/y.npy"), 0, 'and back') or diag $err;
is_deeply([ data_of('y', 'f<') ], [ data_of('x', 'f<') ], '  to the same numbers');
mxcheck('dequant', '--format', 'E2M1', '--scales', "$dir/scales.npy", "$dir/codes.npy");
is($out, "2 x 33 codes of E2M1: values from -6 to 8, 0 not finite\n", '  with a summary');

is(mxcheck('quant', '--format', 'E2M1', '--packed', $x, @files), 0, 'codes can be packed')
	or diag $err;
is_deeply([ data_of('codes', 'C') ], [ (0x66) x 16, 6, (0x66) x 16, 0xF ],
	'  two to a byte, low nibble first');
mxcheck('dequant', '--format', 'E2M1', '--packed', '-v', '--scales', "$dir/scales.npy",
	"$dir/codes.npy");
like($out, qr/^\[1\]\[32\] +0x0F +0x7F +0xC0C00000 -6$/m, '  and are unpacked') or diag $err;

# Down the columns: 33 columns of 2 elements, codes and scales of the transpose.
is(mxcheck('quant', '--format', 'E2M1', '--axis', 'col', $x, @files), 0, 'blocks down the columns')
	or diag $err;
is_deeply([ data_of('codes', 'C') ], [ (6, 4) x 32, 6, 0xD ],
	'  of 1 and 0.5: 4 and 2 under 2^-2; of 8 and -6: 4 and -3 under 2^1');
is_deeply([ data_of('scales', 'C') ], [ (125) x 32, 128 ], '  a scale for each column');
mxcheck('dequant', '--format', 'E2M1', '--axis', 'col', '--scales', "$dir/scales.npy",
	"$dir/codes.npy", '-o', "$dir/y.npy");
is_deeply([ data_of('y', 'f<') ], [ data_of('x', 'f<') ], '  and back to rows');
mxcheck('quant', '--format', 'E2M1', '--block', '32x32', $x, @files);
is_deeply([ data_of('scales', 'C') ], [ 125, 128, 125, 128 ], '32x32: rows share a scale');
npy('h', '<f2', '2,', pack 'v*', 0x3C00, 0xC000);
mxcheck('quant', '--format', 'E4M3', "$dir/h.npy");
is_deeply([ map { row($out, $_)->[1] } 0, 1 ], [ 1, -2 ], 'float16 is read');
npy('b', '<u2', '2,', pack 'v*', 0x3F80, 0xC000);
mxcheck('quant', '--format', 'E4M3', '--bf16', "$dir/b.npy");
is_deeply([ map { row($out, $_)->[1] } 0, 1 ], [ 1, -2 ], 'so are the bits of bfloat16');

# ---- several recipes, and what they are compared by ----

# 7 under floor: 6, clipped, under rceil 8; 0.2 under 7: 0 in both; 1 and 3 are exact in both.
my @both = ('--format', 'E2M1', '--recipe', 'floor,rceil');
is(mxcheck('quant', @both, '7', '0.2', '1', '3'), 0, 'two recipes are shown side by side') or
	diag $err;
like($out, qr/^ +input +floor +rceil *$/m, '  each under its name');
is_deeply(row($out, 0), [qw(0x40E00000 7 0x7F 0x7 6 0x80 0x6 8)], '  7 is 6 and 8');
# Sums of squares: 7^2 + 0.2^2 + 1 + 3^2 = 59.04; errors 1 + 0.04 in both.
like($out, qr/^floor +17\.54 +1 +1 +0 +0 +1 at \[0\]\[0\]$/m,
	'  floor: one is clipped, one becomes zero, 17.54 dB') or diag $out;
like($out, qr/^rceil +17\.54 +0 +1 +0 +1 +1 at \[0\]\[0\]$/m,
	'  rceil: none is clipped, one value is not the first recipe\'s') or diag $out;
mxcheck('quant', '--format', 'E4M3', '--recipe', 'all', '1');
my %all = map { $_ => 1 } $out =~ /^([a-z][a-z0-9-]+) +exact/mg;
ok($all{floor} && $all{microxcaling} && !$all{triton}, 'all: those that the format has') or
	diag $out;
# 448 is the largest of E4M3; 460 is nearer to it than to 480 and no more clipped than 6.2 is.
mxcheck('quant', '--format', 'E4M3', '--recipe', 'floor,even', '460');
like($out, qr/^floor +\S+ +0 /m, 'what rounds to the largest element is not clipped');
mxcheck('quant', '--format', 'E4M3', '--recipe', 'floor,even', '470');
like($out, qr/^floor +\S+ +1 /m, '  what lies beyond is');

# ---- files of other kinds, and standard input ----

sub quant_from {
	my ($input, @arguments) = @_;
	spew("$dir/stdin", $input);
	run('sh', '-c', 'exec "$0" "$@" <"$STDIN"', $mxcheck, 'quant', @arguments);
	return $status;
}
$ENV{STDIN} = "$dir/stdin";
is(quant_from("1 2,\n 0x40E00000 , -6\n", '--format', 'E2M1', '-'), 0, 'standard input is read') or
	diag $err;
is_deeply([ map { row($out, $_)->[1] } 0 .. 3 ], [ 1, 2, 7, -6 ],
	'  numbers between spaces, lines and commas');
quant_from(slurp($x), '--format', 'E2M1', '-v', '-');
like($out, qr/^\[1\]\[32\] +0xC0C00000 -6 /m, '  or a .npy');
mxcheck('quant', '--format', 'E2M1', $x);
like($out, qr/\A2 x 33 float32 as E2M1, blocks along rows\n.*\nfloor +exact +0 +0 +0 +0\n\z/s,
	'more than 64 numbers have a summary') or diag $out;
unlike($out, qr/^\[0\]/m, '  and are not listed');
mxcheck('quant', '--format', 'E2M1', '-v', $x);
like($out, qr/^\[1\]\[32\].*^floor +exact/ms, '  but with -v, and then the summary');
npy('double', '<f8', '3,', pack 'd<*', 0.1, 3, 1e300);
mxcheck('quant', '--format', 'E5M2', '-v', "$dir/double.npy");
is_deeply([ map { row($out, $_)->[0] } 0 .. 2 ], [qw(0x3DCCCCCD 0x40400000 0x7F800000)],
	'float64 is rounded to float32');
like($out, qr/^2 float64 numbers were rounded to float32 first$/m, '  and the report mentions it');
# [[[1, 2], [3, 4]], [[5, 6], [7, 8]]] with the first axis fastest.
spew("$dir/cube.npy", slurp(npy('cube', '<f4', '2, 2, 2', pack 'f<*', 1, 5, 3, 7, 2, 6, 4, 8)) =~
	s/False/True /r);
mxcheck('quant', '--format', 'E4M3', "$dir/cube.npy");
my @values = $out =~ /^\[\d\]\[\d\] +\S+ (\d)/mg;
is("@values", '1 2 3 4 5 6 7 8', 'arrays in Fortran order are read, rows along the last axis') or
	diag $out;
like($out, qr/^\[3\]\[1\]/m, '  and axes before it are counted through');
is_refused('two recipes for one file', '-o and --scales take one recipe', 'quant', @both, $x,
	@files);
quant_from('1,,2', '--format', 'E2M1', '-');
is("$status $err", "2 mxcheck quant: standard input: a number is missing between commas\n",
	'a missing number on standard input is refused');
quant_from('', '--format', 'E2M1', '-');
is("$status $err", "2 mxcheck quant: standard input: has no numbers\n", '  and an empty one');

# ---- dequant ----

mxcheck('dequant', '--format', 'E5M2', '--scale', '128', '0x7C', '0x7F', '1,0x80*2');
is_deeply([ $out =~ /0x80  (0x[0-9A-F]{8})/g ],
	[qw(0x7F800000 0x7FC00000 0x38000000 0x80000000 0x80000000)],
	'infinity, NaN, the least subnormal 2^-16 and -0, twice') or diag $out, $err;
mxcheck('dequant', '--format', 'E2M1', '--scale', '0xFF', '1');
like($out, qr/0x7FC00000 nan/, 'a NaN scale gives NaN');
mxcheck('dequant', '--format', 'E2M1', '--scale', '0', '1');
like($out, qr/0x00200000 /, 'scale 0 is 2^-127: 0.5 of it is a subnormal');

# ---- mfma ----

# (6 * 1 + 1 * -2) * 2 + 0.5 = 8.5
my @mfma = ('mfma', '--format', 'E2M1', '--a', '7,2', '--b', '0x2,0xC', '--sa', '128', '--c',
	'0.5');
is(mxcheck(@mfma), 0, 'one output element of typed codes') or diag $err;
my %result = $out =~ /^(\w+) +0x([0-9A-F]{8}) /mg;
is_deeply([ grep { $result{$_} ne '41080000' } keys %result ], [], 'every profile has 8.5');
ok($result{block32} && $result{fused}, 'block32 and fused are among them');
mxcheck(@mfma, '--profile', 'fused');
is_deeply([ $out =~ /^(\w+) +0x41080000/mg ], ['fused'], '--profile names one');

# 2^24 + 1 is a tie and goes to even, 2^24; then 1 more again. fused adds 1 + 1 first.
my @part = ('mfma', '--format', 'E4M3', '--a', '0x38,0*31,0x38,0*31', '--b', '0x38,0*31,0x38,0*31',
	'--c', '16777216');
mxcheck(@part, '--explain');
like($out, qr/^block32 +0x4B800000  16777216 /m, 'block32 loses 1 twice');
like($out, qr/^fused +0x4B800001  16777218 /m, 'fused adds 2');
like($out, qr/^block32 and fused diverge at k 64: 0x4B800000 and 0x4B800001; at the end they differ$/m,
	'the explanation has the first difference');
like($out, qr/^  k 32 +0x38 1 +\* 0x38 1 += 1$/m, '  with the products');
like($out, qr/^  sum +1 \* 2\^0 = 1; scaled 1 \* 2\^0 = 1$/m, '  the exact sum');
like($out, qr/^  block32 +0x4B800000 \(16777216\) -> .*, the exact sum is \+0\.5 ulp from it$/m,
	'  and how far the accumulator is from it') or diag $out;
unlike($out, qr/BUG/, '  and nothing contradicts mx_mma_block_dot');
mxcheck(@part, '--mma-k', '64', '--explain', '--profile', 'fused');
like($out, qr/K 64, 1 instruction of 64/, '--mma-k sets the instruction');

# 0x79 is 9/8 in E5M3, 0xBA is -5/4 in E4M3: 6 * 9/8 * -5/4 + 1 = -7.4375.
my @scales = ('mfma', '--format', 'E2M1', '--a', '7,0*16,2', '--b', '2,0*16,2', '--block', '16',
	'--scale-format', 'E5M3,E4M3', '--sb', '0xBA,0x38', '--profile', 'fused');
mxcheck(@scales, '--sa', '0x79,0x78', '--explain');
like($out, qr/^fused +0xC0EE0000  -7\.4375 /m, 'scales of E5M3 and E4M3 for blocks of 16') or diag $err;
like($out, qr/^block 0, k 0\.\.15, scales 0x79 and 0xBA: -45 \* 2\^-5 = -1\.40625$/m,
	'  are explained');
mxcheck(@scales, '--scale-format', 'E4M3');
like($out, qr/^fused +0xC0D00000  -6\.5 /m, '  and are 1 by default, in their format');
is(mxcheck(@scales, '--scale-format', 'E5M2'), 2, '--scale-format refuses others');
like($err, qr/--scale-format E5M2: not E8M0, E5M3 or E4M3/, '  and names those that there are');
is(mxcheck(@scales, '--block', '48'), 2, '--block, too');

# At random: the explanation agrees with mx_mma_block_dot. The widest spread of scales has scale NaN
# and codes that are no numbers, the others do not.
my ($seed, $bugs, $runs, $finite) = (1, 0, 0, 0);
sub rnd { $seed = ($seed * 1103515245 + 12345) % 2**31; return int(($seed >> 8) % $_[0]) }
for my $f ([ E2M1 => 4, 8 ], [ E4M3 => 8, 0x7F ], [ E5M2 => 8, 0x7C ], [ E2M3 => 6, 32 ],
	[ E3M2 => 6, 32 ]) {
	my ($name, $bits, $numbers) = @$f;
	for my $spread (8, 40, 254, 256) {
		my $codes = $spread == 256 ? 1 << $bits - 1 : $numbers;
		my @v = map { join ',', map { rnd($codes) | rnd(2) << $bits - 1 } 1 .. 192 } 1, 2;
		my $low = 127 - $spread / 2;
		my $block = 16 << $runs % 2;
		my @s = map { join ',', map { ($low + rnd($spread)) & 255 } 1 .. 192 / $block } 1, 2;
		mxcheck('mfma', '--format', $name, '--a', $v[0], '--b', $v[1], '--sa', $s[0],
			'--sb', $s[1], '--block', $block,
			'--scale-format', ('E8M0', 'E5M3', 'E4M3', 'E5M3,E8M0', 'E8M0')[ $runs % 5 ],
			'--c', '-3.25', '--explain');
		$runs++;
		$finite++ if $out =~ /^  fused .*->(?!.*special)/m;
		next unless $status || $out =~ /BUG/ || $out !~ /^fused /m;
		$bugs++;
		diag "$name $spread: $out$err";
	}
}
is($bugs, 0, "exact sums agree with mx_mma_block_dot in $runs random elements of 192");
cmp_ok($finite, '>', $runs / 2, "  $finite of them with numbers");

u8('a', '2, 32', (0) x 32, 7, 2, (0) x 30);
u8('bm', '3, 32', (0) x 64, 2, 0xC, (0) x 30);
u8('sa', '2, 1', 0, 128);
u8('sb', '3, 1', 0, 0, 127);
f32('c', '2, 3', 0, 0, 0, 0, 0, 0.5);
my @matrices = ('mfma', '--format', 'E2M1,E2M1', '--a', "$dir/a.npy", '--b', "$dir/bm.npy", '--sa',
	"$dir/sa.npy", '--sb', "$dir/sb.npy");
is(mxcheck(@matrices, '--c', "$dir/c.npy", '--row', '1', '--col', '2'), 0,
	'an element of matrices') or diag $err;
like($out, qr/^block32 +0x41080000 /m, '  is the same');

# ---- compare ----

my @zero = (1) x 4096;
sub compare_with {
	my ($which) = @_;
	my @other = map { $which->(int($_ / 64), $_ % 64) ? 2 : 1 } 0 .. 4095;
	f32('one', '64, 64', @zero);
	f32('two', '64, 64', @other);
	return mxcheck('compare', "$dir/one.npy", "$dir/two.npy");
}
is(compare_with(sub { 0 }), 0, 'equal files are status 0');
is($out, "equal: 4096 elements (64 x 64, f32)\n", '  and reported as equal');
my %pattern = (
	'rows: 1 of 64 holds all mismatches, 64 of their 64 elements; row 5' => sub { $_[0] == 5 },
	'columns: 2 of 64 hold all mismatches, 128 of their 128 elements; column 5, 60' =>
		sub { $_[1] == 5 || $_[1] == 60 },
	'16x16 tiles: 1 of 16 holds all mismatches, 256 of their 256 elements; tile [1][2]' =>
		sub { $_[0] >> 4 == 1 && $_[1] >> 4 == 2 },
	'32x32 tiles: 1 of 4 holds all mismatches, 1024 of their 1024 elements; tile [1][0]' =>
		sub { $_[0] > 31 && $_[1] < 32 },
	'rows modulo 4: 1 of 4 holds all mismatches, 1024 of their 1024 elements; remainder 3' =>
		sub { $_[0] % 4 == 3 },
	'columns modulo 16: 1 of 16 holds all mismatches, 256 of their 256 elements; remainder 7' =>
		sub { $_[1] % 16 == 7 },
	'none: ' => sub { ($_[0] * 37 + $_[1] * 101 + $_[0] * $_[1] * 7) % 29 == 3 },
);
for (sort keys %pattern) {
	is(compare_with($pattern{$_}), 1, 'different files are different');
	like($out, qr/^pattern +\Q$_\E/m, "  pattern $_") or diag $out;
}
f32('one', '256, 160', (1) x 40960);
f32('two', '256, 160', map { $_ >= 20480 ? 2 : 1 } 0 .. 40959);
mxcheck('compare', "$dir/one.npy", "$dir/two.npy");
like($out, qr/^pattern +128-high bands of rows: 1 of 2 holds all mismatches, .*; band 1$/m, 'a band') or diag $out;
u8('s1', '4, 64', (127) x 256);
u8('s2', '4, 64', (127, 127, 126, 127) x 64);
mxcheck('compare', "$dir/s1.npy", "$dir/s2.npy");
like($out, qr/^pattern +bytes of the scale word \(columns modulo 4\): 1 of 4 .*; byte 2$/m,
	'bytes: the scale word') or diag $out;

# Neighbours, 3 apart, -0 against +0, NaN of other payloads, NaN against a number.
npy('u1', '<f4', '2, 3', pack 'V*', 0x3F800000, 0x3F800000, 0, 0x7FC00000, 0x7FC00000, 0x3F800000);
npy('u2', '<f4', '2, 3',
	pack 'V*', 0x3F800001, 0x3F7FFFFD, 0x80000000, 0x7FC00001, 0x3F800000, 0x3F800000);
is(mxcheck('compare', "$dir/u1.npy", "$dir/u2.npy"), 1, 'distances');
like($out, qr/^different: 4 of 6 elements/, '  four differ');
like($out, qr/^first mismatch   \[0\]\[0\]: +1 \(0x3f800000\)  against +1\.00000012 \(0x3f800001\)$/m,
	'  the first') or diag $out;
like($out, qr/^ulp +largest 3 at \[0\]\[1\]:  -0\/\+0: 1  1: 1  3-4: 1  NaN or infinity .*: 1$/m,
	'  the histogram') or diag $out;
like($out, qr/^nan +1 NaNs differ in payload/m, '  payloads do not count');
# Signal 1 + 1 in row 0, 4 in row 1; errors 0.5 and 1.
f32('e1', '2, 2', 1, 1, 4, 0);
f32('e2', '2, 2', 1.5, 1, 4, 1);
mxcheck('compare', "$dir/e1.npy", "$dir/e2.npy");
like($out, qr/^snr +11\.58 dB$/m, 'SNR: 10 log10(18 / 1.25)');
like($out, qr/^worst row +0: relative error 0\.354$/m, 'worst row: 0.5 / sqrt 2') or diag $out;
npy('b2', '<u2', '2,', pack 'v*', 0x3F80, 0xC001);
mxcheck('compare', '--bf16', "$dir/b.npy", "$dir/b2.npy");
like($out, qr/^ulp +largest 1 at \[0\]\[1\]/m, 'bfloat16: neighbours') or diag $out;

npy('n1', '<u2', '1,', pack 'v', 0x8001);
npy('n2', '<u2', '1,', pack 'v', 0x0002);
mxcheck('compare', '--bf16', "$dir/n1.npy", "$dir/n2.npy");
like($out, qr/^ulp +largest 3 /m, '  across zero: one below, two above') or diag $out;

# ---- bad input ----

my @e2m1 = ('--format', 'E2M1');
is_refused('no format', '--format is missing', 'quant', '1');
is_refused('an unknown format', '--format E2M2: not one of', 'quant', '--format', 'E2M2', '1');
is_refused('an unknown recipe', '--recipe best: no such recipe', 'quant', @e2m1, '--recipe',
	'best', '1');
is_refused('a recipe of other formats', 'recipe triton is not defined for E4M3', 'quant',
	'--format', 'E4M3', '--recipe', 'triton', '1');
is_refused('an unknown rounding', '--rounding up: not rne, rna, rtz or sr', 'quant', @e2m1,
	'--rounding', 'up', '1');
is_refused('an unknown axis', '--axis k: not row or col', 'quant', @e2m1, '--axis', 'k', '1');
is_refused('an unknown block', '--block 16: not 1x32 or 32x32', 'quant', @e2m1, '--block', '16',
	'1');
is_refused('an unknown option', '--frobnicate: no such option', $_,
	'--frobnicate') for qw(quant dequant mfma compare);
is_refused('an option without its value', '--format needs a value', 'quant', '--format');
is_refused('a flag with a value', '--packed takes no value', 'quant', '--packed=1');
is_refused('nothing to quantise', 'no numbers and no file', 'quant', @e2m1);
is_refused("the number '$_'", "'$_' is not a number", 'quant', @e2m1, '1', $_)
	for '1x', '', ' 1', '0x3F8', '0x3F8000000', 'one';
is_refused('a seed', '--seed -1: not a number', 'quant', @e2m1, '--seed', '-1', '1');
is_refused('codes without scales', '-o and --scales go together', 'quant', @e2m1, $x, '-o',
	"$dir/c.npy");
is_refused('one file for both', 'name the same file', 'quant', @e2m1, $x, '-o', "$dir/c.npy",
	'--scales', "$dir/c.npy");
is_refused('a folder that is not there', "$dir/no/s.npy: cannot be written", 'quant', @e2m1, $x,
	'-o', "$dir/new.npy", '--scales', "$dir/no/s.npy");
ok(!glob("$dir/new.npy*"), '  and nothing is written');

my $raw = slurp($x);
is_refused('a file that is not there', 'No such file', 'quant', @e2m1, "$dir/none.npy");
spew("$dir/bad.npy", substr $raw, 0, -1);
is_refused('a truncated file', "$dir/bad.npy: truncated: 263 bytes of data, its shape needs 264",
	'quant', @e2m1, "$dir/bad.npy");
spew("$dir/bad.npy", $raw =~ s/<f4/>f4/r);
is_refused('a big-endian file', 'big-endian', 'quant', @e2m1, "$dir/bad.npy");
spew("$dir/bad.npy", $raw =~ s/False/True /r);
is_refused('a Fortran-ordered file with too little', 'truncated', 'quant', @e2m1, "$dir/bad.npy")
	if spew("$dir/bad.npy", substr $raw =~ s/False/True /r, 0, -1);
npy('empty', '<f4', '0, 4', '');
is_refused('an empty array', 'has no elements', 'quant', @e2m1, "$dir/empty.npy");
npy('huge', '<f4', '4294967296, 4294967296', '');
is_refused('an absurd shape', 'does not fit memory', 'quant', @e2m1, "$dir/huge.npy");
npy('whole', '<i4', '1,', pack 'l<', 1);
is_refused('whole numbers', 'is i32', 'quant', @e2m1, "$dir/whole.npy");
is_refused('uint16 without --bf16', 'is u16', 'quant', @e2m1, "$dir/b.npy");

is_refused('a code beyond the format', "'16' is not a number from 0 to 0xF", 'dequant', @e2m1,
	'16');
is_refused('no codes', 'no codes', 'dequant', @e2m1);
is_refused('a scale beyond a byte', '--scale 256: not a number from 0 to 0xFF', 'dequant', @e2m1,
	'--scale', '256', '1');
is_refused('two kinds of scales', 'not both', 'dequant', @e2m1, '--scale', '1', '--scales',
	"$dir/sa.npy", '1');
is_refused('scales of another shape', 'is 3 x 1; the codes need 2 x 1', 'dequant', @e2m1,
	'--scales', "$dir/sb.npy", "$dir/a.npy");
is_refused('codes of another type', 'is f32; codes and scales are u8', 'dequant', @e2m1, $x);
is_refused('a file among codes', 'one file, or codes', 'dequant', @e2m1, '1', "$dir/a.npy");
is_refused('packed codes taken for plain', 'not a code of E2M1', 'dequant', @e2m1, u8('p',
	'1, 2', 0x66, 1));

is_refused('a missing operand', '--b is missing', 'mfma', @e2m1, '--a', '1');
is_refused('operands of different K', 'K must agree', 'mfma', @e2m1, '--a', '1', '--b', '1,2');
is_refused('scales of another number', 'scales 1,2: 1 x 2, for codes of 1 rows and 1 blocks',
	'mfma', @e2m1, '--a', '1', '--b', '1', '--sa', '1,2');
is_refused('an unknown profile', "--profile: no profile 'gfx950'; there are block32, fused, ", 'mfma', @e2m1, '--a', '1',
	'--b', '1', '--profile', 'gfx950');
is_refused('another K of the instruction', '--mma-k 32: not 64 or 128', 'mfma', @e2m1, '--a', '1',
	'--b', '1', '--mma-k', '32');
is_refused('an unknown second format', '--format E9M9: not one of', 'mfma', '--format',
	'E2M1,E9M9', '--a', '1', '--b', '1');
is_refused('a matrix without --row', 'has 2 rows; select one with --row', @matrices, '--col', '0');
is_refused('a row that is not there', '--row 2: not a row of', @matrices, '--row', '2', '--col',
	'0');
is_refused('an accumulator', '--c x: not a number', 'mfma', @e2m1, '--a', '1', '--b', '1', '--c',
	'x');
is_refused('a repetition', "'*0' is not a number of repeats", 'mfma', @e2m1, '--a', '1*0', '--b',
	'1');
is_refused('codes beside options', 'give codes with --a and --b', 'mfma', @e2m1, '--a', '1', '2');

is_refused('one file', 'takes two .npy files', 'compare', $x);
is_refused('different types', 'is f32, ', 'compare', $x, "$dir/a.npy");
is_refused('different shapes', 'x.npy is 2 x 33, ', 'compare', $x, "$dir/one.npy");
is_refused('bfloat16 of another type', 'bfloat16 is stored as u16', 'compare', '--bf16', $x, $x);

done_testing();
