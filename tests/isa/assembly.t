#!/usr/bin/perl
# Compares the dwords in these tests with LLVM's assembler.
use strict;
use warnings;
use Test::More;
require './tests/files.pl';
use IPC::Open2;

my $build = $ENV{BUILD} || 'build';
my $llvm = llvm();
plan skip_all => 'no LLVM 20 or newer' unless $llvm;

# Assembles lines with llvm-mc; returns pairs of assembly and dwords.
sub llvm_mc {
	my ($cpu, @lines) = @_;
	open2(my $out, my $in, "$llvm/llvm-mc -triple=amdgcn-amd-amdhsa -mcpu=$cpu --show-encoding 2>&1");
	if (!fork) {
		close $out;
		print $in "$_\n" for @lines;
		exit 0;
	}
	close $in;
	my @answer = <$out>;
	1 while wait != -1;
	return map { /^\s*(\S.*?)\s*(?:;|\/\/) encoding: \[(.*?)\]/ ? [ $1, dwords($2) ] : () } @answer;
}

sub dwords {
	my $hex = join '', $_[0] =~ /0x(..)/g;
	return join ' ', map { join '', reverse /../g } $hex =~ /.{8}/g;
}

# ---- the programs of the tests; those of files gfx1250* are for gfx1250, and lines that say so ----

my $word = qr/0x[0-9a-f]{8}/;

# Whether operands are named as halves of registers, v1.l and v1.h.
sub has_halves { return $_[0] =~ /\bv\d+\.[lh]\b/ }

# The lines of the files for a target: assembly, and a text with the dwords.
sub lines_of {
	my ($cpu, @files) = @_;
	my (@assembly, @typed);
	for my $file (@files) {
		my $all  = slurp($file);
		my $of   = $file =~ m{/gfx1250} ? 'gfx1250' : 'gfx950';
		my $row  = qr/^ROW\("(?<text>.*?)",\s+\((?<code>.*?)\)/m;
		my $line = qr/(?<code>(?:$word,\s+)+)\/\* (?:(?<cpu>gfx\d+): )?(?<text>(?:s|v|ds|flat|global|scratch|t?buffer)_.*?) \*\//s;
		while ($all =~ /$row|$line/g) {
			my ($text, $code) = @+{qw(text code)};
			next if $cpu ne ($+{cpu} // $of);
			$text =~ s/\s+/ /g;
			push @assembly, [ split /; /, $text ];
			push @typed, [ "$file: $text", join ' ', $code =~ /0x([0-9a-f]{8})/g ];
		}
	}
	return (\@assembly, \@typed);
}

my @files = glob 'tests/isa/*.c tests/isa/*.h tests/isa/*.def';
my %least = (gfx950 => 500, gfx1250 => 10);
for my $cpu (sort keys %least) {
	my ($assembly, $typed) = lines_of($cpu, @files);
	my @differ;
	for my $halves (0, 1) {
		my @these = grep { !$halves == !has_halves($typed->[$_][0]) } 0 .. $#$typed;
		my @made = llvm_mc($cpu . ' -mattr=+real-true16' x $halves, map { @{ $assembly->[$_] } } @these);
		for my $i (@these) {
			my $want = join ' ', map { (shift(@made) // [ 0, 'nothing' ])->[1] } @{ $assembly->[$i] };
			push @differ, "$typed->[$i][0]: $typed->[$i][1], LLVM makes $want" if $want ne $typed->[$i][1];
		}
	}
	ok(@$typed > $least{$cpu}, scalar(@$typed) . " lines of assembly for $cpu have dwords in tests/isa");
	ok(!@differ, '  LLVM assembles each line to its dwords') or diag("first: $differ[0]");
}
done_testing;
