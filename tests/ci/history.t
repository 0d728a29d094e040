#!/usr/bin/perl
# The history of runs: what it keeps, and what mxcheck report prints of it.
use strict;
use warnings;
use Cwd qw(abs_path);
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $status, $out, $err, $dir);

my $file = "$dir/history.db";
my $run  = 'gemm/mxfp4_bf16/33x128x512/general';
my $tiny = 'gemm/mxfp4_bf16/1x1x32/exact';
my @case = ('run', '--case', 'cases/gemm/mxfp4_bf16.yaml', '--history', $file);
my $bad  = abs_path($build) . "/kernels/broken/bf16_truncate.co";
$ENV{LC_ALL} = 'C';

sub report { return mxcheck('report', @_) }

# ---- trends ----

is(mxcheck(@case, $run, $tiny), 0, 'a run with a history has its own status') or diag $err;
mxcheck(@case, $run, $tiny);
is(mxcheck(@case, '--co', $bad, $run, $tiny), 1, 'a failing one, too');
is(report($file), 0, 'report');
like($out, qr/\A\Q$file\E: 3 entries on device emu with seed 1\n/, '  begins with what it is of');
like($out, qr/^$run\n  fail wrong-bits, from pass at 3\n  snr_deq    770  [\d.]+ dB, from [\d.]+ dB at 3\n/m, '  a number that stepped, and where');
like($out, qr/^  equal      770  0\.\d+, from 1\.000000 at 3\n  ulp        007  1, from 0 at 3\nentry 3 \(\d{4}-\d\d-\d\d \d\d:\d\d, \w{12}(?:-dirty)?\)\n1 of 2 runs stepped\n\z/m, '  the entry with day and commit');
unlike($out, qr/$tiny/, '  but no run that did not step');
report($file, '-v', $tiny);
like($out, qr/^$tiny\n  snr_deq    333  exact\n.*  seconds    \d{3}  \S+ s\n0 of 1 run stepped\n\z/ms, '-v prints it, and a glob selects it');
report($file, '--last', 1);
like($out, qr/: 1 entry .*\n0 of 2 runs stepped\n/, '--last leaves out older entries');
mxcheck(@case, '--seed', 2, $run);
report($file);
like($out, qr/: 1 entry on device emu with seed 2\n/, 'the last entry decides on the seed');
report($file, '--seed', 1);
like($out, qr/: 3 entries on device emu with seed 1\n(?:.*\n)*1 of 2 runs stepped/, '--seed selects another');
report($file, '--device', 'hip:0');
like($out, qr/: 0 entries on device hip:0/, '--device another device');

# ---- entries ----

is(report($file, '--list'), 0, '--list');
my @entries = split /\n/, $out;
is(@entries, 4, '  has a line for each start');
like($entries[2], qr/^3 +\d{4}-\d\d-\d\d \d\d:\d\d  \S+ +emu \(gfx950\), seed 1: 2 runs, 1 failed$/, '  with commit, device, seed and counts');
is(report($file, '--compare', '1,3'), 1, '--compare: worse has status 1');
like($out, qr/\AA is 1 \(.*\), B is 3 \(.*\)\n$run\n  fail wrong-bits, was pass\n  snr_deq    [\d.]+ dB, was [\d.]+ dB\n/, '  with both numbers');
like($out, qr/^1 as before, 1 different, 1 of them worse, 0 only in A, 0 only in B$/m, '  and counts');
is(report($file, '--compare', '-2,-3'), 0, 'better has status 0');
like($out, qr/^  pass, was fail wrong-bits$/m, '  from the last entries');
is(report($file, '--compare', '1,2'), 0, 'the same accuracy');
like($out, qr/^2 as before, 0 different/m, '  is no difference, whatever the time');
report($file, '--compare', '1,4');
like($out, qr/^$tiny\n  only in A\n/m, 'a run that is only in one of them');
like($out, qr/, 1 only in A, 0 only in B$/m, '  is counted');
report($file, '--compare', '4,1');
like($out, qr/^$tiny\n  only in B\n(?:.*\n)*.*, 0 only in A, 1 only in B$/m, '  the other way, too');

# ---- the commit of the kernel's repository ----

mkdir "$dir/repository";
run('sh', '-c', 'cd "$1" && git init -q && git -c user.name=x -c user.email=x commit -q --allow-empty -m x && cp "$2" k.co', 'sh', "$dir/repository", $bad);
SKIP: {
	skip 'no git', 1 if $status;
	chomp(my $commit = `git -C $dir/repository rev-parse --short=12 HEAD`);
	mxcheck(@case, '--co', "$dir/repository/k.co", $tiny);
	report($file, '--list');
	like($out, qr/^5 .*  $commit +emu/m, 'the commit is that of the repository that has the code object') or diag $out, $err;
}

# ---- a run that is killed, several at a time ----

unlink $file;
my @all = map { my $n = $_; my $pid = fork; $pid || do { open STDOUT, '>', '/dev/null'; exec $mxcheck, @case, $tiny } } 1 .. 4;
waitpid $_, 0 for @all;
report($file, '--list');
is(scalar(() = $out =~ /1 run, 0 failed/g), 4, 'several processes may write at a time') or diag $out, $err;
my $pid = fork // die;
if (!$pid) { open STDOUT, '>', '/dev/null'; exec $mxcheck, @case, '--jobs', 1, '--shape', '4096,4096,4096', $run, $tiny }
sleep 1;
kill 'KILL', $pid;
waitpid $pid, 0;
is(report($file), 0, 'a run that is killed leaves a whole history') or diag $err;

# ---- histories of older schemas, without hardware and profile ----

SKIP: {
	my ($sqlite) = grep { -x } map { "$_/sqlite3" } split /:/, $ENV{PATH};
	skip 'no sqlite3', 1 if !$sqlite;
	my $old = spew("$dir/old.db", slurp($file));
	for ([ 1, 'ALTER TABLE entry DROP COLUMN hardware; ALTER TABLE entry DROP COLUMN profile' ], [ 2, 'ALTER TABLE entry DROP COLUMN profile' ]) {
		my ($schema, $sql) = @$_;
		run($sqlite, $old, "$sql; PRAGMA user_version = $schema");
		is($err, '', "a history of schema $schema");
		is(report($old, '--list'), 0, '  is read');
		my @before = split /\n/, $out;
		is(mxcheck(@case, '--history', $old, $tiny), 0, '  and written') or diag $err;
		report($old, '--list');
		is(scalar(split /\n/, $out), @before + 1, '  with another entry');
	}
	run($sqlite, $old, 'PRAGMA user_version = 4');
	is(report($old), 2, 'a later schema is refused');
}

# ---- wrong input ----

my $bytes = slurp($file);
spew("$dir/text", 'not a database, but long enough to be read as one: ' . 'x' x 2000);
spew("$dir/cut", substr($bytes, 0, 5000));
spew("$dir/noise", substr($bytes, 0, 100) . "\xA5" x (length($bytes) - 100));
for ('text', 'cut', 'noise') {
	is(report("$dir/$_"), 2, "a corrupt file ($_) is refused by report");
	like($err, qr/\Amxcheck report: \Q$dir\E\/$_: [^\n]+\n\z/, '  in one line');
	is($out, '', '  without a trend');
	is(mxcheck('--history', "$dir/$_", $tiny), 2, '  and by a run');
	like($err, qr/\Amxcheck: \Q$dir\E\/$_: [^\n]+\n\z/, '  in one line');
}
is(mxcheck('--history', "$dir/no/x", $tiny), 2, 'a folder that does not exist');
is($out, '', '  is found before the run');
is(mxcheck('--history', '-', $tiny), 2, 'a history has a name');
is(mxcheck('--history', $_, $tiny) . $err, "2mxcheck: $_: not a regular file\n", "$_ is no history") for '/dev/null', $dir;
is(report("$dir/none"), 2, 'report makes no file');
ok(!-e "$dir/none", '  whatever happens');
is(report(spew("$dir/empty", '')), 2, 'an empty file is no history');
is(report($file, '--compare', $_), 2, "--compare $_ is refused") for '1', '1,99', 'a,b', '-9,1';
is(report($file, '--last', 0), 2, '--last 0 is refused');
is(report(), 2, 'the file is needed');
is(mxcheck('fuzz', '--history', $file, $tiny), 2, '--history is for runs');

done_testing();
