#!/usr/bin/perl
# A report that cannot be written: every command prints one line and exits with 2, whatever it found.
# Files that it writes do not get parts of the report.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

my $co   = "$build/kernels/broken/loose_wait.co";
my @case = ('--device', 'emu', 'gemm/mxfp4_f32/1x1x32/exact');
mxcheck('--json', "$dir/r.jsonl", @case);
mxcheck('quant', '--format', 'E2M1', '1', '-o', "$dir/a.npy", '--scales', "$dir/s.npy");

mxcheck('--history', "$dir/history.db", @case);

mxcheck('exec', '--keep', "$dir/journal.exec", '--', 'sh', '-c', "$build/tests/hip/errors_test.t >/dev/null");
mxcheck('probe', '--emit', "$dir/probe", '--insn', 'mma_*_s8', '--dots', 1);

# Command lines, each with its command.
my @commands = (
	[ run => @case ], [ run => '--tap', @case ], [ run => '--list' ], [ run => '--race', 2, @case ],
	[ run => '--who', 'C[0,0]', @case ], [ run => '--trace', '0,0,0:0', @case ],
	[ run => '--watch', 'C[0,0]', @case ], [ run => '-v', '--notes', @case ],
	[ run => 'run', '--case', 'cases/gemm/mxfp4_f32.yaml', @case ],
	[ mutate => 'mutate', '--race', 1, @case ], [ fuzz => 'fuzz', '--count', 1, @case ],
	[ disasm => 'disasm', $co ], [ isa => 'isa', $co ], [ isa => 'isa', '--all' ],
	[ lint => 'lint', $co ], [ init => 'init', $co, 'mxfp4_gemm_f32' ], [ quant => 'quant', '--format', 'E2M1', '1' ],
	[ dequant => 'dequant', '--format', 'E2M1', '1' ],
	[ mfma => 'mfma', '--format', 'E2M1', '--a', '1', '--b', '1' ],
	[ probe => 'probe', '--read', "$dir/probe" ],
	[ compare => 'compare', "$dir/a.npy", "$dir/a.npy" ], [ merge => 'merge', "$dir/r.jsonl" ], [ exec => 'exec', '--read', "$dir/journal.exec" ],
	[ compare => 'compare', "$dir/a.npy", "$dir/a.npy" ],
	[ report => 'report', "$dir/history.db" ], [ report => 'report', "$dir/history.db", '--list' ],
	[ compare => 'compare', "$dir/a.npy", "$dir/s.npy" ],
);
my $is_repository = run('git', 'rev-parse', '--verify', '--quiet', 'HEAD') == 0;
push @commands, [ ci => 'ci', '--base', 'HEAD', @case ] if $is_repository;
mxcheck('--help');
my %known = map { $_ => 1 } map { split / \| / } $out =~ /^ +(?:usage: )?mxcheck ((?:\w+ \| )*[a-z]+) /mg;
delete $known{ci} unless $is_repository;
my %tried = map { $$_[0] => 1 } @commands;
is_deeply([ grep { !$tried{$_} } sort keys %known ], [], 'each command of --help is tried here');
push @commands, map { [ $_, $_ eq 'run' ? () : $_, '--help' ] } sort keys %tried;

# Runs mxcheck with the standard output that a shell script sets.
sub with_output {
	my ($script, @arguments) = @_;
	run('sh', '-c', $script, 'sh', $mxcheck, @arguments);
}

# Runs mxcheck with a pipe without a reader.
sub into_closed_pipe {
	my (@arguments) = @_;
	pipe my $reader, my $writer or die $!;
	close $reader;
	my $pid = fork // die $!;
	if (!$pid) {
		open STDOUT, '>&', $writer;
		open STDERR, '>', "$dir/err";
		exec $mxcheck, @arguments;
	}
	waitpid $pid, 0;
	$status = $? & 127 ? 128 + ($? & 127) : $? >> 8;
	$err = slurp("$dir/err");
}

for ([ 'full', 'No space left on device', sub { with_output('exec "$@" >/dev/full', @_) } ],
	[ 'closed', 'Bad file descriptor', sub { with_output('exec "$@" >&-', @_) } ],
	[ 'a pipe without a reader', 'Broken pipe', \&into_closed_pipe ]) {
	my ($what, $why, $try) = @$_;
	for (@commands) {
		my ($name, @arguments) = @$_;
		$try->(@arguments);
		is("$status $err", "2 mxcheck: standard output cannot be written: $why\n",
			"standard output is $what: '@arguments' reports it");
	}
}

# ---- files ----

my @quant = ('quant', '--format', 'E2M1', '1', '--scales', "$dir/s2.npy", '-o');
with_output('exec "$@" >&-', @quant, "$dir/b.npy");
is("$status $err", '0 ', 'a command that prints nothing needs no standard output');
is(slurp("$dir/b.npy"), slurp("$dir/a.npy"), '  and its file is whole');
with_output('exec "$@" >&- 2>&- <&-', @quant, "$dir/c.npy");
is($status . slurp("$dir/c.npy"), '0' . slurp("$dir/a.npy"), '  nor any other stream');
with_output('exec "$@" >/dev/full', '--resume', "$dir/journal", '--time', '1h', @case);
is($status, 2, 'a hunt with a lost report does not begin');
with_output('exec "$@" >&-', @quant, '/proc/self/fd/1');
is($status, 2, 'a closed standard output cannot be an output file');
with_output('exec "$@" >/dev/full', 'lint', "$dir/none.co");
is("$status $err", "2 mxcheck lint: $dir/none.co: cannot be read: No such file or directory\n",
	'a command that has printed nothing reports only its bad input');
done_testing();
