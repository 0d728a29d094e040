#!/usr/bin/perl
# A run whose result rests on an assumption passes, and says so.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

spew("$dir/bytes.c", <<'END');
__attribute__((device_kernel)) void bytes(unsigned *out, float x) {
	unsigned byte;
	__asm__("v_cvt_pk_u8_f32 %0, %1, 0, 0" : "=v"(byte) : "v"(x));
	out[__builtin_amdgcn_workitem_id_x()] = byte;
}
END
compile("$dir/bytes.c", "$dir/bytes.co");

sub case_of {
	my ($x) = @_;
	return spew("$dir/bytes.yaml", <<"END");
name: test/bytes
title: one byte of a float
code: bytes.co
kernel: bytes
grid: ["4"]
block: [64]
buffers:
  - {name: out, role: none, type: u32, rows: 1, cols: 64}
kernarg:
  - {offset: 0, type: ptr, value: out}
  - {offset: 8, type: f32, value: $x}
verdict: {judge: none}
runs:
  - {M: 1, N: 1, K: 32, regime: exact}
END
}

is(mxcheck('run', '--case', case_of(2)), 0, 'a float that is a byte passes');
unlike($out, qr/assumed: /, '  on no assumption');
is(mxcheck('run', '--case', case_of(2.5)), 0, 'one that has to be rounded passes');
my @notes = $out =~ /^ +assumed: (bytes\+0x\w+ v_cvt_pk_u8_f32 .*)$/mg;
is(@notes, 1, '  with one note for all lanes') or diag $out;
like($notes[0] // '', qr/: f32 to a byte rounds as MODE asks.*; workgroup 0,0,0 wave 0 lane 0/,
	'  that names the rule and the place');
is(mxcheck('run', '--race', 20, '--case', case_of(2.5)), 0, 'a hunt passes too');
done_testing;
