#!/usr/bin/perl
# Every broken twin is flagged for its bug; its correct twin passes the same command; the printed
# command reproduces the failure. Prints the catalogue of bugs with their twins and findings.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

my @twins = do './kernels/broken/manifest';

sub judge {
	my ($t, $co, @options) = @_;
	my $case = ($t->{room} // 'gemm') . "/$t->{case}";
	return mxcheck('run', '--case', "cases/$case.yaml", '--co', $co, @options, "$case/$t->{run}");
}

sub is_flagged {
	my ($t, $sentence) = @_;
	my %found = map { $_ => 1 } kinds($out);
	$t->{found} //= join(' ', grep { !/^(?:order|notes|diagnosis|pattern)$/ } sort keys %found);
	my @missing = grep { !$found{$_} } @{ $t->{kinds} };
	is("$status @missing", "$t->{exit} ", "$sentence with @{$t->{kinds}}, exit $t->{exit}")
		or diag $out, $err;
}

# A kernel that several twins share passes a run once. The short tier takes one run of four: cli.t has
# most of them.
my (%passed, $runs);
sub passes {
	my ($t, $twin) = @_;
	return if $passed{"$twin $t->{case} $t->{run}"}++ || ($runs++ % 4 && !is_long());
	is(judge($t, $twin), 0, "its correct twin passes the same command") or diag $out, $err;
}

# The findings with their locations, which are the same for the same data and schedule.
sub findings { return join '', $_[0] =~ /^ {6}(?!reproduce|race|diagnosis|pattern)[a-z-]+: .*\n/mg }

# A run that fails, and fails again with the command that it prints. Only the first hunt is repeated,
# because hunts take long, and in the short tier one run of every third set of findings.
my ($hunts, $sets, %repeated) = (0, 0);
sub fails_twice {
	my ($t, $name, $co, @options) = @_;
	judge($t, $co, @options);
	is_flagged($t, "$name fails");
	my $found = findings($out);
	like($out, qr/^ *$t->{kinds}[0]: .*$t->{lacks}/m, 'and names the missing wait or barrier') if $t->{lacks};
	like($out, qr/^ *diagnosis: .*$t->{says}/m, 'and has a diagnosis') if $t->{says};
	return if @options && $hunts++ && !is_long();
	return if ($repeated{"@{ $t->{kinds} }"}++ || $sets++ % 3) && !is_long();
	my ($line) = $out =~ /^ *reproduce: (.*)$/m or return fail("$name prints a line that reproduces it");
	run('sh', '-c', $line);
	is_flagged($t, "$name, reproduced by the line it printed, fails");
	is(findings($out), $found, 'with the same findings') unless @options;
}

# Missing wait states leave the same bytes on the emulator, because its matrix instructions end before
# the next instruction begins.
sub hunt {
	my ($t, $name, $co, $twin) = @_;
	my @hunt = ('--race', $t->{hunt} || 20, '--no-analysis', '--no-shrink');
	if ($t->{hunt}) {
		fails_twice({ %$t, kinds => ['nondeterminism'], lacks => '' }, "$name, $t->{hunt} schedules,",
			$co, @hunt);
	} else {
		is(judge($t, $co, @hunt), 0, 'no schedule gives wrong numbers') or diag $out, $err;
	}
	is(judge($t, $twin, @hunt), 0, 'its correct twin passes them') or diag $out, $err;
}

# The short tier hunts for one of eight twins.
my $nth = 0;
for my $t (grep { !$_->{none} } @twins) {
	my $name = "$t->{bug} $t->{co} at $t->{run}";
	my $co = "$build/kernels/broken/$t->{co}.co";
	my $twin = $t->{twin} // 'mxfp4_gemm';
	$twin = "$build/kernels/" . ($twin =~ m{/} ? '' : ($t->{room} // 'gemm') . '/') . "$twin.co";
	fails_twice($t, $name, $co);
	passes($t, $twin);
	hunt($t, $name, $co, $twin) if defined $t->{hunt} && ($nth++ % 8 == 5 || is_long());
}

# N8: a split-K kernel is right, and its host did not clear C.
my $splitk = slurp('cases/gemm/mxfp4_splitk_add_bf16.yaml') =~ s/data: zero/data: poison/r;
mxcheck('run', '--case', spew("$dir/uncleared.yaml", $splitk), '--co', "$build/kernels/gemm/mxfp4_splitk_pipelined.co",
	'gemm/mxfp4_splitk_add_bf16/32x48x1024/general');
is("$status @{[kinds($out)]}", '1 order not-written', 'C that is not cleared before a split-K launch is flagged');
like($out, qr/^ *diagnosis: as if the output had not been cleared/m, 'with the diagnosis');

# The catalogue: each bug of a kernel has a twin, or a reason why it has none.
for my $row (slurp('CONTRIBUTING.md') =~ /^(\| [SALN]\d+ \| .* \|)$/mg) {
	my ($id, $what) = $row =~ /^\| (\w+) \| (.*) \|$/;
	my @of = grep { $_->{bug} eq $id } @twins;
	note("$id $what");
	note($_->{none} ? "    none: $_->{none}" : "    $_->{co}: found $_->{found}; expected @{ $_->{kinds} }") for @of;
	ok(scalar @of, "$id has a twin, or a reason");
}

# S2 is a bug only if scratch returns apart; else the same code is right.
my $in_order = spew("$dir/in_order.yaml", slurp('cases/gemm/mxfp8_scratch.yaml') =~ s/^assume: .*\n//mr);
my @stale = ('run', '--case', $in_order, '--co', "$build/kernels/broken/stale_address.co", '*/64x64x256/*');
is(mxcheck(@stale, '--race', 20), 0, 'stale_address passes if scratch returns in order')
	or diag $out, $err;
is(mxcheck(@stale, '--scratch-apart'), 3, 'and with --scratch-apart does not');
like($out, qr/^ *reproduce: .* --scratch-apart /m, 'and the reproducing command has the option');

# Atomics of several splits leave many results, all in the set.
is(mxcheck('--race', 200, 'gemm/mxfp4_splitk/*', 'gemm/mxfp4_splitk[24]/*'), 0, 'split-K passes under 200 schedules')
	or diag $out, $err;
my %distinct = $out =~ /^pass  (\S+).*?\n.*?, (\d+) distinct result/mg;
is($distinct{'gemm/mxfp4_splitk/32x32x512/general'}, 1, 'one split leaves one result');
is($distinct{'gemm/mxfp4_splitk2/32x32x512/general'}, 1, 'two splits too: a sum of two has no order');
cmp_ok($distinct{'gemm/mxfp4_splitk4/32x32x512/general'}, '>', 100, 'four leave many');

# A gate on SNR would not detect N1.
judge($twins[0], "$build/kernels/broken/bf16_truncate.co");
my ($snr) = $out =~ /snr deq ([\d.]+) dB/;
cmp_ok($snr // 0, '>', 45, 'bf16_truncate has an SNR above 45 dB');
like($out, qr/^ +ulp 0: \d+, 1: \d+; largest 1$/m, '  but errors of an ulp') or diag $out;

done_testing();
