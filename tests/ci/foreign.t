#!/usr/bin/perl
# Kernels from elsewhere: buffers saved, given and expected as .npy files; the examples of
# cases/foreign under many schedules.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($dir, $status, $out, $err);

my $asm  = slurp('cases/foreign/mxfp8_asm.yaml');
my $name = 'foreign/mxfp8_asm/32x47x512/general';

is(mxcheck('--save', "$dir/saved", $name), 0, 'the assembly example passes, and is saved');
my $saved = "$dir/saved/$name";
is(-s "$saved/C.npy", 128 + 4 * 32 * 47, 'C.npy has M x N floats');
is(-s "$saved/A.npy", 128 + 32 * 512, 'A.npy has its codes');

# The same launch from files: inputs as saved, the output as expected.
sub from_files {
	my ($judge, %edits) = @_;
	my $text = $asm;
	$text =~ s/^(  - \{name: (A|SA|B|SB),.*)\}$/$1, data: $saved\/$2.npy}/mg;
	$text =~ s/^(  - \{name: C,.*)\}$/$1, expect: $saved\/C.npy}/m if $judge eq 'expect';
	$text =~ s/^verdict: .*/verdict: {judge: $judge}/m if $judge ne 'bits';
	$text =~ s/^(runs:\n).*/$1  - {M: 32, N: 47, K: 512, regime: general}\n/ms;
	$text =~ s/\Q$_\E/$edits{$_}/ for keys %edits;
	return spew("$dir/case.yaml", $text);
}

is(mxcheck('run', '--case', from_files('bits')), 0, 'inputs of files give the same verdict');
like($out, qr{bits 1504/1504}, 'on every element');
is(mxcheck('run', '--case', from_files('expect')), 0, 'the output equals the saved one');
like($out, qr{bytes 6016/6016}, 'byte for byte');
is(mxcheck('run', '--case', from_files('none')), 0, 'without numbers, no finding');
like($out, qr/no numbers judged/, 'and the report has no numbers');

my $bytes = slurp("$saved/C.npy");
substr($bytes, 128 + 4 * 47 + 9, 1) ^= "\x40";
spew("$saved/C.npy", $bytes);
is(mxcheck('run', '--case', from_files('expect')), 1, 'one bit of the file changed: it fails');
like($out, qr/wrong-bytes: C: byte 197 \(line 1, byte 9 of it\) is 0x.., must be 0x..; 1 of 6016/,
	'at that byte');

is(mxcheck('run', '--case', from_files('expect', "$saved/C.npy" => "$saved/A.npy")), 2,
	'a file of another type is bad input');
like($err, qr/A.npy has u8, but must have f32/, 'with the type that it must have');
is(mxcheck('--save', '/proc/none', $name), 2, 'a folder that cannot be made is bad input');

my $schedules = is_long() ? 100 : 20;
is(mxcheck('--race', $schedules, 'foreign/*'), 0, "all examples, $schedules schedules each")
	or diag $out, $err;
done_testing();
