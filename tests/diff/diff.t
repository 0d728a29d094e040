#!/usr/bin/perl
# Programs compiled for gfx950 and gfx1250 leave the same results as on x86-64 (diff.pl). The longer tiers use
# new seeds each day, and programs of csmith.
use strict;
use warnings;
use Cwd qw(getcwd);
use Test::More;
require './tests/ci/gate.pl';
require './tests/diff/csmith.pl';
our ($dir, $status, $out, $err);
my $root = getcwd();

my $llvm = llvm();
plan skip_all => 'no LLVM 20 or newer' unless $llvm;
plan skip_all => 'the host is not x86-64' unless `uname -m` =~ /x86_64/;

my $long = is_nightly() || is_long();
my $seed = $long ? 1000 * ($ENV{SEED} // 1) % 1_000_000_000 : 1;

# Callee-saved registers are in blocks.
my @blocks = qw(--arch gfx1250 --feature block-vgpr-csr);

sub agree {
	my ($kind, $first, $count, @options) = @_;
	my $sentence = "$count programs of $kind from seed $first leave the same results on both sides (@options)";
	run('tests/diff/diff.pl', '--kind', $kind, '--seed', $first, '--count', $count, '--jobs', 2,
		@options);
	ok($status == 0 && $out =~ /\b[1-9]\d* same\b/, $sentence) or diag $out, $err;
	note $out;
}

if (!$long) {
	agree('own', 10 * $_, 1, '--levels', $_) for 0, 3;
	agree('own', 31, 1, '--levels', '3', '--arch', 'gfx1250');
	agree('own', 2, 1, '--levels', '0', @blocks);
} else {
	my $nightly = is_nightly();
	agree('own', $seed, $nightly ? 1000 : 150, '--arch', $_) for qw(gfx950 gfx1250);
	agree('own', $seed, $nightly ? 200 : 30, @blocks);
	SKIP: {
		skip 'no csmith', 5 if system 'command -v csmith >/dev/null';
		chdir $dir;
		spew('platform.info', "integer size = 4\n");
		like(csmith(1, ''), qr/^int main /m, "csmith does not read another one's half-written platform.info");
		chdir $root;
		for my $kind (qw(csmith-c csmith-cpp)) {
			agree($kind, $seed, $nightly ? 500 : 50, '--arch', $_) for qw(gfx950 gfx1250);
		}
	}
}
done_testing();
