#!/usr/bin/perl
# The command line: selection, output, and that the same command prints the same.
use strict;
use warnings;
use TAP::Parser;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

# A report without its times.
sub timeless { return $_[0] =~ s/[\d.]+ (?:s|ms a run)\b/TIME/gr }

# The names of the runs in a report, in order.
sub names { return $_[0] =~ /^(?:pass|FAIL)  (\S+)/mg }

sub passes {
	my ($sentence, @arguments) = @_;
	is(mxcheck(@arguments), 0, $sentence) or diag $out, $err;
	is($err, '', '  with nothing on stderr');
	return $out;
}

# ---- help and list ----

my $help = passes('--help explains', '--help');
is(passes('-h does too', '-h'), $help, 'with the same text');

my @list = split /\n/, passes('--list lists', '--list');
my $runs = 0;
for my $text (map { slurp($_) } glob 'cases/*/*.yaml') {
	my $own      = () = $text =~ /^ *- \{.*\bregime:/mg;
	my $variants = () = $text =~ /^ *- \{name: [^,]*, +code:/mg;
	$runs += $own * ($variants || 1);
}
is(@list, $runs, 'every run of every case file and of its variants, one a line');
my $sizes = qr/\d+x\d+x\d+(?:,\w+=[\d+]+)*|\w+=\d+(?:,\w+=\d+)*/;
is(scalar(grep { !m{^\w+/\w+(?:/\w+)?/$sizes/(?:exact|general|special) } } @list), 0,
	'under case / variant / sizes / regime');
my @quick = map { /^(\S+) +.*\bquick\b/ } @list;
my @exact = map { m{^(gemm/mxfp4_f32/\S+/exact) } } @list;
is(() = passes('--list takes globs', '--list', '*/exact') =~ m{/exact }g,
	scalar(grep { m{/exact } } @list), 'and lists the runs that match');

for my $glob ('gemm/mxfp4_f32/128x17x512/*', 'gemm/mxfp?_f32*exact', 'gemm/mxfp4_splitk[24]/*', '[f]oreign/mxfp8_asm/*') {
	my $same = $glob =~ s/\*/.*/gr =~ s/\?/./gr;
	my @same = grep { m{^$same\z} } map { /^(\S+)/ } @list;
	is_deeply([ passes("--list '$glob'", '--list', $glob) =~ /^(\S+)/mg ], \@same, '  lists the runs that match');
	BAIL_OUT("$glob matches no run") if !@same;
}

# ---- selection ----

is_deeply([ names(passes('with no case named mxcheck passes')) ], \@quick,
	'those tagged quick run, in the order of the list');
like($out, qr/\Adevice emu \(gfx950 and gfx1250, libmxhip\.so\), seed 1\n/, 'device, arch and runtime are named');
like($out, qr/^${\scalar @quick} passed, 0 failed, [\d.]+ s\n\z/m, 'the last line counts them');
is_deeply([ names(passes('a glob passes', 'gemm/mxfp4_f32/*/exact')) ], \@exact,
	'the runs that it matches run');
is_deeply([ names(passes('--regime passes', '--regime', 'exact', 'gemm/mxfp4_f32')) ], \@exact,
	'the runs of a case and a regime run');
is_deeply([ names(passes('--shape passes', '--shape', '31,33,64', '--regime', 'special',
			'gemm/mxfp4_f32')) ],
	['gemm/mxfp4_f32/31x33x64/special'], 'the case runs at that shape, once');

# ---- what is printed ----

my @run = ('gemm/mxfp4_f32/128x17x512/general');
like(passes('a general run passes', @run),
	qr{^pass  \S+ +bits 2176/2176  snr deq 1\d\d\.\d\d dB unq 1\d\.\d\d dB  [\d.]+ s  \[profile block32 \(assumed\)}m,
	'with its elements, both SNR, and its assumption');
like($out, qr/^      order: proved for this launch, assuming: this code object, input and grid;/m,
	'and the result of the analysis of order');
unlike(passes('--no-analysis passes', '--no-analysis', @run), qr/order:/, 'without that line');
like(passes('an exact run passes', 'gemm/mxfp4_f32/1x1x32/exact'),
	qr{bits 1/1  snr deq exact unq -  .*\[exact regime: }, 'with its assumption');
# A run of several cases: one line each, and each assumption once, with the number of its cases.
my @lines = split /\n/, passes('several runs pass', 'gemm/mxfp4_f32/1*', 'gemm/mxfp4_splitk2');
my @cases = grep { /^pass / } @lines;
is(scalar(grep { /  [\d.]+ s  order (?:proved|not proved: .* at \+0x\w+)$/ } @cases), scalar @cases,
	'each line ends with its order');
is(scalar(grep { /^ *order: |\[exact|\[profile/ } @lines), 0, '  and has no assumptions');
for ([ 'numbers rest on', qr/./ ], [ 'order is proved assuming', qr/order proved$/ ]) {
	my ($what, $which) = @$_;
	my @rests = grep { /^\Q$what\E: / } @lines;
	my %distinct = map { s/ \(\d+ cases?\)$//r => 1 } @rests;
	my $n = 0;
	$n += /: this code object|numbers/ && / \((\d+) cases?\)$/ ? $1 : 0 for @rests;
	is("@{[scalar keys %distinct]} $n", @rests . ' ' . grep({ $_ =~ $which } @cases),
		"'$what' has each assumption once, and counts all cases") or diag $out;
}
my @few_runs = ('gemm/mxfp4_f32/1x1x32/exact', $run[0]);
for ('-v', '--tap') {
	my $full = passes("$_ passes", $_, @few_runs);
	is(join(' ', scalar(() = $full =~ /  \[(?:exact|profile) /g), scalar(() = $full =~ /order: proved .*, assuming: /g),
		scalar(() = $full =~ /rest on|is proved/g)), '2 2 0', '  and keeps the assumptions with each case') or diag $full;
}
mxcheck('run', '--case', 'cases/gemm/mxfp4_f32.yaml', '--co', "$build/kernels/broken/store_past_m.co",
	'*/1*x128x256/exact');
like($out, qr/^FAIL .*\[exact regime: .*\n      order: not proved: there are findings$/m,
	'a failing case has its assumptions') or diag $out;
like($out, qr/^pass .*order proved\n(?!  ).*?^numbers rest on: .* \(1 case\)$/ms, '  and one that passes beside it is one line')
	or diag $out;

like(passes('--race passes', '--race', 60, @run),
	qr/race: 0 of 60 runs differ \(seeded schedules of the emulator, not of silicon\): rate below 4\.9e-02 \(95 %\), /,
	'with a bound on the rate and its population');
unlike($out, qr/race.free/i, 'and without the word race-free');
like(passes('-v passes', '-v', @run),
	qr/\d+ wave instructions, \d+\.\d % MFMA; most in flight: vmcnt \d+, lgkmcnt \d+\n +mix: \w+ \d+, /,
	'with the instruction mix and the most operations in flight');
like($out, qr/^ +LDS: \d+ ds_read_b128, \d+\.\d\d conflict cycles each \(\d+ in the code, first \+0x\w+\)$/m,
	'and the bank conflicts of each access pattern');

# ---- repeatability ----

my @few = ('gemm/mxfp4_splitk/*', 'gemm/mxfp4_splitk[24]/*', 'gemm/mxfp8_scratch', 'foreign/mxfp8_asm');
my $once = timeless(passes('a seed passes', '--seed', 7, @few));
is(timeless(passes('and again', '--seed', 7, @few)), $once, 'and prints the same');
isnt(timeless(passes('another seed passes', '--seed', 8, @few)) =~ s/seed 8/seed 7/r,
	$once, 'but has other data');
is(timeless(passes("--jobs $_ passes", '--jobs', $_, '--seed', 7, @few)), $once,
	'and prints the same in the same order') for 1, 2, 5;
my @raced = ('--race', 40, '--jobs');
is(timeless(passes('a hunt on 2 threads passes', @raced, 2, @run)),
	timeless(passes('and on 1', @raced, 1, @run)), 'and finds the same');

# ---- TAP ----

sub tap {
	my $p = TAP::Parser->new({ tap => "$_[0]\n" });
	$p->run;
	return $p;
}

my $p = tap(passes('--tap passes', '--tap', @few));
is(join(' ', $p->parse_errors, $p->tests_run, scalar $p->passed), '13 13',
	'it is valid TAP, one test a run, all ok');
mxcheck('run', '--case', 'cases/gemm/mxfp4_f32.yaml', '--co', "$build/kernels/broken/store_past_m.co",
	'--tap', '*/1*x128x256/exact');
$p = tap($out);
is(join(' ', $status, $p->parse_errors, $p->tests_run, $p->failed), '1 2 2',
	'for a broken twin it is valid TAP, with the ragged M not ok') or diag $out;
like($out, qr/^#   reproduce: /m, 'with the line that reproduces it as a comment');

# Names of files, and reasons, may have line feeds.
my $odd = "$dir/a'%d\n\\b";
mkdir $odd;
spew("$odd/case.yaml", slurp('cases/gemm/mxfp4_f32.yaml'));
spew("$odd/expect.yaml", "expect:\n  - {run: 'none/*', reason: \"a\\nb\", until: 2999-12-31}\n  - {run: '*/128x128x256/exact', reason: \"c\\nd\", until: 2999-12-31}\n");
spew("$odd/waivers.yaml", "waivers:\n  - {finding: race-lds, kernel: other, reason: \"a\\nb\", until: 2999-12-31}\n");
mxcheck('run', '--case', "$odd/case.yaml", '--co', "$build/kernels/broken/store_past_m.co", '--expect', "$odd/expect.yaml",
	'--waive', "$odd/waivers.yaml", '--tap', '*/1*x128x256/exact');
$p = tap($out);
is(join(' ', $status, $p->parse_errors, $p->tests_run), '1 2', 'it is valid TAP if names have line feeds') or diag $out;
is_deeply([ grep { !/^(?:#|not ok|ok|TAP|1\.\.)/ } split /\n/, $out ], [], '  each line of it');
my ($again) = $out =~ /reproduce: (.*)/;
is(run('sh', '-c', $again // 'false'), 1, '  and the command has the names') or diag $again, $err;

# ---- failures at other shapes, and without a device ----

mxcheck('run', '--case', 'cases/gemm/mxfp4_f32.yaml', '--co', "$build/kernels/broken/store_past_m.co",
	'--shape', '130,64,96', '--regime', 'exact', '--seed', 5);
my ($line) = $out =~ /reproduce: (.*)/;
is($status, 1, 'a broken twin fails at a shape of its own');
run('sh', '-c', $line // 'false');
is("$status @{[ names($out) ]}", '1 gemm/mxfp4_f32/130x64x96/exact',
	'the command that it prints fails at that shape') or diag $line;

SKIP: {
	skip 'there is an AMD GPU driver here', 3 if -e '/dev/kfd';
	is(mxcheck('--device', 'hip', @run), 77, 'without a GPU nothing can run on hip');
	is("$out|" . ($err =~ /\Amxcheck: device hip: nothing could run: [^\n]+\n\z/), '|1',
		'and the reason is one line');
	unlike($err, qr/(\w+) \(\1\)/, 'in which an error has its name once');
}

done_testing();
