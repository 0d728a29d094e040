#!/usr/bin/perl
# Differential execution: programs of seeds are compiled for x86-64 and, at each level of
# optimisation, for a GPU, run there on the emulator, and must leave the same results.
#
# tests/diff/diff.pl [--kind own|csmith-c|csmith-cpp] [--seed FIRST] [--count N] [--jobs J]
#                    [--levels 0123] [--instructions LIMIT] [--keep DIR] [--arch gfx950|gfx1250]
#                    [--feature NAME] (of LLVM's target)
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use Getopt::Long;
use POSIX qw(SIGALRM WIFSIGNALED WTERMSIG);

my $here = dirname(abs_path(__FILE__));
require "$here/../files.pl";
require "$here/csmith.pl";
require "$here/generate.pl";

my %option = (kind => 'own', seed => 1, count => 1, jobs => 1, levels => '0123',
	instructions => 2_000_000, arch => 'gfx950');
GetOptions(\%option, qw(kind=s seed=i count=i jobs=i levels=s instructions=i keep=s arch=s feature=s))
	or die "see the head of $0\n";
$ENV{MXHIP_ARCH} = $option{arch};
my %make = (own => \&own_program, 'csmith-c' => \&csmith_c, 'csmith-cpp' => \&csmith_cpp);
my $make = $make{$option{kind}} or die "no kind $option{kind}\n";

my $build  = $ENV{BUILD} // "$here/../../build";
my $runner = abs_path("$build/tests/diff/runner") or die "no $build/tests/diff/runner\n";
my $dir    = tempdir(CLEANUP => 1);
my $llvm = llvm();
make_path($option{keep}) if $option{keep};
my $keep = $option{keep} && abs_path($option{keep});

# Options that both sides implement in the same way: no contraction, no excess precision, defined
# signed overflow.
my @common = ("-I$here", '-isystem', '/usr/include/csmith', qw(-w -fwrapv -fno-strict-aliasing
	-ffp-contract=off -Xclang -ffloat16-excess-precision=none
	-Xclang -fbfloat16-excess-precision=none), '-DWAVE=' . ($option{arch} eq 'gfx950' ? 64 : 32));
my @host   = ('-O0');
my @device = ("-mcpu=$option{arch}", qw(--target=amdgcn-amd-amdhsa -nogpulib -ffreestanding));
push @device, '-Xclang', '-target-feature', '-Xclang', "+$option{feature}" if $option{feature};
my @c      = qw(-x c -std=gnu11);
my @cpp    = qw(-x c++ -std=gnu++17 -Wno-narrowing -fno-exceptions -fno-rtti);

# Runs a command with its output in files NAME.out and NAME.err.
sub run {
	my ($name, @command) = @_;
	system 'sh', '-c', 'exec "$@" >"$0.out" 2>"$0.err" </dev/null', $name, @command;
	return $?;
}

sub compile {
	my ($program, @how) = @_;
	return run("$program.cc", "$llvm/clang", @common, ($option{kind} =~ /cpp/ ? @cpp : @c),
		"$program.c", '-x', 'none', @how);
}

# The first word that differs.
sub first_difference {
	my ($want, $got, $words) = @_;
	my @want = unpack 'Q<*', $want;
	my @got  = unpack 'Q<*', $got;
	my ($i)  = grep { $want[$_] != $got[$_] } 0 .. $#want;
	my $n    = grep { $want[$_] != $got[$_] } 0 .. $#want;
	return sprintf 'item %d, word %d is %016x, should be %016x; %d of %d words differ',
		$i / $words, $i % $words, $got[$i], $want[$i], $n, scalar @want;
}

# One level of optimisation: a verdict and its text.
sub on_device {
	my ($program, $seed, $level, $want) = @_;
	my $text = slurp("$program.c");
	my %n    = map { /^#define (ITEMS|GROUPS|WORDS) +(\d+)/ ? ($1, $2) : () } split /\n/, $text;
	my $co   = "$program-O$level.co";
	if (compile($program, @device, "-O$level", '-o', $co)) {
		my $said = slurp("$program.cc.err");
		return ($said =~ /error in backend|branch size exceeds simm16|PLEASE submit a bug report/ ? 'clang failed' : 'not compiled', $said);
	}
	my $status = run($co, $runner, $co, $n{GROUPS}, $n{ITEMS}, length $want, $seed,
		$option{instructions});
	my $said = slurp("$co.err");
	if ($status) {
		return ('slow', '') if $said =~ /^no-progress/m;
		return ('unsupported', $said) if $said =~ /^unsupported/m;
		return ('stopped', $said || "status $status");
	}
	my $got = slurp("$co.out");
	return ('different', first_difference($want, $got, $n{WORDS} // 1024) . "\n$said")
		if $got ne $want;
	return ('finding', $said) if $said;
	return ('same', '');
}

# The results of a seed: lines of "verdict, level, text".
sub try_seed {
	my ($seed) = @_;
	my $program = "$dir/$option{kind}-$seed";
	my $text    = $make->($seed);
	return "not generated\t-\t\n" unless defined $text;
	spew("$program.c", $text);
	compile($program, @host, '-o', "$program.host", '-lm')
		and return "not compiled\thost\t" . slurp("$program.cc.err") =~ s/\n/\\n/gr . "\n";
	my $status = run("$program.host", "$program.host");
	return WIFSIGNALED($status) && WTERMSIG($status) == SIGALRM ? "slow\thost\t\n"
		: "stopped\thost\tstatus $status\n" if $status;
	my $want = slurp("$program.host.out");
	my $report = '';
	for my $level (split //, $option{levels}) {
		my ($verdict, $said) = on_device($program, $seed, $level, $want);
		$report .= "$verdict\t-O$level\t" . $said =~ s/\n/\\n/gr . "\n";
	}
	spew("$keep/$option{kind}-$seed.c", $text) if $keep && $report =~ /^(?!same|slow|clang failed)/m;
	unlink glob "$program*";
	return $report;
}

# Seeds are distributed round robin; each job reports to its own file.
my %count;
my %instruction;
my $failed = 0;

sub report_on {
	my ($seed, $report) = @_;
	for (split /\n/, $report) {
		my ($verdict, $level, $said) = split /\t/, $_, 3;
		$count{$verdict}++;
		$said =~ s/\\n/\n/g;
		if ($verdict eq 'unsupported') {
			my ($what) = $said =~ /^unsupported: (?:\S+\+0x[0-9a-f]+ (\w+)|.*)/m;
			$instruction{ $what // $& }{"$seed$level"}++;
			$failed++;
			next;
		}
		next if $verdict =~ /^(same|slow|clang failed)$/;
		$failed++;
		my @lines = split /\n/, $said;
		$said = join "\n", map { substr $_, 0, 200 } @lines[ 0 .. ($#lines < 5 ? $#lines : 5) ];
		print "$option{kind} seed $seed $level: $verdict\n", $said =~ s/^/    /mgr, "\n";
	}
}

my @pipes;
for my $job (0 .. $option{jobs} - 1) {
	my $pid = open my $pipe, '-|';
	defined $pid or die "fork: $!";
	push @pipes, $pipe and next if $pid;
	$| = 1;
	mkdir "$dir/$job" and chdir "$dir/$job" or die "$dir/$job: $!\n"; # csmith writes platform.info where it runs
	for (my $seed = $option{seed} + $job; $seed < $option{seed} + $option{count};
		$seed += $option{jobs}) {
		print "$seed\t$_\n" for split /\n/, try_seed($seed);
	}
	POSIX::_exit(0);
}
while (@pipes) {
	my $pipe = shift @pipes;
	while (<$pipe>) {
		chomp;
		my ($seed, $report) = split /\t/, $_, 2;
		report_on($seed, $report);
	}
	close $pipe or die "a job failed\n";
}
print "$option{kind}: $option{count} programs from seed $option{seed}: ",
	join(', ', map { "$count{$_} $_" } sort keys %count), "\n";
print "unsupported: $_ in ", scalar keys %{ $instruction{$_} }, "\n"
	for sort { keys %{ $instruction{$b} } <=> keys %{ $instruction{$a} } } keys %instruction;
exit !!$failed;
