#!/usr/bin/perl
# A report that cannot be written: every command says so in one line and exits with 2, whatever it
# found, and what is written to files is not mixed with it.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

my $co   = "$build/kernels/broken/loose_wait.co";
my @case = ('--device', 'emu', 'gemm/mxfp4_f32/1x1x32/exact');
mxcheck('quant', '--format', 'E2M1', '1', '-o', "$dir/a.npy", '--scales', "$dir/s.npy");

# What runs, and of which command.
my @commands = (
	[ run => @case ], [ run => '--tap', @case ], [ run => '--list' ], [ run => '--race', 2, @case ],
	[ run => '--who', 'C[0,0]', @case ], [ run => '--trace', '0,0,0:0', @case ],
	[ run => '--watch', 'C[0,0]', @case ], [ run => '-v', '--notes', @case ],
	[ run => 'run', '--case', 'cases/gemm/mxfp4_f32.yaml', @case ],
	[ mutate => 'mutate', '--race', 1, @case ],
	[ disasm => 'disasm', $co ], [ isa => 'isa', $co ], [ isa => 'isa', '--all' ],
	[ lint => 'lint', $co ], [ quant => 'quant', '--format', 'E2M1', '1' ],
	[ dequant => 'dequant', '--format', 'E2M1', '1' ],
	[ mfma => 'mfma', '--format', 'E2M1', '--a', '1', '--b', '1' ],
	[ compare => 'compare', "$dir/a.npy", "$dir/a.npy" ],
	[ compare => 'compare', "$dir/a.npy", "$dir/s.npy" ],
);
mxcheck('--help');
my %known = map { $_ => 1 } map { split / \| / } $out =~ /^ +(?:usage: )?mxcheck ((?:\w+ \| )*[a-z]+) /mg;
my %tried = map { $$_[0] => 1 } @commands;
is_deeply([ grep { !$tried{$_} } sort keys %known ], [], 'each command of --help is tried here');
push @commands, map { [ $_, $_ eq 'run' ? () : $_, '--help' ] } sort keys %tried;

# Runs mxcheck with the standard output that a script of the shell gives it.
sub with_output {
	my ($script, @arguments) = @_;
	run('sh', '-c', $script, 'sh', $mxcheck, @arguments);
}

# A pipe whose reader has gone.
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
			"where standard output is $what, '@arguments' says so");
	}
}

# ---- files ----

my @quant = ('quant', '--format', 'E2M1', '1', '--scales', "$dir/s2.npy", '-o');
with_output('exec "$@" >&-', @quant, "$dir/b.npy");
is("$status $err", '0 ', 'what prints nothing needs no standard output');
is(slurp("$dir/b.npy"), slurp("$dir/a.npy"), '  and its file is whole');
with_output('exec "$@" >&- 2>&- <&-', @quant, "$dir/c.npy");
is($status . slurp("$dir/c.npy"), '0' . slurp("$dir/a.npy"), '  nor any other stream');
with_output('exec "$@" >/dev/full', '--resume', "$dir/journal", '--time', '1h', @case);
is($status, 2, 'a hunt whose report would be lost does not begin');
with_output('exec "$@" >&-', @quant, '/proc/self/fd/1');
is($status, 2, 'a standard output that is closed is no file to write to');
with_output('exec "$@" >/dev/full', 'lint', "$dir/none.co");
is("$status $err", "2 mxcheck lint: $dir/none.co: cannot be read: No such file or directory\n",
	'what has printed nothing complains of its input alone');
done_testing();
