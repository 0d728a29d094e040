#!/usr/bin/perl
# Looking into a run: --who, --trace, --watch and --break agree.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

my $run = 'gemm/mxfp4_f32/129x128x256/exact';

# ---- who ----

is(mxcheck('--who', 'C[1,2]', '--depth', 6, $run), 0, '--who runs the case');
my $chain = $out;
my ($pc, $register, $lane, $issued, $landed) = $chain =~
	/^  from mxfp4_gemm_f32\+0x(\w+) buffer_store_dword (v\d+), .*; workgroup 0,0,0 wave 0 lane (\d+), issued at (\d+), landed at (\d+)$/m;
like($chain, qr/^C\[1\]\[2\] \(byte 520 of C\)\n  from /m, 'it names the location');
ok($landed, '  and the store that wrote it, with its time') or diag $chain;
my ($value, $made) = $chain =~ /^    data $register = 0x(\w{8})\n      from mxfp4_gemm_f32\+0x(\w+) v_mfma_/m;
ok($made, '  its data, and the matrix instruction that computed it') or diag $chain;
like($chain, qr/^ +memory at A\[1\]\[\d+\] \(byte \d+ of A\) = 0x\w{8}, from before the launch$/m,
	'the chain ends in row 1 of A');
like($chain, qr/^ +memory at B\[2\]\[\d+\] \(byte \d+ of B\) = 0x\w{8}, from before the launch$/m,
	'  and column 2 of B');
like($chain, qr/^( +)LDS at byte \d+ = (0x\w{8})\n +from \S+ buffer_load_dwordx4 \S+ .* lds; .*\n +memory at [AB]\[\d\]\[\d+\] \(byte \d+ of [AB]\) = \2, from before/m,
	'  through LDS and the load that filled it, unchanged');
is(() = $chain =~ /^pass /mg, 1, 'the case is judged');
mxcheck('--who', 'C:520', '--depth', 6, $run);
is($out =~ s/[\d.]+ s\b//gr, $chain =~ s/[\d.]+ s\b//gr, 'C:520 is the same location, with the same chain');
mxcheck('--who', 'C[1][2]', '--depth', 0, $run);
like($out, qr/^    data $register = 0x$value\n    address v\d+ = 0x00000208\n    descriptor s8 = 0x\w+ 0x\w+ 0x\w+ 0x\w+\npass /m,
	'--depth 0 is the writer and what it read');
mxcheck('--who', 'C:-4', $run);
like($out, qr/^byte -4 of C \(guard\): not written in this launch$/m, 'an unwritten location is reported as such');

# ---- trace: the last write of the register before the store ----

is(mxcheck('--trace', '0,0,0:0', '--lane', $lane, $run), 0, '--trace runs the case');
my ($now, $at, %last, $store) = (0, '');
for (split /\n/, $out) {
	if (/^ +(\d+)  0,0,0:0  \+0x(\w+) +(\S+)/) {
		($now, $at) = ($1, $2);
		$store //= $last{$register} if $now == $issued && $at eq $pc && !/lands$/;
	} elsif (/^ +(\w+) = lane $lane (\w+)/) {
		$last{$1} = "$at $2";
	}
}
is($store, "$made $value", 'it has the same writer and value of the data register at the same time');
like($out, qr/^ +$landed  0,0,0:0  \+0x$pc +buffer_store_dword .*  lands$/m, '  and the landing');
unlike($out, qr/^ +\d+  (?!0,0,0:0)/m, '  and no other wave');

# ---- watch ----

is(mxcheck('--watch', 'C[1,2]', $run), 0, '--watch runs the case');
my @access = grep { /^ +\d+  \d/ } split /\n/, $out;
is(@access, 1, 'an element of C is accessed once');
like($access[0], qr/^ +$landed  0,0,0:0  lane $lane writes C\[1\]\[2\] \(byte 520 of C\), 4 bytes: 0x$value  \+0x$pc +/,
	'  by the same store');
mxcheck('--watch', 'lds:0+16', '--trace', '0,0,0:0', $run);
like($out, qr/^ +\d+  0,0,0:\d  lane \d+ writes lds:0, 4 bytes: 0x\w+  \+0x\w+ +buffer_load_dwordx4 .* lds$/m,
	'writes to LDS are printed');
like($out, qr/^ +\d+  0,0,0:\d  lane \d+ reads lds:0, 4 bytes: 0x\w+  \+0x\w+ +ds_read_b128 /m, '  and reads');

# ---- break ----

is(mxcheck('--break', "0x$pc", '--trace', '0,0,0:0', '--lane', $lane, $run), 0, '--break runs the case');
my ($stop) = $out =~ /^( +$issued  0,0,0:0  \+0x$pc .*  <- break\n(?: {4}.*\n)+)/m;
my ($number) = $register =~ /(\d+)/;
my ($row) = ($stop // '') =~ /^    v@{[ $number - $number % 8 ]} +(.*)$/m;
is((split ' ', $row // '')[ $number % 8 ], $value, 'registers are printed there, the data among them');
like($stop, qr/^    exec \w{16}  vcc \w{16}  scc [01]  m0 \w{8}$/m, '  and EXEC, VCC, SCC and M0');
mxcheck('--break', "0x$pc", $run);
my %waves = map { $_ => 1 } $out =~ /^ +\d+  (\S+)  \+0x$pc .*<- break$/mg;
is(keys %waves, 8, 'without --trace every wave stops there');
mxcheck('--break', '0xfffffc', $run);
like($out, qr/^--break 0xfffffc: no wave reached it$/m, 'an offset that no wave reaches is reported as such');

# ---- a failure prints its origin and this command ----

my @broken = ('run', '--case', 'cases/gemm/mxfp4_f32.yaml', '--co', "$build/kernels/broken/loose_wait.co");
mxcheck(@broken, '*/128x128x1024/general');
my ($writer) = $out =~ /^ +C:\d+ was last written by (.*?;.*?), issued/m;
my ($command) = $out =~ /^ +its origin: (.*)$/m;
my ($accesses) = $out =~ /^ +its accesses, with lanes: (.*)$/m;
my @race = $out =~ /^ +race-lds: .*? that is written by .*? \(\+0x(\w+)\) of wave (\d)/m;
ok($writer && $command, 'a failing run names the last writer of the first wrong byte') or diag $out;
run('sh', '-c', "$command --depth 40");
like($out, qr/^  from \Q$writer\E/m, 'the command that it gives begins with it');
like($out, qr/^ +LDS at byte \d+ = 0x\w{8}, not yet written$/m,
	'  and finds LDS that was read before it was filled');
run('sh', '-c', $accesses);
like($out, qr/^ +\d+  0,0,0:$race[1]  lane \d+ writes lds:\d+, .* \+0x$race[0] +/m,
	'the command for a race finds the lane of the earlier access');

# ---- bad input ----

mxcheck('lint', "$build/kernels/gemm/mxfp4_gemm.co");
my ($lds) = $out =~ /LDS (\d+) bytes/;
is(mxcheck('--watch', 'lds:' . ($lds - 4) . '+4', $run), 0, '--watch takes the last bytes of LDS')
	or diag $err;
for ([ 'is not a location', '--who', 'D[1,2]', $run ], [ 'C has 129 rows and 128 columns', '--who', 'C[129,0]', $run ],
	[ 'bytes of LDS', '--watch', 'lds:163840', $run ], [ 'bytes of LDS', '--watch', "lds:$lds", $run ],
	[ 'bytes of LDS', '--watch', 'lds:' . ($lds - 1) . '+2', $run ],
	[ 'bytes of LDS', '--watch', 'lds:0+9223372036854775807', $run ],
	[ 'is not a location', '--watch', 'lds:18446744073709551615+9', $run ],
	[ 'guards of', '--watch', 'C:1000000000', $run ], [ 'guards of', '--watch', 'C:-100000+4', $run ],
	[ 'guards of', '--who', 'C:1000000000', $run ],
	[ 'is not a location', '--watch', 'C:4+0', $run ], [ 'not available for LDS', '--who', 'lds:4', $run ],
	[ 'look into one run of one case, and', '--who', 'C:1' ], [ 'does not go with', '--who', 'C:1', '--race', 5, $run ],
	[ 'not X,Y,Z:WAVE', '--trace', '0,0', $run ], [ 'has no such wave', '--trace', '0,0,7:0', $run ],
	[ 'not the offset', '--break', '0x3', $run ], [ 'not a number from 0 to 63', '--lane', 64, $run ]) {
	my ($want, @arguments) = @$_;
	is(mxcheck(@arguments) . ($err =~ /\Q$want/ ? '' : $err), '2', "@arguments: $want");
}
done_testing;
