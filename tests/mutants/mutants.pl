#!/usr/bin/perl
# Mutation of our own source: changes one place at a time, like a typing error, and runs the tests of
# its room, then all others, until one fails.
#
#   perl tests/mutants/mutants.pl [--seed S] [--count N] [--only FILE-PREFIX] [--near] [--survivors FILE]
#
# Places and changes follow from the seed. Only a copy of the tree is changed. A mutant survives if no
# test fails. Each survivor is printed and fails the run, unless the file of survivors lists it with a
# reason. --near: tests of other rooms do not run, so a mutant that only they detect survives too.
# Exit status: 0 no survivor, 1 survivors, 2 bad usage, or no test passes before a change.
use strict;
use warnings;
no warnings 'portable';
use File::Temp 'tempdir';
use Getopt::Long;
use POSIX ':sys_wait_h';
use Time::HiRes 'time';

my ($seed, $count, $only, $near, $known) = (1, 100, '', 0, 'tests/mutants/survivors.txt');
if (!GetOptions('seed=i' => \$seed, 'count=i' => \$count, 'only=s' => \$only, near => \$near,
		'survivors=s' => \$known) || @ARGV) {
	print STDERR "usage: mutants.pl [--seed S] [--count N] [--only FILE-PREFIX] [--near] [--survivors FILE]\n";
	exit 2;
}
srand $seed;
$| = 1;

# ---- a copy of the tree and of the build ----

my $build = $ENV{BUILD} || 'build';
system('make', '-s', "B=$build", 'tests') == 0 or exit 2;
chomp(my @tracked = `git ls-files`);
my $dir = tempdir('mutants-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $tree = "$dir/tree";
system("mkdir $tree && git ls-files -z | xargs -0 cp -p --parents -t $tree && cp -a $build $tree/build") == 0
	or exit 2;
# Some tests read the commit.
system("cd $tree && git init -q && git add -A && git -c user.name=x -c user.email=x commit -qm x") == 0 or exit 2;
END { chdir '/' }
chdir $tree or die "$tree: $!\n";
$ENV{BUILD} = 'build';

# Runs a command in its own process group; whether it succeeded within the time.
sub succeeds {
	my ($seconds, @command) = @_;
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		setpgrp;
		open STDIN, '<', '/dev/null';
		open STDOUT, '>', "$dir/output";
		open STDERR, '>&', \*STDOUT;
		exec @command or POSIX::_exit(127);
	}
	my $end = time + $seconds;
	while (waitpid($pid, WNOHANG) == 0) {
		if (time > $end) {
			kill -9, $pid;
			waitpid $pid, 0;
			return 0;
		}
		select undef, undef, undef, 0.01;
	}
	return $? == 0;
}

# All tests, or those of a room and the kernels that they run.
my $asked = $near && $only ? room($only) : '*';
my @goals = $asked eq '*' ? 'tests' : ('all', glob "build/tests/$asked/*_test.t build/tests/$asked/*.co");
push @goals, grep { !/\.\w$/ } glob 'build/fuzz/targets/*' if $asked eq 'fuzz';

sub builds {
	return succeeds(600, 'make', '-s', '-j2', 'B=build', @goals);
}

# ---- tests, quickest first ----

my @all = glob "build/tests/$asked/*_test.t tests/$asked/*.t";
my %seconds;
for (@all ? `prove -j2 --timer @all 2>/dev/null` : ()) {
	$seconds{$1} = $2 / 1000 if /(\S+\.t) \.+ ok +(\d+) ms/;
}
print "omitted, because it fails before any change: $_\n" for grep { !exists $seconds{$_} } @all;
if (!%seconds) {
	print STDERR "no test passes\n";
	exit 2;
}

# The room of a source file is its folder below the top, or below ref/.
sub room {
	return $_[0] =~ m{^ref/(\w+)} ? $1 : $_[0] =~ m{^(\w+)} ? $1 : '';
}

sub first_failing {
	my $room = room($_[0]);
	my ($others, @tests) = (0, sort { $seconds{$a} <=> $seconds{$b} } keys %seconds);
	for my $test (grep { m{tests/$room/} } @tests) {
		return $test if !succeeds(10 * $seconds{$test} + 20, 'prove', '-Q', $test);
	}
	return if $near;
	@tests = grep { !m{tests/$room/} } @tests;
	$others += $seconds{$_} for @tests;
	return if succeeds(10 * $others + 20, 'prove', '-Q', '-j2', @tests);
	my ($first) = grep { /^(?:build|tests)\S+\.t / } lines_of("$dir/output");
	return ($first // 'a test of another room') =~ s/ .*//sr;
}

# ---- places and changes ----

# The changes of a line. Comments, strings and preprocessor lines stay.
my @operators = (
	[ '<= for <',    qr/ < /,       ' <= ' ],
	[ '< for <=',    qr/ <= /,      ' < ' ],
	[ '>= for >',    qr/ > /,       ' >= ' ],
	[ '> for >=',    qr/ >= /,      ' > ' ],
	[ '!= for ==',   qr/ == /,      ' != ' ],
	[ '== for !=',   qr/ != /,      ' == ' ],
	[ '|| for &&',   qr/ && /,      ' || ' ],
	[ '&& for ||',   qr/ \|\| /,    ' && ' ],
	[ '- for +',     qr/ \+ /,      ' - ' ],
	[ '+ for -',     qr/ - /,       ' + ' ],
	[ '>> for <<',   qr/ << /,      ' >> ' ],
	[ '<< for >>',   qr/ >> /,      ' << ' ],
	[ '| for &',     qr/(?<=\w) & (?=\w)/,  ' | ' ],
	[ '& for |',     qr/(?<=\w) \| (?=\w)/, ' & ' ],
	[ '= for |=',    qr/ \|= /,     ' = ' ],
	[ 'no !',        qr/(?<=[( ])!(?=[a-z(])/, '' ],
	[ 'false for true', qr/\btrue\b/,  'false' ],
	[ 'true for false', qr/\bfalse\b/, 'true' ],
	[ 'one more',    qr/(?<![\w.\x27"])(?:0x[0-9a-f]+|[1-9]\d*|0)(?![\w.\x27"])/, sub { oct_or_dec($_[0]) + 1 } ],
	[ 'no call',     qr/^\t+\w+\([^;{}]*\);$/, ';' ],
	[ 'never',       qr/(?<=\bif )\((?=.*\)$)/, '(0 && ' ],
	[ 'no continue', qr/\bcontinue;/, ';' ],
	[ 'no break',    qr/\bbreak;/,  ';' ],
);

sub oct_or_dec {
	return $_[0] =~ /^0x/ ? hex $_[0] : $_[0];
}

# The line with its comments and strings blanked out, of the same length.
sub code_of {
	my ($line) = @_;
	return '' if $line =~ m{^\s*(?:#|/?\*)};
	$line =~ s{("(?:[^"\\]|\\.)*"|/\*.*?(?:\*/|$))}{' ' x length $1}ge;
	return $line;
}

sub lines_of {
	open my $f, '<', $_[0] or die "$_[0]: $!\n";
	return <$f>;
}

# Each place: file, line, operator, column and length.
my @places;
for my $file (@tracked) {
	next if $file !~ m{^(?:ref|cases|oracle|fuzz|ci|kernels)/.*\.(?:c|h|def)$} || index($file, $only) != 0;
	next if $file =~ m{^kernels/(?!host)\w+/|^cases/foreign/|^ref/examples/|^fuzz/targets/|^build/};
	my @lines = lines_of($file);
	my $comment = 0;
	for my $n (0 .. $#lines) {
		my $code = code_of($lines[$n]);
		$code = $code =~ m{\*/} ? ' ' x $+[0] . substr $code, $+[0] : '' if $comment;
		$comment = $lines[$n] =~ m{.*(/\*|\*/)}s ? $1 eq '/*' : $comment;
		for my $o (@operators) {
			push @places, [ $file, $n, $o, $-[0], $+[0] - $-[0] ] while $code =~ /$o->[1]/g;
		}
	}
}
if (!@places) {
	print STDERR "no place in files that begin with '$only'\n";
	exit 2;
}

sub mutate {
	my ($file, $n, $operator, $at, $length) = @{ $_[0] };
	my @lines = lines_of($file);
	my $line = $lines[$n];
	my $old = substr $line, $at, $length;
	substr($line, $at, $length) = ref $operator->[2] ? $operator->[2]->($old) : $operator->[2];
	put($file, @lines[0 .. $n - 1], $line, @lines[$n + 1 .. $#lines]);
	return ($line, @lines);
}

sub put {
	my ($file, @lines) = @_;
	open my $f, '>', $file or die "$file: $!\n";
	print $f @lines;
	close $f or die "$file: $!\n";
}

# ---- known survivors ----

# Lines "FILE: line | changed line | reason".
my %reason;
for my $line (-e $known ? lines_of($known) : ()) {
	next if $line =~ /^#|^\s*$/;
	my ($place, $reason) = $line =~ /^(.*) \| (.*)$/ or die "$known: $line";
	$reason{$place} = $reason;
}

sub name_of {
	my ($file, $before, $after) = @_;
	return join ' | ', map { s/^\s+|\s+$//gr } "$file: " . ($before =~ s/^\s+//r), $after;
}

# ---- the run ----

my %score = (killed => 0, survived => 0, known => 0, 'does not compile' => 0);
my $tried = 0;
while ($tried < $count) {
	my $place = $places[ int rand @places ];
	my ($file, $n) = @$place;
	my ($after, @lines) = mutate($place);
	my $name = name_of($file, $lines[$n], $after);
	my $verdict = 'does not compile';
	if (builds()) {
		$tried++;
		my $killer = first_failing($file);
		$verdict = $killer ? 'killed' : exists $reason{$name} ? 'known' : 'survived';
		printf "%-8s %s:%d %s\n", $verdict, $file, $n + 1, $killer ? "by $killer" : $name;
	}
	$score{$verdict}++;
	put($file, @lines);
}
print join(', ', map { "$score{$_} $_" } sort keys %score), "; seed $seed\n";
exit($score{survived} ? 1 : 0);
