#!/usr/bin/perl
# On a terminal: colour, progress, a line for each case, failures again at the end. `script` makes one.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $status, $out, $err, $dir);

run('script', '-qec', 'true', '/dev/null');
plan skip_all => 'no script(1), or no pseudo-terminal for it' if $status;
delete $ENV{NO_COLOR};
$ENV{TERM} = 'xterm';

# Runs mxcheck with standard output and standard error on a terminal.
sub on_terminal {
	my $line = join ' ', map { "'" . s/'/'\\''/gr . "'" } $mxcheck, @_;
	run('script', '-qec', $line, '/dev/null');
	$out =~ s/\r\n/\n/g;
	return $status;
}

my @few = ('gemm/mxfp4_bf16/1x1x32/exact', 'gemm/mxfp4_bf16/33x128x512/general');
my @broken = ('run', '--case', 'cases/gemm/mxfp4_bf16.yaml', '--co', "$build/kernels/broken/bf16_truncate.co");
my $esc = "\e";

is(on_terminal(@few), 0, 'a run on a terminal');
like($out, qr/^(?:\r$esc\[K)?.*$esc\[32mpass $esc\[0m $few[0] /m, 'a pass is green') or diag $out;
on_terminal(@broken, @few);
like($out, qr/$esc\[31mFAIL $esc\[0m $few[1] /, 'a failure is red');
unlike($out, qr/worst first/, '  and one is not repeated');
{
	local $ENV{NO_COLOR} = '1';
	on_terminal(@few);
	like($out, qr/pass  $few[0] /, 'NO_COLOR');
	unlike($out, qr/$esc\[\d+m/, '  has no colour');
	local $ENV{NO_COLOR} = '';
	on_terminal(@few);
	like($out, qr/$esc\[32m/, '  unless it is empty');
	local $ENV{TERM} = 'dumb';
	on_terminal(@few);
	unlike($out, qr/$esc\[\d+m/, 'nor has a dumb terminal');
}
mxcheck(@few);
unlike("$out$err", qr/$esc/, 'nor a file');

# ---- many runs ----

is(on_terminal('gemm/mxfp8_[eps]*', 'gemm/mxfp4_f32/1*'), 0, 'many runs');
my @lines = grep { !/\r/ } split /\n/, $out =~ s/\r$esc\[K[^\n]*?(?=\r|\n)//gr;
like($out, qr/pass $esc\[0m gemm\/mxfp8_scratch +3 runs  [\d.]+ s  order proved\n/, '  are a line for each case') or diag $out;
unlike($out, qr/mxfp8_scratch\/\d/, '  not for each run');
like($out, qr/\d+ of \d+ runs, [\d.]+ a second, \d+:\d\d:\d\d to go/, '  with progress, rate and the time that is left');
ok(@lines < 40, '  and less than a screen') or diag scalar @lines;
my @small = ('*/1x*');
is(on_terminal(@small), 0, 'runs of many cases');
@lines = grep { !/\r/ && /\S/ } split /\n/, $out =~ s/\r$esc\[K[^\n]*?(?=\r|\n)//gr;
like($out, qr{pass $esc\[0m gemm/\*  \d+ cases +\d+ runs  [\d.]+ s  order proved}, '  are a line for each folder') or diag $out;
cmp_ok(scalar @lines, '<', 24, '  and less than a screen') or diag $out;
like($out, qr/^assumptions: the numbers of \d+ of \d+ runs rest on an assumed profile \(.*\); --assumptions prints all \d+$/m, '  with one line of assumptions');
my ($all) = $out =~ /prints all (\d+)/;
mxcheck(@small, '--assumptions');
is(scalar(() = $out =~ /^(?:numbers rest on|order is proved assuming): /mg), $all, '  --assumptions prints them');
on_terminal('gemm/mxfp8_scratch', '-v');
like($out, qr/mxfp8_scratch\/\d/, '-v prints each');

on_terminal(@broken, '--no-analysis', '*/33x*', '*/13x*');
like($out, qr/^(?:.*\e\[K)?worst first:\n(?:  1  gemm\/mxfp4_bf16\/\S+ +wrong-bits\n){2,}/m, 'failures again, at the end');
unlike($out, qr/worst first(?:.*\n)*FAIL/, '  below all others');

# ---- --list ----

mxcheck('--list');
my @widths = map { /^(\S+ +(?:[a-z]+(?: [a-z]+)* +)?)/ ? length $1 : 0 } split /\n/, $out;
my ($longest) = sort { $b <=> $a } map { length((split)[0]) } split /\n/, $out;
ok($longest > 44, '--list has names of more than 44 characters');
my %second = map { substr($_, $longest, 1) => 1 } split /\n/, $out;
is_deeply([ keys %second ], [' '], '  and no name reaches into the next column');
my %tags = map { substr($_, $longest + 1, 1) =~ /\s|\w/ ? (index($_, (split)[1]) => 1) : () } grep { /^\S+ +(?:quick|race|long)/ } split /\n/, $out;
is(scalar keys %tags, 1, '  all tags begin in one column') or diag join ' ', %tags;

done_testing();
