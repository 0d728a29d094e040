#!/usr/bin/perl
# Long hunts: a hunt that is killed, interrupted and resumed has the counts of an uninterrupted one.
use strict;
use warnings;
use Test::More;
use Time::HiRes qw(sleep time);
require './tests/ci/gate.pl';
our ($build, $mxcheck, $status, $out, $err, $dir);

my $long    = is_long();
my $runs    = $long ? 5000 : 300;
my @twin    = ('run', '--case', 'cases/gemm/mxfp4_f32.yaml', '--co', "$build/kernels/broken/loose_wait.co",
	'--shape', '64,64,512', '--regime', 'general', 'gemm/mxfp4_f32');
my @correct = ('gemm/mxfp4_f32/64x64x256/general');

# Only the hunt that is resumed searches for a witness, which takes longer than the hunt.
my @quick = (@twin, '--no-shrink');

# Counts, distinct outputs and the first divergence: the report of a hunt without its times.
sub counts {
	my ($text) = @_;
	return join "\n", $text =~ /(race: \d+ of \d+ runs differ)/, $text =~ /(outputs: .*)/,
		$text =~ /(nondeterminism: .*)/;
}

# Begins a hunt, and waits until its journal is larger than `bytes`.
sub begin {
	my ($bytes, $journal, @command) = @_;
	my $pid = fork // die;
	if (!$pid) {
		open STDOUT, '>', "$dir/begun";
		open STDERR, '>&', \*STDOUT;
		exec $mxcheck, @command, '--resume', $journal;
		exit 127;
	}
	my $end = time + 30;
	sleep 0.01 while (-s $journal // 0) < $bytes && time < $end;
	return $pid;
}

# ---- kill -9, twice ----

mxcheck(@quick, '--race', $runs);
my $whole = counts($out);
like($whole, qr/outputs: \d+ distinct; \d+ times/, "an uninterrupted hunt prints its results");
my $journal = "$dir/killed";
for my $bytes (3000, 9000) {
	my $pid = begin($bytes, $journal, @quick, '--race', $runs);
	kill 'KILL', $pid;
	waitpid $pid, 0;
	is($?, 9, 'a hunt is killed in the middle');
}
is(mxcheck(@twin, '--race', $runs, '--resume', $journal), 3, 'it is resumed');
is(counts($out), $whole, 'it has the counts of the uninterrupted one, each run once');
my ($kept) = $out =~ /race: (\d+) of the runs are from the journal/;
cmp_ok($kept // 0, '>', 0, 'some of the runs were done before it was killed');
cmp_ok($kept // $runs, '<', $runs, 'and some were not');

# ---- the witness ----

like($out, qr/witness: [1-3] of \d{2,} decisions are enough/, 'few decisions are enough to diverge');
like($out, qr/witness: reader: \S+ ds_read_b128 .* wave \d+ lane \d+/, 'it names the reader');
like($out, qr/witness:   sequential: gets \S+ of \S+ buffer_load_dwordx4 .* lds; .* wave \d/,
	'and the writer that it should have waited for');
my ($replay) = $out =~ /replay: (.*)$/m;
like($replay // '', qr/--schedule 'sequential,[^']+'$/, 'and a line that replays it');
run('sh', '-c', $replay // 'false');
is("$status @{[$out =~ /wrong-bits/g]}", '3 wrong-bits', 'which gives the wrong bits again')
	or diag $out, $err;
($replay // '') =~ /'(sequential[^']+)'$/;
is(mxcheck(@twin, '--schedule', spew("$dir/schedule", "$1\n")), 3, 'so does a file of it');
is(mxcheck(@twin, '--schedule', 'sequential', '--no-analysis'), 0, 'the sequential schedule hides the bug');
is(mxcheck(@twin, '--schedule', 'sequential,what'), 2, 'an invalid schedule is refused');

is(mxcheck(@quick, '--race', 8), 3, '--no-shrink: the hunt has the same status');
unlike($out, qr/witness:|replay:/, '  and no witness');
is(mxcheck(@quick), 2, '--no-shrink needs a hunt');

# ---- a journal that was cut short, and a complete one ----

my $bytes = slurp($journal);
spew($journal, substr($bytes, 0, length($bytes) - 7));
mxcheck(@quick, '--race', $runs, '--resume', $journal);
is(counts($out), $whole, 'a record that was cut short is done again');
like($out, qr/the last record of the journal was cut short/, 'and the report mentions it');
mxcheck(@quick, '--race', $runs, '--resume', $journal);
is(counts($out), $whole, 'a complete journal gives the same report');
like($out, qr/race: $runs of the runs are from the journal/, 'and nothing is run');
mxcheck(@quick, '--race', $runs + 50, '--resume', $journal);
my $longer = counts($out);
mxcheck(@quick, '--race', $runs + 50);
is($longer, counts($out), 'a journal can be continued with more runs');

# ---- refused ----

sub is_refused {
	my ($what, $why, @command) = @_;
	is(mxcheck(@command, '--race', 10, '--resume', $journal), 2, "$what is refused");
	like($err, qr/^mxcheck: journal \Q$journal\E: .*$why.*\n\z/, 'in one line with the reason');
}
my @other = map { s/broken.loose_wait/gemm\/mxfp4_gemm/r } @twin;
is_refused('another code object', 'code object', @other);
is_refused('another seed', 'seed', @twin, '--seed', 2);
is_refused('another shape', 'another case, shape', map { s/64,64,512/64,64,256/r } @twin);
spew("$dir/no_journal", 'nothing of the kind');
$journal = "$dir/no_journal";
is_refused('another file', 'not a journal', @twin);
is(slurp($journal), 'nothing of the kind', 'and not changed');

$bytes = slurp("$dir/killed");
substr($bytes, length($bytes) / 2, 2) ^= "\xff\xff";
$journal = spew("$dir/damaged", $bytes);
is_refused('a file that is damaged in the middle', 'damaged at byte \d+ of \d+, after \d+ runs', @twin);
ok(slurp($journal) eq $bytes, 'and not changed');
my ($good) = $err =~ /its first (\d+) bytes/;
spew($journal, substr($bytes, 0, $good // 0));
mxcheck(@quick, '--race', $runs, '--resume', $journal);
is(counts($out), $whole, 'the part that it reports as intact can be continued');
$journal = '/dev/null';
is_refused('a device', 'not a regular file', @twin);

# ---- a full disk ----

# Limits files to so many blocks of 512 bytes; the report goes through a pipe, which has no limit.
sub in_blocks {
	my ($blocks, @arguments) = @_;
	my $limited = '(trap "" XFSZ; ulimit -f "$0"; exec "$@"); echo $? >&3';
	run('sh', '-c', "{ { { $limited; } | cat >&4; } 3>&1 | { read s; exit \$s; }; } 4>&1",
		$blocks, $mxcheck, @arguments);
}

$journal = "$dir/full";
in_blocks(10, @quick, '--race', 5000, '--resume', $journal);
is($status, 3, 'a hunt that cannot write its journal exits with the status of its findings');
like($err, qr/^mxcheck: journal \Q$journal\E: /m, 'and reports the error');
my ($shown, $done) = $out =~ /race: (\d+) of (\d+) runs differ/;
ok($shown && $done < 5000, 'with the results until then') or diag $out;
in_blocks(1, @correct, '--race', 1000000, '--resume', "$dir/full_too");
is($status, 2, 'if nothing was found, the exit status is that of the error');
like($out, qr/^STOP  .*^0 passed, 0 failed, 1 ended early without a finding, /ms,
	'and no run is counted as failed') or diag $out;
is(() = "$out$err" =~ /File too large|No space left/g, 1, 'and the error is printed once') or diag $out, $err;

# ---- signals and time ----

for my $signal ('INT', 'TERM') {
	my $file = "$dir/$signal";
	my $pid = begin(500, $file, @correct, '--race', 1000000);
	kill $signal, $pid;
	waitpid $pid, 0;
	is($? >> 8, 130, "SIG$signal ends a hunt that found nothing, with 130");
	my $said = slurp("$dir/begun");
	my ($n, $bound) = $said =~ /race: 0 of (\d+) runs differ .*: rate below (\S+) \(95 %\)/;
	cmp_ok(abs(($bound // 0) * ($n // 1) - 3), '<', 0.5, 'with the bound for the runs done')
		or diag $said;
	like($said, qr/interrupted/, 'and the report mentions it');
}
my $start = time;
is(mxcheck(@correct, '--time', '0.2s'), 0, '--time 0.2s');
cmp_ok(time - $start, '<', 5, 'ends in time');
like($out, qr/race: 0 of \d{2,} runs differ/, 'and has hunted');
is(mxcheck(@correct, '--time', 'soon'), 2, 'an invalid time is refused');

done_testing();
