#!/usr/bin/perl
# schedules.pl BUILD REPORT.jsonl ...: of each built kernel its runs in the hunts of these reports of
# `mxcheck --json`: schedules, how many of them differ, and whether the order is proved. Exit 1 if a
# kernel has no hunt, or if any run failed.
use strict;
use warnings;
use JSON::PP;

my ($build, @reports) = @ARGV;

# kernel => its runs.
my (%runs, $failed);
for (map { open my $f, '<', $_ or die "$_: $!"; map { decode_json($_) } <$f> } @reports) {
	next unless $_->{type} eq 'run' && $_->{hunt};
	my $order = $_->{order} // {};
	my @row = ($_->{name}, $_->{hunt}{runs}, $_->{hunt}{differ}, $order->{proved} ? 'proved' : $order->{why} // $_->{error});
	$failed |= $_->{outcome} ne 'pass' || $_->{hunt}{differ};
	my %kernels = map { $_ => 1 } @{ $_->{steps} // [ $_->{kernel} ] };
	push @{ $runs{$_} }, \@row for keys %kernels;
}

my @missing;
print "| kernel | run | schedules | differ | order |\n|---|---|---|---|---|\n";
for my $co (grep { !m{/(?:broken|corunners|probe|foreign)/} } glob "$build/kernels/*/*.co") {
	for my $kernel (qx($build/mxcheck lint $co) =~ /^kernel (\w+): /mg) {
		push @missing, $kernel unless $runs{$kernel};
		print '| ', join(' | ', "`$kernel`", @$_), " |\n" for @{ $runs{$kernel} // [] };
	}
}
print "no hunt: @missing\n" if @missing;
exit($failed || @missing ? 1 : 0);
