#!/usr/bin/perl
# A hunt's replay line, pasted: it brings the divergence back, and says what a schedule got wrong.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($mxcheck, $status, $out, $err, $dir);

compile_with('tests/ci/race/race.c', "$dir/race.co", '-O2', '-Ikernels');

# The case file of one of its kernels.
sub race {
	my ($kernel, $waves) = @_;
	return spew("$dir/$kernel.yaml", <<"END");
name: race/$kernel
code: race.co
kernel: $kernel
grid: [1]
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

# ---- what the judge does not see ----

my %exit = (stale => 3, last => 3);
for my $kernel (sort keys %exit) {
	my $case = race($kernel, $kernel eq 'last' ? 2 : 1);
	is(run_race($case, '--no-analysis'), 0, "$kernel: one run without analysis shows nothing");
	is(run_race($case, '--no-analysis', '--race', 40), $exit{$kernel}, 'a hunt does');
	my ($replay) = $out =~ /replay: (.*)$/m;
	run('sh', '-c', ($replay // 'false') . ' --no-analysis');
	is($status, $exit{$kernel}, 'its replay, too') or diag $out;
	like($out, qr/nondeterminism: .* first at OUT\[0\]\[\d+\], 0x\w+, under 'calm,pattern=\w\w' 0x/,
		'with the first bytes that part');
	my ($schedule) = ($replay // '') =~ /'(calm[^']*)'$/;
	like($schedule // '', qr/0\.\d\@/, 'of one decision at least');
}
is(run_race("$dir/stale.yaml", '--no-analysis', '--schedule', 'calm,pattern=5a'), 0,
	'the calm schedule parts from nothing');

# ---- what is not there ----

sub is_refused {
	my ($schedule, $why) = @_;
	is(run_race("$dir/last.yaml", '--schedule', $schedule), 2, "'$schedule' is refused");
	like($err, qr/\Amxcheck: schedule: $why: \S+ has .*\n\z/, 'in one line that says why');
}
is_refused('calm,pattern=00,0.2@1+1', 'wave 2 of workgroup 0');
is_refused('calm,pattern=00,0.1@1>2', 'wave 2 of workgroup 0');
is_refused('calm,pattern=00,1.0@1+1', 'workgroup 1');
is_refused('calm,pattern=00,first=2', 'first=2');

done_testing();
