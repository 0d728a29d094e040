#!/usr/bin/perl
# A real device and the emulator side by side: the device is tests/kernels/slow_hip.c.
use strict;
use warnings;
use JSON::PP;
use Schema;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $status, $out, $err, $dir);

my $general = 'gemm/mxfp4_f32/33x128x512/general';
my $exact   = 'gemm/mxfp4_f32/128x128x288/exact';
my @both    = ('--jobs', 1, '--device', 'hip,emu');

# ---- bad input ----

for (['emu,hip', qr/two devices are hip,emu or hip:N,emu/], ['hip,hip', qr/two devices/], ['hip:x,emu', qr/no device 'hip:x'/], ['hip:10000000000000,emu', qr/two devices/]) {
	is(mxcheck('--device', $_->[0], $exact), 2, "--device $_->[0]");
	like($err, qr/^mxcheck: .*$_->[1]/, '  has a reason');
}
is(mxcheck(@both, '--race', 5, '--resume', "$dir/journal", $exact), 2, 'a journal is of one device');

SKIP: {
	skip 'there is an AMD GPU driver here', 1 if -e '/dev/kfd';
	is(mxcheck(@both, $exact), 77, 'without a device nothing runs');
	is($out, '', '  not even on the emulator');
	skip 'a runtime without sanitizers does not load into one with them', 1 if $ENV{SAN};
	make_slow_hip();
	local $ENV{LD_LIBRARY_PATH} = join ':', $dir, $ENV{LD_LIBRARY_PATH} // ();
	agreement();
	profile();
	disagreement();
	hunt();
	order();
	options();
	crash();
}

done_testing();

sub lines { return map { decode_json($_) } split /\n/, slurp("$dir/r.jsonl") }

sub valid {
	my $schema = decode_json(slurp('ci/reports/mxcheck.schema.json'));
	is_deeply([ map { Schema::fault($_, $schema, $schema) } lines() ], [], '  its JSON is valid');
}

sub agreement {
	is(mxcheck(@both, '--json', "$dir/r.jsonl", $general, $exact), 0, 'both devices agree') or diag $out, $err;
	like($out, qr/\Adevice hip:0 \(gfx950, libamdhip64\.so\.7\) and emu, seed 1\nhip:0 is mxcheck emulated gfx950; HIP 7\.0\.51831; core 2400 MHz, memory 2000 MHz\n/, '  the device has name, driver and clocks');
	like($out, qr{^pass  $exact +bits 16384/16384 .* s  outputs as on emu  order proved$}m, '  a line has both');
	valid();
	my ($start, @runs) = lines();
	is_deeply($start->{hardware}, { name => 'mxcheck emulated gfx950', driver => 'HIP 7.0.51831', core_mhz => 2400, memory_mhz => 2000 }, '  JSON has the device');
	is_deeply($runs[0]{beside}{outputs}, { elements => 4224, differ => 0, ulp_max => 0 }, '  and the comparison');
	ok(!$runs[0]{order} && $runs[0]{beside}{order}{proved}, '  and the proof of the emulator');
}

sub profile {
	local $ENV{SLOW_HIP_PROFILE} = 'fused';
	my @files = ('--json', "$dir/r.jsonl", '--junit', "$dir/r.xml", '--html', "$dir/r.html", '--history', "$dir/r.db");
	is(mxcheck(@both, @files, $general, $exact), 0, 'another accumulation is no failure') or diag $out, $err;
	like($out, qr{^pass  $general +bits \d+/4224 .*\n      emu: bits 4224/4224 .*  order proved\n      outputs: \d+ of 4224 elements differ from emu, at most \d+ ULP; first C\[\d+\]\[\d+\] \(byte \d+ of C\) is 0x\w+, not 0x\w+\n      profile: the device has the bits of fused in 4224 of 4224 elements, of block32 in \d+, .*; emu has block32 \(assumed\)$}m, '  but a measurement');
	like($out, qr{^pass  $exact .* outputs as on emu}m, '  and in the exact regime both agree');
	valid();
	my (undef, $run) = lines();
	my $wrong = $run->{numbers}{wrong};
	ok($wrong > 0 && $run->{beside}{numbers}{wrong} == 0 && $run->{beside}{outputs}{differ} == $wrong, '  JSON has the numbers of both');
	is($run->{beside}{profile}{profiles}{fused}, 4224, '  and which profile the device has');
	is($run->{beside}{profile}{profiles}{block32}, 4224 - $wrong, '  in how many elements');
	is(join(' ', map { "$_->{kind} $_->{severity}" } @{ $run->{findings} }), 'profile report', '  as a finding that fails nothing');
	like(slurp("$dir/r.xml"), qr{<property name="hardware" value="mxcheck emulated gfx950; HIP 7[^"]*"/>.*<system-out>emu: bits 4224/4224 .*outputs: $wrong of 4224 elements differ.*profile: the device has}s, '  JUnit has both');
	my ($data) = slurp("$dir/r.html") =~ m{id="data">(.*?)</script>}s;
	is(decode_json($data)->{runs}[0]{beside}{profile}{profiles}{fused}, 4224, '  and so has the page');
	mxcheck('report', "$dir/r.db", '--list');
	like($out, qr/^1 .* emu \(gfx950\), seed 1: 2 runs, 0 failed\n2 .* hip:0 \(gfx950; mxcheck emulated gfx950; HIP 7[^)]*MHz\), seed 1: 2 runs, 0 failed\n\z/, '  and the history an entry for each device');
	spoil(20, 7, $general);
	is($status, 1, 'an element that no accumulation gives') or diag $out, $err;
	like($out, qr/^      profile: no profile explains the difference from emu: 1 elements are beyond the bound of every accumulation$/m, '  is no measurement');
}

# Changes a bit of byte `at` in row `row` of C, an N of 128, in f32. Its guards are as long as a tile of rows.
sub spoil {
	my ($row, $at, $case) = @_;
	my ($rows) = $case =~ m{/(\d+)x};
	local @ENV{qw(SLOW_HIP_BYTES SLOW_HIP_SPOIL)} = (($rows + 2 * 128) * 512, (128 + $row) * 512 + $at);
	return mxcheck(@both, '--json', "$dir/r.jsonl", $case);
}

sub disagreement {
	is(spoil(18, 4 * 62, $exact), 1, 'in the exact regime a difference fails') or diag $out, $err;
	like($out, qr/^      devices-differ: emu is as the reference, the device is not: 1 of 16384 elements differ from emu, at most 1 ULP; first C\[18\]\[62\] /m, '  and it is said which one is wrong');
	is((lines())[1]{status}, 1, '  also in JSON');
	valid();
}

sub hunt {
	is(mxcheck(@both, '--race', 12, '--json', "$dir/r.jsonl", 'gemm/mxfp4_f32/64x64x256/general'), 0, 'a hunt on both') or diag $out, $err;
	like($out, qr/^      race: 0 of 12 runs differ \(launches\): .*\n(?:.*\n)*      emu: race: 0 of 12 runs differ \(seeded schedules of the emulator, not of silicon\): /m, '  has both rates');
	my (undef, $run) = lines();
	is_deeply([ $run->{hunt}, $run->{beside}{hunt} ], [ ({ runs => 12, differ => 0, unfinished => 0 }) x 2 ], '  also in JSON');
}

# What the emulator finds is a finding of the run.
sub order {
	my @broken = ('run', '--case', 'cases/gemm/mxfp4_f32.yaml', '--co', "$build/kernels/broken/loose_wait.co", @both);
	is(mxcheck(@broken, '--json', "$dir/r.jsonl", '--html', "$dir/r.html", '--sarif', "$dir/r.sarif", 'gemm/mxfp4_f32/64x64x256/general'), 3, 'a race that the emulator finds') or diag $out, $err;
	like($out, qr/^      race-lds: on emu: mxfp4_gemm_f32\+0x/m, '  with its name');
	like($out, qr/reproduce: .* --device hip:0,emu /, '  and the command for both');
	valid();
	my ($race) = grep { $_->{kind} eq 'race-lds' } @{ (lines())[1]{findings} };
	is($race->{device}, 'emu', '  JSON names the emulator');
	my ($data) = slurp("$dir/r.html") =~ m{id="data">(.*?)</script>}s;
	my $run = decode_json($data)->{runs}[0];
	is($run->{findings}[ $run->{race}{finding} ]{kind}, 'race-lds', '  the page has its times');
	like(slurp("$dir/r.sarif"), qr/"ruleId": ?"race-lds"/, '  SARIF has it');
}

# The process of each run has launches of its own. A run on a device has two, with other poison.
sub crash {
	local $ENV{SLOW_HIP_ABORT} = 3;
	my @cases = ($general, $exact, 'gemm/mxfp4_f32/64x64x256/general');
	is(mxcheck('--jobs', 1, '--device', 'hip', @cases), 4, 'a runtime that aborts is a finding') or diag $out, $err;
	like($out, qr{^FAIL  $cases[1] .*\n +crash: the process of the run died of signal 6 \(Aborted\)\n +reproduce: .* --device hip:0 }m, '  of its run, with the command') or diag $out;
	like($out, qr/^2 passed, 1 failed, /m, '  and the others go on');
	is(mxcheck(@both, @cases), 4, 'beside the emulator, too') or diag $out, $err;
	like($out, qr{^FAIL  $cases[1] .*\n      emu: bits 16384/16384 .*\n      outputs not compared\n(?:.*\n)? +crash: }m, '  with the numbers of the emulator') or diag $out;
	local $ENV{SLOW_HIP_ABORT} = 0;
	local $ENV{SLOW_HIP_HANG} = 3;
	is(mxcheck('--jobs', 1, '--time-out', 0.3, '--device', 'hip', @cases), 4, 'so is a launch that does not end') or diag $out, $err;
	like($out, qr{^FAIL  $cases[1] .*\n +time-out: .*: no end within 0.3 s\n.*reproduce: .* --time-out 0.3 --device hip:0 --seed 1 '$cases[1]'$}m, '  with the kernel and the command');
	like($out, qr/^2 passed, 1 failed, /m, '  and the others have another process');
}

sub options {
	is(mxcheck(@both, '--require-proof', $exact), 0, '--require-proof is for the emulator');
	for ([ '--cache', "$dir/cache" ], [ '--schedule', 'sequential' ], [ '--who', 'C:0' ]) {
		is(mxcheck(@both, @$_, $exact), 2, "$_->[0] is for the emulator alone");
		like($err, qr/^mxcheck: device hip:0: .*\(--device emu\)$/m, '  has a reason');
	}
	is(mxcheck('--device', 'hip', '--jobs', 1, $exact), 0, 'the device alone');
	unlike($out, qr/emu,|on emu/, '  has nothing of the emulator');
}
