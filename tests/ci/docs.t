#!/usr/bin/perl
# README, manual page and --help agree with each other and with the tree.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

my $man = slurp('ci/man/mxcheck.1') =~ s/\\-/-/gr =~ s/\\fR|\\fP//gr;

# The text of the manual's sections from one heading up to another.
sub section { return $man =~ /\n\.S[SH] "?\Q$_[0]\E"?\n(.*?)(?=\n\.S$_[1] |\z)/s ? $1 : '' }

# What is in one list alone.
sub differences {
	my ($a, $b) = @_;
	my %a = map { $_ => 1 } @$a;
	my %b = map { $_ => 1 } @$b;
	return [ sort((grep { !$b{$_} } keys %a), (grep { !$a{$_} } keys %b)) ];
}

sub options_of { return grep { $_ ne '--help' } $_[0] =~ /(?<![\w-])(--[a-z][a-z-]*)/g }

# ---- options ----

my @parsed = map { "--$_" } slurp('ci/cli/options.c') =~ /\{ "([a-z-]+)", (?:no|required)_argument/g;
mxcheck('--help');
my @help = $out =~ /^  (?:-\w, )?(--[a-z-]+)/mg;
my @paged = map { /(--[a-z-]+)/g } section('OPTIONS', 'H') =~ /^\.TP\n(.*)/mg;
is_deeply(differences(\@parsed, \@help), [], '--help has the options of the program');
is_deeply(differences(\@parsed, \@paged), [], 'and so has the manual page');

my %sections = (map({ $_ => section($_, '[SH]') } qw(init disasm isa lint quant dequant mfma probe compare)),
	merge => section('MERGE', 'H'), report => section('HISTORY', 'H'));
my $synopsis = section('SYNOPSIS', 'H');
for my $command (sort keys %sections) {
	mxcheck($command, '--help');
	my @own = $out =~ /^  (?:-\w, )?(--[a-z-]+)/mg;
	my %paged = map { $_ => 1 } options_of($sections{$command} . $synopsis), '--verbose';
	is_deeply([ grep { !$paged{$_} && $_ ne '--help' } @own ], [], "options of $command are in the manual page");
}

# ---- findings ----

my ($table) = slurp('README.md') =~ /\n## Findings\n(.*?)\n## /s;
my @readme = map { /`([a-z-]+)`/g } $table =~ /^\| (`[^|]*)\|/mg;
my @listed = map { s/^\.BR? //r =~ /([a-z]+(?:-[a-z]+)*)/g } section('FINDINGS', 'H') =~ /^\.TP\n(.*)/mg;
is_deeply(differences(\@readme, \@listed), [], 'README and manual page have the same findings');
mxcheck('--expect', spew("$dir/expect.yaml", "expect:\n  - {run: x, findings: [x], reason: x, until: 2999-12-31}\n"));
my @failing = ('unexpected-pass', map { split /, / } $err =~ /no kind 'x': (.*)/);
my @fail = map { /`([a-z-]+)`/g } map { /\| *0 \|$/ ? () : /^\| (`[^|]*)\|/ } $table =~ /^\|.*/mg;
is_deeply(differences([ grep { $_ ne 'missing-wait' } @failing ], \@fail), [], 'and those that fail are the kinds of --expect');
my %kind = map { $_ => 1 } @failing;
my @added = map { /MX_WRONG_\w+,\s*"([a-z-]+)"/g } map { slurp($_) } glob('oracle/*.c fuzz/*/*.c ci/*/*.c');
is_deeply([ grep { !$kind{$_} } @added ], [], '  and so are those in the source');

# ---- links and places ----

sub anchors { return map { lc s/[^\w -]//gr =~ s/ /-/gr } slurp($_[0]) =~ /^#+ (.*)/mg }

my @broken;
for my $file (split /\n/, qx(git ls-files '*.md')) {
	my $folder = $file =~ s{[^/]*\z}{}r;
	for my $link (slurp($file) =~ /\]\(([^)\s]+)\)/g) {
		next if $link =~ /^\w+:/;
		my ($path, $anchor) = split /#/, $link;
		my $target = length $path ? $folder . $path : $file;
		push @broken, "$file: $link"
			if !-e $target || (defined $anchor && !grep { $_ eq $anchor } anchors($target));
	}
}
is_deeply(\@broken, [], 'every link in a .md file has its target');

my ($places) = slurp('ref/isa/README.md') =~ /\n## Where to look\n(.*?)\n## /s;
my @lost;
for my $row ($places =~ /^\| [A-Z].*/mg) {
	my (undef, undef, $files, $names) = split / *\| */, $row;
	my @files = map { glob "ref/isa/$_" } $files =~ /`([^`]+)`/g;
	my $text = join '', map { -f $_ ? slurp($_) : '' } @files;
	push @lost, grep { !-e $_ } @files;
	push @lost, grep { $text !~ /\b\Q$_\E\b/ } $names =~ /`(\w+)`/g;
}
is_deeply(\@lost, [], 'the places to look at are there');

# ---- glossary ----

my ($glossary) = slurp('CONTRIBUTING.md') =~ /\n## Glossary\n(.*?)\n## /s;
my @terms = grep { $_ ne 'term' } $glossary =~ /^\| ([^|]*) \|/mg;
cmp_ok(@terms, '<=', 40, 'the glossary has at most 40 terms');
is_deeply(\@terms, [ sort { lc $a cmp lc $b } @terms ], 'in the order of the alphabet');

done_testing();
