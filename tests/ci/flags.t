#!/usr/bin/perl
# Waves and workgroups that synchronise through memory: the order is not proved; two accesses that no
# flag orders are a finding under any seed.
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
	[ 'lds_flag', 1, 128, 0, qr/not proved: waits in a loop for a write of another wave/ ],
	[ 'global_flag', 1, 128, 0, qr/not proved: waits in a loop/ ],
	[ 'agent_flag', 4, 64, 0, qr/not proved: (?:waits in a loop|atomics or flags order .* at \S+, after \+0x)/ ],
	[ 'tiles', 4, 64, 0, qr/not proved: an atomic returns the old value/ ],
	[ 'two_sums', 4, 64, 0, qr/order: proved for this launch/ ],
	[ 'own_code', 1, 64, 0, qr/not proved: writes to its own code/ ],
	[ 'exchange', 1, 128, 0, qr/not proved: reads what this launch wrote/ ],
	[ 'spin_lock', 1, 256, 0, qr/not proved: / ],
	[ 'last_group', 4, 64, 0, qr/not proved: / ],
	[ 'grid_sync', 4, 128, 0, qr/not proved: / ],
	[ 'early_group', 4, 64, 3, qr/race-global: / ],
	[ 'leader_waits', 4, 128, 3, qr/race-global: .* written by/ ],
	[ 'one_of_two', 3, 64, 3, qr/race-global: / ],
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

# The order of one L1: schedules keep it, and an option switches it off.
for ([ 'exchange', 1, 128 ], [ 'spin_lock', 1, 256 ]) {
	is(judge(@$_, '--race', 30), 0, "$_->[0] leaves the same bytes under 30 schedules") or diag $out, $err;
	is(judge(@$_, '--threadgroup-split'), 3, '  under threadgroup split it is a race');
	like($out, qr/race-global: /, '  of device memory');
	like($out, qr/reproduce: .* --threadgroup-split /, '  and the reproducing command has the option');
}
is(judge('exchange', 1, 128, '--threadgroup-split', '--no-analysis', '--race', 100), 3,
	'  and schedules show it') or diag $out, $err;

# More kernels from outside the tree, if present.
my $reviewed = '../shared/repro';
my @reviewed = (
	[ 'arr_dma_poll.s', 3, 'race-lds' ], [ 'several_groups_knows.s', 3, 'race-global' ],
	[ 'wrong_flag_lds.s', 3, 'race-lds' ], [ 'poll_loop_with_store.s', 0, '' ],
	[ 'sync.c', 0, '' ], [ 'lock.c', 0, '' ],
);
SKIP: {
	skip "no $reviewed", scalar @reviewed unless -d $reviewed;
	for (@reviewed) {
		my ($file, $exit, $kind) = @$_;
		my $co = "$dir/$file.co";
		$file =~ /\.s$/ ? assemble_file("$reviewed/$file", $co) : compile("$reviewed/$file", $co);
		my $yaml = "$reviewed/$file" =~ s/\.\w$/.yaml/r;
		my @wrong = grep {
			mxcheck('run', '--case', $yaml, '--co', $co, '--seed', $_) != $exit
				or index($out, $kind) < 0
		} 1 .. ($ENV{MXCHECK_LONG} ? 20 : 4);
		ok(!@wrong, "$file: exit $exit $kind") or diag "seeds @wrong", $out, $err;
	}
}

# --who runs under the same schedule.
judge('overlapping_tiles', 4, 64, '--watch', 'OUT[0,60]');
my ($time) = ($out =~ /^ *(\d+)  \S+  lane \d+ writes OUT/mg)[-1];
judge('overlapping_tiles', 4, 64, '--who', 'OUT[0,60]');
like($out, qr/^  from .* issued at $time,/m, '--who names the last writer that --watch prints')
	or diag $out, $err;
done_testing();
