#!/usr/bin/perl
# mutants.pl BUILD [OPTION ...]: `mxcheck mutate` over the runs tagged race, which the hunts take, all
# of a case together; and of each kernel its mutants over all cases. Exit 1 if one survived, if no run
# reaches one, or if no run goes through a kernel's main loop.
use strict;
use warnings;

my ($build, @options) = @ARGV;
# Of two fates in two cases, the later in this list decides.
my @fates = ('not reached', 'equivalent', 'not judged', 'survived', 'noted', 'flagged');
my %rank = map { $fates[$_] => $_ } 0 .. $#fates;

sub output {
	open my $f, '-|', @_ or die "$_[0]: $!";
	chomp(my @lines = <$f>);
	close $f or $? >> 8 < 2 or die "@_: status $?\n";
	return @lines;
}

# case => its runs.
my %runs;
for (output("$build/mxcheck", '--list')) {
	my ($run, @words) = split;
	push @{ $runs{ $run =~ m{^([^/]+/[^/]+)} ? $1 : $run } }, $run if grep { $_ eq 'race' } @words[0, 1];
}

# kernel => mutant => fate; kernel => the offsets that a run reaches; the reasons of those not judged.
my (%fate, %reached, %why);
for my $case (sort keys %runs) {
	for (output("$build/mxcheck", 'mutate', '--nops', '-v', @options, @{ $runs{$case} })) {
		my ($f, $kernel, $pc, $mutant, $why) = /^([a-z ]+?) +(\w+)\+0x([0-9a-f]+) ([^;]+)(?:; (.*))?$/ or next;
		my $known = \$fate{$kernel}{"+0x$pc $mutant"};
		$$known = $f if !defined $$known || $rank{$f} > $rank{$$known};
		$why{"$kernel+0x$pc $mutant"} = $why;
		$reached{$kernel}{ hex $pc } = 1 if $f ne 'not reached';
	}
}

my (@bad, @rows);
for my $co (grep { !m{/(?:broken|corunners|probe|foreign)/} } glob "$build/kernels/*/*.co") {
	for (split /^(?=kernel )/m, join "\n", output("$build/mxcheck", 'lint', $co)) {
		my ($kernel) = /^kernel (\w+): / or next;
		my ($begin, $last) = map { hex } /^  loop \+0x(\w+) to \+0x(\w+): /m;
		my %n = map { $_ => 0 } @fates;
		my %of = %{ $fate{$kernel} // {} };
		push @bad, "no run of $kernel" if !%of;
		for my $mutant (sort keys %of) {
			my $f = $of{$mutant};
			$n{$f}++;
			push @bad, "$f: $kernel$mutant" if $f eq 'survived' || $f eq 'not reached';
			print "not judged: $kernel$mutant; ", $why{"$kernel$mutant"}, "\n" if $f eq 'not judged';
		}
		my $loop = !defined $begin ? '' : (grep { $_ >= $begin && $_ <= $last } keys %{ $reached{$kernel} }) ? 'reached' : 'not reached';
		push @bad, "no run goes through the loop of $kernel" if $loop eq 'not reached';
		push @rows, join ' | ', "| `$kernel`", (map { $n{$_} } reverse @fates), "$loop |\n";
	}
}
print join(' | ', '| kernel', (reverse @fates), 'loop'), " |\n", '|---' x (@fates + 2), "|\n", @rows;
print "$_\n" for @bad;
exit(@bad ? 1 : 0);
