#!/usr/bin/perl
# Runs in worker processes: a crash, a run without an end, signals and a gate that is killed.
use strict;
use warnings;
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep time);
require './tests/ci/gate.pl';
our ($build, $mxcheck, $status, $out, $err, $dir);

assemble_file('tests/ci/workers/counts.s', "$dir/counts.co");
my $case = spew("$dir/counts.yaml", <<'END');
name: counts
code: counts.co
kernel: counts
grid: [1]
block: [64]
buffers:
  - {name: OUT, role: none, type: u32, rows: 1, cols: 64}
kernarg:
  - {offset: 0, type: ptr, value: OUT}
  - {offset: 8, type: u32, value: TURNS}
verdict: {judge: none}
runs:
  - {sizes: {TURNS: 1}, regime: general}
  - {sizes: {TURNS: 4000000000}, regime: general}
  - {sizes: {TURNS: 2}, regime: general}
  - {sizes: {TURNS: 3}, regime: general}
END
my @run = ('run', '--case', $case, '--device', 'emu');

# The processes that a process has started.
sub workers {
	my ($of) = @_;
	my @found;
	for my $stat (glob '/proc/[0-9]*/stat') {
		open my $f, '<', $stat or next;
		push @found, $1 if (<$f> // '') =~ /^(\d+) \(.*\) \S $of /;
	}
	return @found;
}

sub has_ended { return slurp("/proc/$_[0]/stat") =~ /^\d+ \(.*\) Z / }

# Begins a gate; returns its process once it has workers, or had and ended.
sub begin {
	my $pid = fork // die;
	if (!$pid) {
		open STDOUT, '>', "$dir/out" or die;
		open STDERR, '>', "$dir/err" or die;
		exec $mxcheck, @run, @_;
	}
	my $end = time + 20;
	sleep 0.02 while !workers($pid) && !has_ended($pid) && time < $end;
	return $pid;
}

# Waits until the report has a text.
sub wait_for {
	my ($file, $text) = @_;
	my $end = time + 20;
	sleep 0.02 while !((-e $file ? slurp($file) : '') =~ $text) && time < $end;
}

sub finish {
	waitpid $_[0], 0;
	$status = $? & 127 ? 128 + ($? & 127) : $? >> 8;
	($out, $err) = (slurp("$dir/out"), slurp("$dir/err"));
	return $status;
}

# ---- a run without an end ----

for my $jobs (1, 3) {
	my $pid = begin('--jobs', $jobs, '--time-out', '0.3');
	wait_for("$dir/out", qr{^pass  counts/TURNS=1/general}m);
	sleep 0.1;
	kill 'STOP', workers($pid);
	is(finish($pid), 4, "--jobs $jobs: a worker that does not come back");
	like($out, qr{^FAIL  counts/TURNS=4000000000/general .*\n +time-out: the run took longer than 1\.5 s\n +reproduce: .* --time-out 0\.3 }m, '  is a finding of its run, with its command') or diag $out;
	like($out, qr/^3 passed, 1 failed, /m, '  and the others go on');
}

# ---- a crash ----

for my $jobs (1, 3) {
	my $pid = begin('--jobs', $jobs);
	wait_for("$dir/out", qr{^pass  counts/TURNS=1/general}m);
	sleep 0.2;
	kill 'ABRT', workers($pid); # ASan handles SIGSEGV
	is(finish($pid), 4, "--jobs $jobs: a worker dies");
	like($out, qr{^FAIL  counts/TURNS=4000000000/general .*\n +crash: the process of the run died of signal 6 \(Aborted\)$}m, '  which is a finding of its run') or diag $out, $err;
	like($out, qr/^3 passed, 1 failed, /m, '  and the others go on') or diag $out;
}

# ---- signals ----

for my $signal ('INT', 'TERM') {
	my $pid = begin('--jobs', 2, '--json', "$dir/r.jsonl", '--junit', "$dir/r.xml");
	sleep 0.3;
	my @started = workers($pid);
	kill $signal, $pid;
	is(finish($pid), 130, "SIG$signal ends the gate");
	like($out, qr/^interrupted; 3 of 4 runs were done\n.*^3 passed, 0 failed, /ms, '  with the runs that were done') or diag $out;
	my @json = map { decode_json($_) } split /\n/, slurp("$dir/r.jsonl");
	is("$json[-1]{type} $json[-1]{passed}", 'end 3', '  and whole reports');
	is(scalar(grep { -d "/proc/$_" } @started), 0, '  and no process is left');
}
my $pid = begin('--jobs', 2);
sleep 0.2;
my @started = workers($pid);
kill 'KILL', $pid;
finish($pid);
my $end = time + 5;
sleep 0.02 while grep { -d "/proc/$_" } @started and time < $end;
is(scalar(grep { -d "/proc/$_" } @started), 0, 'workers end with a gate that is killed');

# ---- a gate that is killed, and goes on ----

my @gate = ('--device', 'emu', '--cache', "$dir/cache", '--json', "$dir/r.jsonl");
my $times = is_long() ? 50 : 4;
@run = is_long() ? () : ('gemm/*/[1-9]x*');
mxcheck('--list', @run);
my $each = is_long() ? qr/ quick/ : qr/\n/;
my $whole = () = $out =~ /$each/g;
my $kept = 0;
for my $n (1 .. $times) {
	my $pid = begin(@gate);
	sleep rand 0.5;
	kill 'KILL', $pid;
	finish($pid);
	my @lines = split /\n/, slurp("$dir/r.jsonl"), -1;
	pop @lines; # the last one may be cut
	my $bad = grep { !eval { decode_json($_) } } @lines;
	fail("killed $n times: $bad lines of JSON are damaged") if $bad;
	my @entries = glob "$dir/cache/*";
	fail("killed $n times: a verdict is lost") if grep { /^[0-9a-f]{16}$/ } @entries and @entries < $kept;
	$kept = @entries;
}
is(mxcheck(@run, @gate), 0, "a gate that was killed $times times goes on");
like($out, qr/^$whole passed, 0 failed, /m, '  and has each run once');
is(mxcheck(@run, @gate), 0, 'and again');
like($out, qr/^$whole passed, 0 failed, $whole from the cache, /m, '  with all verdicts in the cache');

done_testing();
