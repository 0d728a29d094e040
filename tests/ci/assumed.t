#!/usr/bin/perl
# Notes, which fail no run: assumptions, and wait states that one source requires. They are counted,
# or printed in full.
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

is(mxcheck('run', '--case', case_of(2)), 0, 'a float with the value of a byte passes');
unlike($out, qr/assumed/, '  without an assumption');
is(mxcheck('run', '--case', case_of(2.5)), 0, 'a float that must be rounded passes');
like($out, qr/^      notes: 1 assumed \(--notes prints them\)$/m, '  with a note, counted');
unlike($out, qr/assumed: /, '  not printed');
is(mxcheck('run', '--notes', '--case', case_of(2.5)), 0, '--notes changes no status');
unlike($out, qr/--notes prints them/, '  and counts none');
my @notes = $out =~ /^ +assumed: (bytes\+0x\w+ v_cvt_pk_u8_f32 .*)$/mg;
is(@notes, 1, '  with one note for all lanes') or diag $out;
like($notes[0] // '', qr/: f32 to a byte rounds as MODE selects.*; workgroup 0,0,0 wave 0 lane 0/,
	'  that names the rule and the place');
is(mxcheck('run', '--race', 20, '--case', case_of(2.5)), 0, 'a hunt passes too');

my $case = 'foreign/mxfp6_scratch/16x64x128/exact';
is(mxcheck('--device', 'emu', $case), 0, 'a kernel with wait states that only LLVM requires passes');
my ($n) = $out =~ /^      notes: (\d+) wait-states-note /m;
is(mxcheck('--device', 'emu', '--notes', $case), 0, '  with --notes, too');
my @some = $out =~ /^      wait-states-note: (?!and)(.*)$/mg;
my ($more) = $out =~ /^      wait-states-note: and (\d+) more$/m;
ok($n && @some + ($more // 0) == $n, '  prints as many as were counted') or diag $out;
my ($co) = "$build/kernels/foreign/mxfp6_scratch.co";
mxcheck('lint', $co);
unlike($out, qr/wait-states-note:/, 'lint does not print notes either');
like($out, qr/^\d+ findings?, [1-9]\d* notes? \(--notes prints them\)$/m, '  but counts them');
mxcheck('lint', '--notes', $co);
like($out, qr/^  wait-states-note: /m, '  and prints them with --notes');
done_testing;
