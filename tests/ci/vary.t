#!/usr/bin/perl
# The variations around the runs of a hunt, and a device with launches that do not end.
use strict;
use warnings;
use Test::More;
use Time::HiRes qw(time);
require './tests/ci/gate.pl';
our ($build, $mxcheck, $status, $out, $err, $dir);

my $case = 'gemm/mxfp4_f32/64x64x256/general';
my $all  = 'stream,tenant,flush,place';

# ---- on the emulator ----

is(mxcheck('--race', 40, '--vary', $all, $case), 0, 'a correct kernel leaves the same bytes beside corunners')
	or diag $out, $err;
like($out, qr/race: 0 of 40 runs differ/, 'in all its runs');
like($out, qr/varied: stream=\d+ streams,tenant=\d+ workgroups,flush=\d+ MiB,place=\d+ workgroups/,
	'and the report names the variations');
is(mxcheck('--race', 8, '--vary', 'tenant=3', 'gemm/gfx1250_mxfp8_f32/128x128x128/exact'), 0, 'so does one of gfx1250')
	or diag $out, $err;
my @twin = ('run', '--case', 'cases/gemm/mxfp4_f32.yaml', '--co', "$build/kernels/broken/loose_wait.co",
	'--shape', '64,64,512', '--regime', 'general', 'gemm/mxfp4_f32');
my $journal = "$dir/journal";
is(mxcheck(@twin, '--race', 30, '--vary', 'stream,tenant=3', '--resume', $journal), 3,
	'a broken kernel is found');
like($out, qr/nondeterminism: .*; around it: (?:stream \d|null stream)/, 'with the variation of the run');
my ($first) = $out =~ /(nondeterminism: .*)/;
my ($reproducer) = $out =~ /reproduce: (.* --race \d+ --vary stream=5,tenant=3)$/m;
ok($reproducer, 'and in the command that reproduces it');
run('sh', '-c', $reproducer // 'false');
my ($again) = $out =~ /(run \d+: first at .*)/;
ok($again && index($first, $again) >= 0, 'which does') or diag $first, $out, $err;
is(mxcheck(@twin, '--race', 30, '--resume', $journal), 2,
	'runs beside other corunners are not added to the journal');

my @refused = (
	[ 'not one of stream tenant flush place', qw(strem), '', 'stream,,place', 'tenant,x' ],
	[ 'not a number of',                   qw(tenant=0 tenant=x flush= stream=17 place=99999999999) ],
);
for (@refused) {
	my ($why, @texts) = @$_;
	for (@texts) {
		my $bad = mxcheck('--race', 3, '--vary', $_, $case);
		ok($bad == 2 && $err =~ /^mxcheck: --vary .*\Q$why\E.*\n\z/ && !$out,
			"--vary '$_' is refused in one line") or diag $bad, $err;
	}
}
is(mxcheck('--vary', 'stream', $case), 2, 'so is --vary without a hunt');

# ---- on a device that hangs: the emulator as a runtime with busy streams ----

make_slow_hip();
my @hip = ('--device', 'hip', '--seed', 3, '--race', 40, '--vary', 'stream,flush=1', '--time-out', '0.3', $case);

sub on_hip {
	my ($hang, @command) = @_;
	local $ENV{LD_LIBRARY_PATH} = join ':', $dir, $ENV{LD_LIBRARY_PATH} // ();
	local $ENV{SLOW_HIP_HANG} = $hang;
	my $start = time;
	run('timeout', '-s', 'KILL', 30, $mxcheck, @command);
	cmp_ok(time - $start, '<', 20, '  it ends');
	return $status;
}

SKIP: {
	skip 'there is an AMD GPU driver here', 1 if -e '/dev/kfd';
	skip 'a runtime without sanitizers does not load into one with them', 1 if $ENV{SAN};
	is(on_hip(0, @hip), 0, 'the hunt waits for busy streams') or diag $out, $err;
	like($out, qr/^device hip:0 .*0 of 40 runs differ \(launches\).*varied: stream=5 streams,flush=1 MiB$/ms,
		'and counts their launches');
	unlink $journal;
	is(on_hip(22, @hip, '--resume', $journal), 4, 'a launch that does not end is a finding') or diag $out, $err;
	like($out, qr/^ +time-out: run 19 \(--seed 22\) took longer than 0\.3 s; around it: /m, 'the run is named');
	like($out, qr/race: 0 of 19 runs differ .*1 of 20 runs did not finish.*the device did not come back/s, 'the results until then are printed');
	like($out, qr/reproduce: .* --race 20 --vary stream=5,flush=1 --time-out 0\.3$/m, 'and the command that reproduces it');
	is(on_hip(0, @hip, '--resume', $journal), 4, 'its journal is intact: the finding stays');
	like($out, qr/0 of 39 runs differ.*1 of 40 runs did not finish.*20 of the runs are from the journal/s, 'and the hunt goes on after it');
	is(on_hip(1, @hip, 'gemm/mxfp4_f32/128x128x1024/general'), 4, 'so is the run that is judged');
	like($out, qr/time-out: mxfp4_gemm_f32: no end within 0\.3 s$/m, 'with the kernel');
	is(scalar(() = $out =~ /^FAIL  /mg), 2, 'and the other case has a process of its own');
	is(on_hip(2, @hip), 4, 'and the launch that is repeated with another poison');
	like($out, qr/time-out: repeated with another poison: .*: no end within 0\.3 s$/m, 'which the finding mentions');
	is(on_hip(3, @hip), 4, 'and the first run of the hunt') or diag $out, $err;
	like($out, qr/time-out: run 0 /, 'which the finding names');
	is(on_hip(0, @hip, '--jobs', 2), 2, 'a hunt on a real device has one job');
	like($err, qr/^mxcheck: device hip:0: .*--jobs 1\n\z/, '  and the error has the reason');
}

done_testing();
