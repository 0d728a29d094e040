#!/usr/bin/perl
# report.pl BUILD LLVM: the table of kernels/README.md, from the built kernels and their cases.
use strict;
use warnings;

my ($build, $llvm) = @ARGV;
my @shape = (256, 256, 2048);

sub output { open my $f, '-|', @_ or die "$_[0]: $!"; local $/; return <$f> // '' }

# kernel => SGPRs, which only the metadata has.
sub sgprs {
	my ($co) = @_;
	my $notes = output("$llvm/llvm-readelf", '--notes', $co);
	my %n;
	while ($notes =~ /^ +\.name: +(\w+)\n(?: +\..*\n)*? +\.sgpr_count: +(\d+)/mg) { $n{$1} = $2 }
	return %n;
}

# kernel => its case, if it has only one kernel.
sub cases {
	my %case;
	for my $file (glob 'cases/*/*.yaml') {
		open my $f, '<', $file or die "$file: $!";
		my $text = join '', <$f>;
		$case{$1} //= $file if $text =~ /^kernel: *(\w+)/m;
	}
	return %case;
}

# The share of MFMA among the instructions of a run; undef if the case does not have the shape.
sub share {
	my ($case) = @_;
	my ($name) = $case =~ m{cases/(.*)\.yaml};
	my $out = output('sh', '-c', "$build/mxcheck run --case $case -v --no-analysis --shape " . join(',', @shape) . " --regime exact '$name' 2>/dev/null");
	return $out =~ /wave instructions, ([\d.]+) % (?:MFMA|WMMA)/ ? $1 : undef;
}

# kernel => the most conflict cycles of an access pattern, in the quick runs.
sub conflicts {
	my %kernel = reverse map { s{cases/(.*)\.yaml}{$1}r } @_;
	my ($at, %most);
	for (split /\n/, output('sh', '-c', "$build/mxcheck -v --no-analysis 2>/dev/null")) {
		$at = $kernel{$1} if m{^pass +(.*?)/[^/]*/\w+ };
		$at = $1 if /^ +step \d+ of \d+: (\w+)/;
		next unless $at && /^ +LDS: .*, ([\d.]+) conflict cycles each/;
		$most{$at} = $1 if !defined $most{$at} || $1 > $most{$at};
	}
	return %most;
}

my %case = cases();
my %conflicts = conflicts(%case);
my @head = ('kernel', 'VGPR', 'AGPR', 'SGPR', 'LDS', 'conflicts', 'waves', 'MFMA', 'loop', 'MFMA of loop', 'bound by');
print '| ', join(' | ', @head), " |\n", '|---' x @head, "|\n";
for my $co (grep { !m{/(?:broken|corunners|probe|foreign)/} } glob "$build/kernels/*/*.co") {
	my %sgprs = sgprs($co);
	for my $kernel (split /^(?=kernel )/m, output("$build/mxcheck", 'lint', $co)) {
		my ($name, $vgprs, $agprs, $waves, $lds) =
			$kernel =~ /^kernel (\w+): .*\n  allocates (\d+) VGPRs(?: and (\d+) AGPRs)?: (\d+) wave.*?; LDS (\d+) bytes/ or next;
		my ($loop, $part, $bound) = $kernel =~ /^  loop .*?: (\d+) instructions, \d+ \w+ \(([\d.]+) %\).*?(?: bound by (\w+))?$/m;
		my $share = $loop && $case{$name} ? share($case{$name}) : undef;
		print '| ', join(' | ', "`$name`", $vgprs, $agprs // 0, $sgprs{$name}, $lds, $conflicts{$name} // '', $waves,
			map { $_ // '' } $share && "$share %", $loop, $part && "$part %", $bound), " |\n";
	}
}
