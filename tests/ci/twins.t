#!/usr/bin/perl
# Every broken twin is flagged for what is wrong with it; its correct twin passes the same command;
# the line that reproduces it does.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $status, $out, $err);

my @twins = (
	{ bug => 'N1', co => 'bf16_truncate', case => 'mxfp4_bf16', run => '256x256x512/general',
	  exit => 1, kinds => ['wrong-bits'] },
	{ bug => 'N1', co => 'bf16_truncate', case => 'mxfp4_bf16', run => '256x256x512/exact',
	  exit => 1, kinds => ['wrong-bits'] },
	{ bug => 'S4', co => 'loose_wait', case => 'mxfp4_f32', run => '128x128x1024/general',
	  exit => 3, kinds => ['race-lds'] },
	{ bug => 'S4', co => 'loose_wait', case => 'mxfp4_f32', run => '128x128x1024/general',
	  options => ['--race', 200, '--no-analysis'], exit => 3, kinds => ['nondeterminism'] },
	{ bug => 'N8', co => 'splitk_lost', case => 'mxfp4_splitk4', run => '32x32x512/general',
	  exit => 1, kinds => ['outside-set'], twin => 'mxfp4_splitk',
	  says => 'update of split 3 were lost' },
	{ bug => 'N8', co => 'splitk_doubled', case => 'mxfp4_splitk4', run => '32x32x512/general',
	  exit => 1, kinds => ['outside-set'], twin => 'mxfp4_splitk',
	  says => 'update of split 0 were done twice' },
	{ bug => 'A12', co => 'store_past_m', case => 'mxfp4_f32', run => '129x128x256/exact',
	  exit => 1, kinds => ['out-of-bounds-write', 'guard-changed'] },
);

sub judge {
	my ($t, $co) = @_;
	return mxcheck('run', '--case', "cases/gemm/$t->{case}.yaml", '--co', $co,
		@{ $t->{options} // [] }, "gemm/$t->{case}/$t->{run}");
}

sub is_flagged {
	my ($t, $sentence) = @_;
	my %found = map { $_ => 1 } kinds($out);
	my @missing = grep { !$found{$_} } @{ $t->{kinds} };
	is("$status @missing", "$t->{exit} ", "$sentence with @{$t->{kinds}}, exit $t->{exit}")
		or diag $out, $err;
}

# The findings with their places, which the same data and schedule bring back.
sub findings { return join '', $_[0] =~ /^ {6}(?!reproduce|race|diagnosis|pattern)[a-z-]+: .*\n/mg }

for my $t (@twins) {
	my $name = "$t->{bug} $t->{co} at $t->{run}";
	judge($t, "$build/kernels/broken/$t->{co}.co");
	is_flagged($t, "$name fails");
	my $found = findings($out);
	like($out, qr/^ *diagnosis: .*$t->{says}/m, 'and says why') if $t->{says};
	if (my ($line) = $out =~ /^ *reproduce: (.*)$/m) {
		run('sh', '-c', $line);
		is_flagged($t, "$name, reproduced by the line it printed, fails");
		is(findings($out), $found, 'in the same places') unless $t->{options};
	} else {
		fail("$name prints a line that reproduces it");
	}
	is(judge($t, "$build/kernels/gemm/" . ($t->{twin} // 'mxfp4_gemm') . '.co'), 0, "its correct twin passes")
		or diag $out, $err;
}

# Atomics of several splits leave many results, each a member of the set.
is(mxcheck('--race', 200, 'gemm/mxfp4_splitk*'), 0, 'split-K passes under 200 schedules')
	or diag $out, $err;
my %distinct = $out =~ /^pass  (\S+).*?\n.*?, (\d+) distinct result/mg;
is($distinct{'gemm/mxfp4_splitk1/32x32x512/general'}, 1, 'one split leaves one result');
is($distinct{'gemm/mxfp4_splitk2/32x32x512/general'}, 1, 'two too, as a sum of two has no order');
cmp_ok($distinct{'gemm/mxfp4_splitk4/32x32x512/general'}, '>', 100, 'four leave many');

# Why a gate on SNR would let N1 through.
judge($twins[0], "$build/kernels/broken/bf16_truncate.co");
my ($snr) = $out =~ /snr deq ([\d.]+) dB/;
cmp_ok($snr // 0, '>', 45, 'bf16_truncate has an SNR above 45 dB all the same');

done_testing();
