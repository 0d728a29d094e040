#!/usr/bin/perl
# Waves and workgroups that tell each other something through memory: never proved; a finding only
# where no flag that was read tells that the other is done, and then under any seed.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $dir, $out, $err);

my $case = <<'YAML';
name: flags/KERNEL
kernel: KERNEL
grid: [GROUPS]
block: [THREADS]
buffers:
  - {name: OUT,  role: none, type: u32, rows: 1, cols: 1024, data: zero}
  - {name: SYNC, role: none, type: u32, rows: 1, cols: 64, data: zero}
kernarg:
  - {offset: 0, type: ptr, value: OUT}
  - {offset: 8, type: ptr, value: SYNC}
verdict: {judge: none}
runs:
  - {M: 1, N: 1, K: 32, regime: general}
YAML

sub judge {
	my ($kernel, $groups, $threads, @options) = @_;
	my $text = $case =~ s/KERNEL/$kernel/gr =~ s/GROUPS/$groups/r =~ s/THREADS/$threads/r;
	return mxcheck('run', '--case', spew("$dir/$kernel.yaml", $text), '--co',
		"$build/tests/ci/flags.gpu.co", @options);
}

my @kernels = (
	[ 'lds_flag', 1, 128, 0, qr/not proved: waits in a loop for what others write/ ],
	[ 'global_flag', 1, 128, 0, qr/not proved: waits in a loop/ ],
	[ 'agent_flag', 4, 64, 0, qr/not proved: (?:waits in a loop|order through .* at \S+, behind \+0x)/ ],
	[ 'tiles', 4, 64, 0, qr/not proved: an atomic returns what was there/ ],
	[ 'two_sums', 4, 64, 0, qr/order: proved for this launch/ ],
	[ 'own_code', 1, 64, 0, qr/not proved: writes to its own code/ ],
	[ 'looked_once', 1, 128, 3, qr/race-lds: .* a byte/ ],
	[ 'early_flag', 4, 64, 3, qr/race-global: .* reads a byte .* that is written by/ ],
	[ 'unset_flag', 2, 64, 3, qr/race-global: .* writes a byte .* that is written by/ ],
	[ 'atomic_stores', 2, 64, 3, qr/race-global: .* writes a byte .* that is written by/ ],
	[ 'overlapping_tiles', 4, 64, 3, qr/race-global: .* writes a byte .* that is written by/ ],
);
for (@kernels) {
	my ($kernel, $groups, $threads, $exit, $says) = @$_;
	my @wrong = grep {
		judge($kernel, $groups, $threads, '--seed', $_) != $exit || $out !~ $says
	} 1 .. 6;
	ok(!@wrong, "$kernel: exit $exit, under any seed") or diag "seeds @wrong", $out, $err;
}

# Who wrote what is asked of the same schedule.
judge('overlapping_tiles', 4, 64, '--watch', 'OUT[0,60]');
my ($time) = ($out =~ /^ *(\d+)  \S+  lane \d+ writes OUT/mg)[-1];
judge('overlapping_tiles', 4, 64, '--who', 'OUT[0,60]');
like($out, qr/^  from .* issued at $time,/m, 'the last writer that --watch shows is the one that --who names')
	or diag $out, $err;
done_testing();
