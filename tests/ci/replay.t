#!/usr/bin/perl
# The witness of a hunt, and its replay command, which brings the divergence back.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($mxcheck, $status, $out, $err, $dir);

compile_with('tests/ci/race/race.c', "$dir/race.co", '-O2', '-Ikernels');

# The case file of one of its kernels.
sub race {
	my ($kernel, $waves, $groups) = @_;
	$groups //= 1;
	return spew("$dir/$kernel.yaml", <<"END");
name: race/$kernel
code: race.co
kernel: $kernel
grid: [$groups]
block: [@{[64 * $waves]}]
buffers:
  - {name: IN,  role: none, type: u32, rows: 1, cols: 256, data: random}
  - {name: OUT, role: none, type: u32, rows: 1, cols: 256, data: zero}
kernarg:
  - {offset: 0, type: ptr, value: IN}
  - {offset: 8, type: ptr, value: OUT}
verdict: {judge: none}
runs:
  - {M: 64, N: 64, K: 256, regime: general}
END
}

sub run_race { return mxcheck('run', '--case', @_) }

# ---- divergences that the judge does not detect ----

my %exit = (stale => 3, last => 3);
for my $kernel (sort keys %exit) {
	my $case = race($kernel, $kernel eq 'last' ? 2 : 1);
	is(run_race($case, '--no-analysis'), 0, "$kernel: one run without analysis shows nothing");
	is(run_race($case, '--no-analysis', '--race', 10), $exit{$kernel}, 'a hunt does');
	my ($replay) = $out =~ /replay: (.*)$/m;
	run('sh', '-c', ($replay // 'false') . ' --no-analysis');
	is($status, $exit{$kernel}, 'its replay, too') or diag $out;
	like($out, qr/nondeterminism: .* first at OUT\[0\]\[\d+\], 0x\w+, under 'sequential,pattern=\w\w' 0x/,
		'with the first bytes that differ');
	my ($schedule) = ($replay // '') =~ /'(sequential[^']*)'$/;
	like($schedule // '', qr/0\.\d\@/, 'with at least one decision');
}
is(run_race("$dir/stale.yaml", '--no-analysis', '--schedule', 'sequential,pattern=5a'), 0,
	'the sequential schedule does not differ');

# ---- the lines of the witness ----

my $instruction = qr/\+0x[0-9a-f]+ \S+ .*/;
my @said = (
	[ 'stale', 1, 1, 3, [
		qr/witness: 1 of \d+ decisions are enough .* from the sequential schedule with pattern=/,
		qr/witness: reader: stale$instruction; workgroup 0,0,0 wave 0 lane 0, time/,
		qr/witness:   sequential: gets 0x\w+, of stale\+0x\w+ global_load_dword/,
		qr/witness: order: race-register: stale$instruction: reads v\d+ before global_load_dword .* writes it: no s_waitcnt vmcnt\(0\) between them; workgroup 0,0,0 wave 0/,
	] ],
	[ 'reader', 4, 1, 3, [
		qr/witness: reader: reader\+0x\w+ ds_read_b32 .* of LDS at byte \d+/,
		qr/witness: order: race-lds: reader$instruction LDS 0x\w+ .* of wave \d: no .*s_barrier (?:between|after) .*; workgroup 0,0,0 wave \d lane \d+/,
	] ],
	[ 'groups', 1, 2, 3, [
		qr/witness: 0 of \d+ decisions are enough/,
		qr/witness: (order|slice)=\d+: workgroups (begin in descending order|take turns)/,
		qr/witness:   here: is written by groups\+0x\w+ global_store_dword .*; workgroup 0,0,0/,
	] ],
	[ 'fault', 1, 1, 4, [
		qr/witness: 1 of \d+ decisions are enough/,
		qr/witness:   here: ends in fault: fault\+0x\w+ global_load_dword/,
		qr/witness: order: race-register: .* no s_waitcnt vmcnt\(0\) between them/,
	] ],
	[ 'usual', 1, 1, 4, [
		qr/race: [1-4] of 5 runs differ/,
		qr/witness:   sequential: ends in fault: usual\+0x\w+ global_load_dword/,
	] ],
	[ 'endless', 1, 1, 4, [
		qr/witness: 1 of \d+ decisions are enough/,
		qr/witness:   here: ends in no-progress: endless\+0x\w+/,
		qr/witness: order: race-register: .* no s_waitcnt lgkmcnt\(0\) between them/,
	] ],
);
for (@said) {
	my ($kernel, $waves, $groups, $exit, $lines) = @$_;
	is(run_race(race($kernel, $waves, $groups), '--race', 5), $exit, "a hunt of $kernel");
	like($out, $_, 'prints its witness') for @$lines;
	my ($replay) = $out =~ /replay: (.*)$/m;
	is(run('sh', '-c', $replay // 'false'), $exit, 'and its replay has the same status') or diag $out;
}

# ---- a launch that does not end ----

race('counting', 1);
if (is_long()) {
	my $begin = time;
	is(run_race("$dir/counting.yaml", '--no-analysis', '--time-out', 0.3, '--seed', 3, '--race', 6), 4, 'a hunt in which some runs do not end');
	like($out, qr/witness:   sequential: ends in (?:no-progress|time-out): counting\+0x/, '  nor does the sequential one') or diag $out;
	cmp_ok(time - $begin, '<', 20, '  the search for a witness is bounded all the same');
	my $start = time;
	is(run_race("$dir/counting.yaml", '--no-analysis', '--time-out', 10, '--seed', 3, '--race', 6), 4, '  also with a long limit');
	cmp_ok(time - $start, '<', 18, '  and a run of the search for a witness ends before it');
}
is(run_race("$dir/counting.yaml", '--no-analysis', '--time-out', 0.5, '--seed', 1, '--race', 50), 4, 'a judged run that does not end');
unlike($out, qr/^ +race: /m, '  is not hunted');
like($out, qr/reproduce: .* --time-out 0\.5 /, '  and its command has the limit');

# ---- schedules that do not fit the launch ----

sub is_refused {
	my ($schedule, $why, $has) = @_;
	is(run_race("$dir/last.yaml", '--schedule', $schedule), 2, "'$schedule' is refused");
	like($err, qr/\Amxcheck: schedule: $why: \S+ has $has\n\z/, 'in one line with the reason');
}
is_refused('sequential,pattern=00,0.2@1+1', 'wave 2 of workgroup 0', 'waves 0 to 1');
is_refused('sequential,pattern=00,0.1@1>2', 'wave 2 of workgroup 0', 'waves 0 to 1');
is_refused('sequential,pattern=00,1.0@1+1', 'workgroup 1', '0 to 0');
is_refused('sequential,pattern=00,first=2', 'first=2', 'waves 0 to 1');

# ---- what is no schedule ----

my $small = 'gemm/mxfp4_f32/1x1x32/exact';
for ([ 'calm', 'No such file' ], [ $dir, 'Is a directory' ], [ '/dev/zero', 'too large' ]) {
	my ($text, $reason) = @$_;
	is(mxcheck('--schedule', $text, $small), 2, "--schedule $text is refused");
	like($err, qr/^mxcheck: --schedule: neither a schedule \(.*\) nor a file: \Q$text\E: .*$reason/m, '  with the reason');
}
is(mxcheck('--schedule', 'typical,lds=soon', $small), 2, 'a latency that is no number is refused');
is($err, "mxcheck: schedule: 'lds=soon' is not a valid part\n", '  in one line');

# ---- usual latencies ----

is(mxcheck('--schedule', 'typical,memory=900', $small), 0, 'a case passes under the schedule typical');
like($out, qr/^device emu .*, one schedule \(--schedule\)$/m, '  and the output says so');
is(run_race("$dir/last.yaml", '--schedule', 'typical', '--no-analysis'), 0, 'it is not compared with the sequential one') or diag $out;
is(mxcheck('run', '--case', 'cases/gemm/mxfp4_f32.yaml', '--co', '/dev/zero', $small), 2, 'so is code without an end');
like($err, qr{^mxcheck: /dev/zero: not a 64-bit little-endian ELF file$}m, '  with the reason');

done_testing();
