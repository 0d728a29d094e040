#!/usr/bin/perl
# An unwritten byte is not a result, whatever its value: for every judge and type of output, on the
# emulator, which records the state of each byte, and on a device that does not.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
require './tests/ci/product_case.pl';
our ($build, $dir, $status, $out, $err);

my $co = "$build/tests/ci/unwritten.gpu.co";
my @devices = 'emu';
SKIP: {
	skip 'there is an AMD GPU driver here', 1 if -e '/dev/kfd';
	skip 'a runtime without sanitizers does not load into one with them', 1 if $ENV{SAN};
	make_slow_hip();
	push @devices, 'hip';
	pass('a runtime without the emulator is available');
}

sub on {
	my ($device, $case) = @_;
	local $ENV{LD_LIBRARY_PATH} = join ':', $dir, $ENV{LD_LIBRARY_PATH} // ();
	return mxcheck('run', '--device', $device, '--case', $case, '--co', $co);
}

sub is_right {
	my ($sentence, $case) = @_;
	for my $device (@devices) {
		is(on($device, $case), 0, "$device: $sentence: passes") or diag $out, $err;
	}
}

sub is_found_on {
	my ($device, $sentence, $want, $kind, $case) = @_;
	on($device, $case);
	my ($found) = grep { $_ eq $kind } kinds($out);
	is("$status " . ($found // 'nothing'), "$want $kind", "$device: $sentence: $kind")
		or diag $out, $err;
}

sub is_found {
	my ($sentence, $kind, $case) = @_;
	is_found_on($_, $sentence, 1, $kind, $case) for @devices;
}

# ---- products ----

for (['f32', 'bits'], ['f32', 'bound'], ['bf16', 'bits'], ['bf16', 'bound'], ['bf16', 'set'],
	['f16', 'bits'], ['f16', 'bound']) {
	my ($type, $judge) = @$_;
	my $stores = $judge eq 'set' ? 'sum' : $type;
	is_right("$judge, $type", product_case("all_$stores", $type, $judge));
	is_found("$judge, $type: NaN are not stored", 'not-written',
		product_case("no_nan_$stores", $type, $judge));
}
like($out, qr/is 0xffff \(-?nan\), must be about 0x[7f][0-9a-f]{3} \(-?nan\); \d+ of 3072 elements are wrong, \d+ of them not written/,
	'the present value is printed, with the number of unwritten elements');
is_found("bits, $_: half of a NaN is stored", 'not-written', product_case("half_nan_$_", $_, 'bits'))
	for 'f32', 'bf16';

my $group = "groups: {rows: [M], padding: kept}\n";
is_right('a group', product_case('all_bf16', 'bf16', 'bits', $group));
is_found('a group: NaN are not stored', 'not-written', product_case('no_nan_bf16', 'bf16', 'bits', $group));

my $epilogue = "epilogue: {order: mul_add, alpha: 1}\n";
is_found('an epilogue: NaN are not stored', 'not-written',
	product_case('no_nan_f32', 'f32', $_, $epilogue)) for 'bits', 'bound';

is_found('padding of a line: its present bits are written', 'guard-changed',
	product_case('gap_f32', 'f32', 'bits'));

# ---- files of bytes: scales, packed codes, integers ----

my @bytes = map { $_ % 5 ? ($_ * 7) % 256 : 0xff } 0 .. 255;

sub npy {
	my ($file, $type, $shape) = @_;
	my $header = "{'descr': '$type', 'fortran_order': False, 'shape': ($shape), }";
	$header .= ' ' x (117 - length $header) . "\n";
	return spew("$dir/$file", "\x93NUMPY\x01\x00" . pack('v', length $header) . $header
		. pack('C*', @bytes));
}

sub bytes {
	my ($kernel, $type, $cols, $npy_type, $npy_cols) = @_;
	npy('want.npy', $npy_type, "4, $npy_cols");
	return spew("$dir/case.yaml", <<"END");
name: bytes
kernel: $kernel
grid: [4]
block: [64]
buffers:
  - {name: IN,  role: none, type: $type, rows: 4, cols: $cols, data: want.npy}
  - {name: OUT, role: none, type: $type, rows: 4, cols: $cols, data: poison, expect: want.npy}
kernarg:
  - {offset: 0, type: ptr, value: OUT}
  - {offset: 8, type: ptr, value: IN}
verdict: {judge: expect}
runs:
  - {M: 1, N: 1, K: 32, regime: exact}
END
}

for (['e8m0', 64, '|u1', 64], ['e2m1', 128, '|u1', 64], ['i32', 16, '<i4', 16]) {
	my ($type, @shape) = @$_;
	is_right("a file of $type", bytes('copy', $type, @shape));
	is_found("a file of $type: bytes of 0xFF are not stored", 'not-written',
		bytes('copy_no_ones', $type, @shape));
}
like($out, qr/OUT: byte 0 \(line 0, byte 0 of it\) is 0xff, must be 0xff; (\d+) of 256 bytes are wrong, \1 of them not written/,
	'an unwritten byte with the right value is wrong');

# Atomics leave other bytes in each launch: a byte that equals the poison by chance was written.
if (@devices > 1) {
	local $ENV{LD_LIBRARY_PATH} = join ':', $dir, $ENV{LD_LIBRARY_PATH} // ();
	is(mxcheck('--device', 'hip', 'gemm/mxfp4_splitk4/33x18x1312/general'), 0,
		'hip: a kernel with other bytes in each launch passes') or diag $out, $err;
}

# To store half a byte the kernel reads the other half, which the emulator reports.
my $nibbles = bytes('copy_nibbles', 'e2m1', 128, '|u1', 64);
is_found_on('emu', 'nibbles of 0xF are not stored', 3, 'uninitialised', $nibbles);
is_found_on('hip', 'nibbles of 0xF are not stored', 1, 'not-written', $nibbles) if @devices > 1;

done_testing();
