#!/usr/bin/perl
# A disk that is full while a file grows: a limit of file sizes. Each is one line and status 2, and what
# was there before can still be read.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $status, $out, $err, $dir);

my $case = 'gemm/mxfp4_f32/1x1x32/exact';
my $hunt = 'gemm/mxfp4_f32/64x64x256/general';

# With files of at most so many blocks of 512 bytes. Output and errors go to a pipe, which has no limit.
sub limited {
	my ($blocks, @arguments) = @_;
	run('sh', '-c', '(ulimit -f "$0"; "$@" 2>&1; echo "status $?") | cat', $blocks, $mxcheck, @arguments);
	return $out =~ /^status (\d+)$/m ? $1 : 'none';
}

sub fails {
	my ($name, $blocks, @arguments) = @_;
	is(limited($blocks, @arguments), 2, "$name: status 2") or diag $out;
	my @errors = $out =~ /^mxcheck: (.*)/mg;
	like("@errors", qr/\A(?:\S+ )?\S+: (?:cannot be written: File too large|File too large|database or disk is full|disk I\/O error)\z/, '  and one line with the reason');
}

for my $option ('--json', '--junit', '--html') {
	fails($option, 1, $option, "$dir/report", $case, $hunt);
	like($out, qr/^2 passed, 0 failed/m, '  after the report of the runs');
}
fails('--save', 1, '--save', "$dir/saved", $hunt);

# ---- files that are continued ----

fails('a new history', 1, '--history', "$dir/new.db", $case);
my @many = ('run', '--case', 'cases/gemm/mxfp4_f32.yaml', '--no-analysis', '--history', "$dir/h.db", 'gemm/mxfp4_f32/*/exact');
mxcheck(@many, $case);
my $blocks = (-s "$dir/h.db") / 512;
my ($before, $tries) = (1, 0);
while (limited($blocks, @many) eq '0' && $tries++ < 60) { $before++ }
$status = $out =~ /^status (\d+)$/m ? $1 : 'none';
is($status, 2, 'a history that may not grow') or diag $out;
like($out, qr{^mxcheck: \Q$dir\E/h\.db: database or disk is full$|^mxcheck: \Q$dir\E/h\.db: disk I/O error$}m, '  names the reason');
is(mxcheck('report', "$dir/h.db", '--list'), 0, '  and can be read') or diag $err;
my @entries = $out =~ /^\d+ .* (\d+) runs?, 0 failed$/mg;
cmp_ok(scalar @entries, '>=', $before, '  with the entries before it');
is(mxcheck(@many), 0, '  and goes on when there is room');

is(limited(1, '--cache', "$dir/cache", $case), 0, 'a cache that cannot be written fails nothing') or diag $out;
like($out, qr/^mxcheck: --cache: \S+: cannot be written: File too large$/m, '  and the reason is printed');
is(mxcheck('--cache', "$dir/cache", $case), 0, '  there is no part of an entry in it');
unlike($out, qr/ cached$/m, '  that a run takes');

my @resumed = ('--race', 300, '--no-shrink', '--resume', "$dir/journal", $hunt);
fails('a journal', 4, @resumed);
like($out, qr/race: the journal could not be written; these counts are of the runs done$/m, '  and the counts are printed');
my ($done) = $out =~ /race: 0 of (\d+) runs differ/;
is(mxcheck(@resumed), 0, '  and the hunt goes on when there is room');
my ($kept) = $out =~ /race: (\d+) of the runs are from the journal/;
cmp_ok($kept // 0, '<=', $done, '  with the runs that the journal has');
like($out, qr/race: 0 of 300 runs differ/, '  to its end');

# ---- a baseline is replaced whole, or not at all ----

my @baseline = ('--baseline', "$dir/b", '--update-baseline');
mxcheck(@baseline, $case);
my $old = slurp("$dir/b");
my @more = mxcheck('--list', 'gemm/*/exact') == 0 ? ($out =~ /^(\S+)/mg)[ 0 .. 11 ] : ();
is(limited(1, @baseline, @more), 2, 'a baseline that cannot be written');
ok(slurp("$dir/b") eq $old, '  is as it was') or diag $out;

done_testing();
