#!/usr/bin/perl
# Kernels that rely on latency: the class of their races, and the schedule under which they are judged.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
require './tests/ci/latency/case.pl';
our ($status, $out, $err, $dir);

assemble_file('tests/ci/latency/latency.s', "$dir/latency.co");
my $head = "{'descr': '<u4', 'fortran_order': False, 'shape': (64,), }";
spew("$dir/seven.npy", "\x93NUMPY\x01\x00" . pack('v', 118) . $head . ' ' x (117 - length $head) . "\n" . pack('V*', (7) x 64));

sub case_with {
	my ($key) = @_;
	return latency_case("$dir/latency.yaml", 'expect', ', expect: seven.npy', $key);
}

sub run_with {
	my ($key, @options) = @_;
	return mxcheck('run', '--case', case_with($key), @options);
}

my @typical = ('--schedule', 'typical');
is(run_with('', @typical), 0, 'usual numbers under the schedule typical') or diag $out;
like($out, qr/^pass .*\n +order: not proved: there are findings\n +race-lds-latency: overwrites\+0x\w+ buffer_load_dword .* ordered only by latency: that LDS access issued 1 instruction and 0 LDS operations before/m,
	'  not proved; the class and the distance are reported');
is(run_with('', '--schedule', 'typical,lds=5000', '--no-analysis'), 1, 'wrong numbers if LDS is slow');
is(run_with('', '--schedule', 'sequential,late', '--no-analysis'), 3, 'and if operations land late') or diag $out;

# ---- what fails ----

for ([ '', 3, '--strict' ], [ '', 3, '--races', 'latency=fail' ], [ 'races: {latency: fail}', 3 ],
	[ 'races: {latency: fail}', 0, '--races', 'latency=report' ], [ '', 3, '--require-proof' ]) {
	my ($key, $exit, @options) = @$_;
	is(run_with($key, @typical, @options), $exit, "exit $exit with '$key' @options");
	like($out, qr/^ +race-lds-latency: /m, '  and the race is printed');
}
for ([ 'races: {latency: ignore}' ], [ '', '--races', 'latency=ignore' ]) {
	my ($key, @options) = @$_;
	is(run_with($key, @typical, @options), 0, "'$key' @options");
	unlike($out, qr/race-lds-latency|order: proved/, '  the race is not printed, and nothing is proved');
}

# ---- wrong input ----

for ('latency', 'latency=maybe', 'late=fail', '', 'latency=fail,') {
	is(run_with('', '--races', $_), 2, "--races '$_' is refused");
	is($err, "mxcheck: --races $_: not unordered=A or latency=A, A being fail, report or ignore; see mxcheck --help\n", '  in one line');
}
is(run_with('races: {latency: maybe}'), 2, 'so is such a key') or diag $out;

# ---- the manual page ----

my %latency = slurp('ref/isa/schedule/latencies.def') =~ /^MX_LATENCY\((\w+), (\d+),/mg;
my ($typical) = slurp('ci/man/mxcheck.1') =~ /\\-\\-schedule typical"(.*?)^\.TP/ms;
is_deeply({ $typical =~ /^\.B (\w+)\n\((\d+)/mg }, \%latency, 'mxcheck(1) has the latencies of the schedule typical');

done_testing();
