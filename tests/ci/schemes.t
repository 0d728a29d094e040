#!/usr/bin/perl
# mxcheck quant and dequant with --scheme: values worked out by hand, files there and back, and what
# is refused.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

sub npy {
	my ($name, $descr, $shape, $data) = @_;
	my $header = "{'descr': '$descr', 'fortran_order': False, 'shape': ($shape), }\n";
	return spew("$dir/$name.npy",
		"\x93NUMPY\x01\x00" . pack('v', length $header) . $header . $data);
}

sub header_of { return slurp("$dir/$_[0].npy") =~ /(\{.*\})/ ? $1 : '' }

sub data_of {
	my ($name, $format) = @_;
	my $bytes = slurp("$dir/$name.npy");
	return unpack "$format*", substr $bytes, 10 + unpack 'v', substr $bytes, 8, 2;
}

# The columns scale, code and value of each line.
sub table_is {
	my ($sentence, $want, @arguments) = @_;
	mxcheck(@arguments);
	my @got = map { /^\[\d+\]\[\d+\] +(?:0x\w{8} \S+ +)?(\S+) +(0x\w\w)  0x\w{8} (\S+)/ ? "$1 $2 $3" : () }
		split /\n/, $out;
	is(join(', ', @got), $want, $sentence) or diag "exit $status\n$out$err";
}

sub is_refused {
	my ($sentence, $want, @arguments) = @_;
	mxcheck(@arguments);
	ok($status == 2 && $err =~ /\A[^\n]+\n\z/ && index($err, $want) >= 0 && $out eq '',
		"$sentence is refused: $want") or diag "exit $status\n$out$err";
}

# ---- by hand ----

table_is('FP8 of DeepSeek: the scale is amax over 448, and x over it rounded', 
	'2 0x7E 896, 2 0xB8 -2, 2 0x30 1', qw(quant --scheme deepseek 896 -2 1));
table_is('E4M3FNUZ has twice the codes for half the range',
	'1 0x7F 240, 1 0xC0 -1, 1 0x00 0, 1 0x80 nan', qw(quant --scheme none --format E4M3FNUZ 240 -1 -0 nan));
table_is('E5M2FNUZ: infinity is the largest',
	'1 0x7F 57344, 1 0x01 7.62939453e-06', qw(quant --scheme none --format e5m2fnuz inf 0x1p-17));
table_is('vLLM clamps a zero tensor to the largest: 0 times 1/0', 
	'0 0x7E 0', qw(quant --scheme vllm-tensor 0));
table_is('MXINT8 leaves -128 unused', '0x7F 0x7F 1.984375, 0x7F 0x81 -1.984375',
	qw(quant --scheme mxint8 1.9999 -1.9999));
table_is('and uses it', '0x7F 0x80 -2', qw(quant --scheme mxint8-full -1.9999));
table_is('MX6: a pair with smaller exponents halves its step',
	'0xFE81 0x0E 7, 0xFE81 0x01 0.5, 0xFE81 0x0C 3, 0xFE81 0x11 -0.25',
	qw(quant --scheme quark-mx6 7 0.5 3 -0.25));
mxcheck(qw(quant --scheme nvfp4-torchao 2688 6 -3));
like($out, qr/\Atensor scale 0x3F800000 1\n/, 'NVFP4 prints the scale of the tensor');
table_is('NVFP4 with a given scale of the tensor', '0x40 0x07 6, 0x40 0x0D -3',
	qw(quant --scheme nvfp4-torchao --tensor-scale 0.5 6 -3));

# ---- files ----

my @x = map { sin $_ } 1 .. 3 * 40;
my $x = npy('x', '<f4', '3, 40', pack 'f<*', @x);
my @files = ("$dir/codes.npy", "$dir/scales.npy", "$dir/tensor.npy", "$dir/y.npy");
for my $case (['torchao', 'row', '<f4', '3, 1', '|u1', 40], ['nvfp4-modelopt', '1x16', '|u1', '3, 3', '|u1', 20],
	['mxint8', '1x32', '|u1', '3, 2', '|u1', 40], ['quark-mx9', '1x16', '|u1', '3, 6', '|u1', 40],
	['quark-mx6', '1x16', '|u1', '3, 6', '|u1', 25]) {
	my ($scheme, $per, $descr, $shape, undef, $packed) = @$case;
	my @tensor = $scheme =~ /nvfp4/ ? ('--tensor', $files[2]) : ();
	mxcheck('quant', '--scheme', $scheme, '--per', $per, $x, '-o', $files[0], '--scales', $files[1], @tensor);
	my @headers = (header_of('codes'), header_of('scales'));
	ok($status == 0 && $headers[0] =~ /'\|u1'.*\(3, 40,\)/ && $headers[1] =~ /'\Q$descr\E'.*\($shape,\)/,
		"$scheme writes 3 x 40 codes and $shape scales of $descr") or diag "$err@headers";
	mxcheck('dequant', '--scheme', $scheme, '--per', $per, '--scales', $files[1], @tensor, $files[0], '-o', $files[3]);
	my @y = data_of('y', 'f<');
	my $far = grep { abs($x[$_] - $y[$_]) > 0.2 } 0 .. $#x;
	ok($status == 0 && @y == @x && !$far, "$scheme: values come back") or diag "$err$far are far";
	mxcheck('quant', '--scheme', $scheme, '--packed', $x, '-o', $files[0], '--scales', $files[1], @tensor);
	like(header_of('codes'), qr/\(3, $packed,\)/, "$scheme: a packed row of 40 takes $packed bytes");
	mxcheck('dequant', '--scheme', $scheme, '--per', $per, '--packed', '--scales', $files[1], @tensor, $files[0], '-o', $files[3])
		if $scheme ne 'torchao';
	my @again = data_of('y', 'f<');
	is("@again[0 .. 39]", "@y[0 .. 39]", "$scheme: and packed codes bring the same back");
}

mxcheck('quant', '--scheme', 'deepseek', '--axis', 'col', $x, '-o', $files[0], '--scales', $files[1]);
like(header_of('codes'), qr/\(40, 3,\)/, 'blocks down the columns: codes of the transpose');
mxcheck('dequant', '--scheme', 'deepseek', '--axis', 'col', '--scales', $files[1], $files[0], '-o', $files[3]);
my @y = data_of('y', 'f<');
ok($status == 0 && header_of('y') =~ /\(3, 40,\)/ && abs($y[7] - $x[7]) < 0.1, 'which come back as they were');

# ---- refused ----

is_refused('an unknown scheme', 'no such scheme', qw(quant --scheme nvfp5 1));
is_refused("another scheme's format", 'not defined for format E4M3, only for INT8', qw(quant --scheme mxint8 --format E4M3 1));
is_refused("another scheme's blocks", 'has no scale per 1x32, only per 1x128 128x128', qw(quant --scheme deepseek --per 1x32 1));
is_refused('a recipe beside a scheme', 'excludes --recipe', qw(quant --scheme mxint8 --recipe floor 1));
is_refused('--per without a scheme', 'need --scheme', qw(quant --format E2M1 --per row 1));
is_refused('a scale of the tensor where there is none', 'no scale of the tensor', qw(quant --scheme mxint8 --tensor-scale 1 1));
is_refused('a scale of the tensor that is no number', 'not a number', qw(quant --scheme nvfp4-vllm --tensor-scale x 1));
is_refused('NVFP4 files without the scale of the tensor', '--tensor', 'quant', '--scheme', 'nvfp4-vllm', $x, '-o', $files[0], '--scales', $files[1]);
is_refused('one name for two files', '--tensor names', 'quant', '--scheme', 'nvfp4-vllm', $x, '-o', $files[0], '--scales', $files[1], '--tensor', $files[0]);
is_refused('dequantising NVFP4 without the scale of the tensor', '--tensor-scale or --tensor', 'dequant', '--scheme', 'nvfp4-vllm', '--scales', $files[1], $files[0]);
is_refused('dequantising without scales', 'needs --scales', qw(dequant --scheme mxint8 1));
is_refused('scales of another shape', 'the codes need', 'dequant', '--scheme', 'torchao', '--per', 'row', '--scales', $x, $files[0]);
is_refused('scales of another type', "scales are u8", 'dequant', '--scheme', 'mxint8', '--scales', $x, $files[0]);
is_refused('an element of schemes as an MFMA operand', 'not one of E4M3', qw(mfma --format INT8 --a 1 --b 1));

done_testing();
