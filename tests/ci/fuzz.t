#!/usr/bin/perl
# Shape fuzzing: right kernels pass, broken ones are found and made small; contracts.
use strict;
use warnings;
use POSIX ();
use Cwd ();
use File::Copy ();
use Test::More;
require './tests/ci/gate.pl';
our ($build, $status, $out, $err, $dir);

my $regress = "$dir/regress";

sub fuzz { return mxcheck('fuzz', '--regress', $regress, @_) }

# The output without times and device addresses.
sub stable { return $_[0] =~ s/\d+\.\d s$//mgr =~ s/0x4000\w+//gr }

# ---- a right kernel ----

is(fuzz('--count', 96, '-v', 'gemm/mxfp8_scratch/*'), 0, 'a right kernel passes') or diag $out;
like($out, qr/^pass  gemm\/mxfp8_scratch  96 shapes, 0 failing/m, '  under all shapes');
like($out, qr/reached: 4 of 4 blocks, 3 of 4 ways of branches; M 8 of 8, N 8 of 8, K 5 of 5 borders$/m, '  at all borders');
like($out, qr/^ +K: 128 \(\d+\) 256 \(\d+\) 384 \(\d+\) 512 \(\d+\) 640 \(\d+\)$/m, '  which follow from the contract');
like($out, qr/^ +C beyond: 2\^31 bytes 0, /m, '  its contract ends below 2 GiB');
ok(!-e $regress, '  and nothing is saved');
is(fuzz('--count', 32, '-v', 'gemm/mxfp8_f32/*'), 0, 'so does one without that limit') or diag $out;
like($out, qr/^pass .*, 0 failing, [1-9]\d* of some tiles/m, '  under shapes of which some tiles run');
like($out, qr/^ +C beyond: 2\^31 bytes [1-9]\d*, 2\^32 bytes [1-9]/m, '  beyond 2^32 bytes');

# ---- broken kernels: the kind of failure and the smallest shape; the count if it is not 64; the exit
# status if it is that of another failure ----

my $few = is_long() ? 64 : 12; # of a twin that fails at most shapes
my @found = (
	[ 'mxfp4_f32', 'store_past_m', 1, 'out-of-bounds-write', '1x1x32', 4 ], # without large buffers
	[ 'mxfp4_f32', 'store_past_n', 3, 'race-global', '2x33x32', $few ],
);
my %border = (
	wrapped_bounds => 'M = 268435456; M = 268435455 passes',
	wrapped_stores => 'M = 4194305, N = 128; M = 4194304 passes, N = 127 passes',
	dropped_stores => 'M = 8388608, N = 128; M = 8388607 passes, N = 127 passes',
);
push @found, (
	[ 'mxfp8_epilogue', 'bias_of_rows', 1, 'wrong-bits', '1x2x32' ],
	[ 'mxfp8_epilogue0', 'zero_times_c', 1, 'wrong-bits', '1x1x32' ],
	[ 'mxfp4_splitk4', 'splitk_lost', 1, 'outside-set', '1x2x416' ],
	[ 'mxfp4_f32', 'wrapped_bounds', 1, 'wrong-bits', '268435456x1x32', 8 ], # 2^32 bytes of A
	[ 'mxfp4_f32', 'wrapped_loads', 3, 'uninitialised', '536870912x1x32' ],
	[ 'mxfp4_f32', 'wrapped_stores', 4, 'fault', '4194305x128x32' ], # 2^31 bytes of C
	[ 'mxfp4_f32', 'dropped_stores', 1, 'not-written', '8388608x128x32' ], # 2^32 bytes
) if is_long();
for (@found) {
	my ($case, $co, $exit, $kind, $shape, $count, $worst) = @$_;
	my @args = ('--case', "cases/gemm/$case.yaml", '--co', "$build/kernels/broken/$co.co");
	is(fuzz('--count', $count // 64, @args), $worst // $exit, "$co is found");
	my ($regime) = $out =~ m{^FAIL  gemm/$case/$shape/(\w+)\n +$kind: }m or diag $out;
	my $saved = "$regress/gemm-$case-$shape-" . ($regime // '') . '.yaml';
	ok(-e $saved, "  as $kind at $shape");
	like($out, qr/^ +fails from \Q$border{$co}\E$/m, '  with its neighbours') if $border{$co};
	my ($command) = $out =~ /^ +reproduce: (.* --case '\Q$saved\E' .*)$/m;
	is(run('sh', '-c', $command // 'false'), $exit, '  and the printed command reproduces it');
	like($out, qr/^ +$kind: /m, '  with that finding') or diag $out;
}
my $last = slurp("$regress/gemm-mxfp4_f32-2x33x32-exact.yaml");
my $case = slurp('cases/gemm/mxfp4_f32.yaml');
my ($code) = $last =~ /^code: "(.*)"$/m;
is($last =~ s/^code: [^\n]*\n|^runs:\n.*\z//msgr, $case =~ s/^code: [^\n]*\n|^runs:\n.*\z//msgr, 'a saved case is the case');
is($code, Cwd::abs_path("$build/kernels/broken/store_past_n.co"), '  with the code object that it ran');
like($last, qr/^runs:\n  - \{M: 2, N: 33, K: 32, regime: exact, tags: \[regress\]\}\n\z/m, '  with one run');

# ---- groups: empty, of one row, at borders ----

is(fuzz('--count', 64, '-v', 'foreign/mxfp8_grouped/*'), 0, 'a right grouped kernel passes') or diag $out, $err;
like($out, qr/^ +M:(?: (?:1|2|15|16|17|31|32|33|127|128|129) \([1-9]\d*\)){11}$/m, '  with groups at the borders of a tile and of the padding');
for ([ 'mxfp8_grouped', 'next_rows', 4, 'wrong-bits', '129x1x32,groups=128+1' ], [ 'mxfp8_wgrad', 'empty_skipped', 1, 'not-written', '1x1x1,groups=1+0' ]) {
	my ($case, $co, $exit, $kind, $shape) = @$_;
	is(fuzz('--count', 32, '--case', "cases/foreign/$case.yaml", '--co', "$build/tests/ci/$co.gpu.co"), $exit, "$co is found");
	my ($again) = $out =~ m{^FAIL  foreign/$case/\Q$shape\E/exact\n +$kind: .*\n.*\n +reproduce: (.*)$}m or diag $out;
	is(run('sh', '-c', $again // 'false'), 1, "  as $kind at $shape, and reproduced");
	like($out, qr{^FAIL  foreign/$case/\Q$shape\E/exact }m, '  with these groups') or diag $out;
}

# ---- coverage with and without steering ----

is(fuzz('--count', 10, '--coverage', 'gemm/mxfp8_persistent/*'), 0, '--coverage passes') or diag $err;
my ($plain, $steered) = $out =~ /^gemm\/mxfp8_persistent  \d+ shapes without steering reached: (\d+) of 18 blocks, .* borders\npass .*\n +reached: (\d+) of 18 blocks/m;
cmp_ok($steered // 0, '>=', $plain // 99, '  and prints what is reached without steering and with it') or diag $out;
is(mxcheck('--coverage'), 2, '--coverage needs fuzz');

# ---- a time ----

is(fuzz('--time', '0.1s', '--jobs', 1, 'gemm/mxfp4_pipelined_f32/*'), 0, '--time ends') or diag $out, $err;
my ($shapes) = $out =~ /^pass  \S+  (\d+) shapes/m;
ok($shapes && $shapes < 24, '  between two shapes') or diag $out;

# ---- the same from a seed ----

my @args = ('--count', 3, '-v', '--case', 'cases/gemm/mxfp4_f32.yaml', '--co', "$build/kernels/broken/store_past_n.co");
fuzz(@args, '--jobs', 1);
my $one = stable($out);
fuzz(@args, '--jobs', 3);
is(stable($out), $one, 'the same on one thread and on three');
fuzz(@args, '--seed', 2);
isnt(stable($out), $one, 'another seed draws other shapes');

# ---- contracts ----

sub contract {
	my ($contract, $runs) = @_;
	my $text = slurp('cases/gemm/mxfp8_scratch.yaml');
	$text =~ s/^contract:\n(?: .*\n)+/$contract\n/m or BAIL_OUT('no contract');
	$text =~ s/^runs:\n.*\z/runs:\n$runs/ms;
	return spew("$dir/contract.yaml", $text);
}
my $sizes = 'contract: {sizes: [{name: K, min: 128, multiple: 128, tile: 128}, {name: M, max: 64}]';
my $inside = "  - {M: 16, N: 16, K: 128, regime: exact}\n";
for ([ 'K: 96', 'K is 96, must be at least 128' ], [ 'K: 160', 'K is 160, must be a multiple of 128' ]) {
	my ($k, $why) = @$_;
	my $file = contract("$sizes}", "  - {M: 16, N: 16, $k, regime: exact}\n");
	is(mxcheck('run', '--case', $file), 2, "$k is refused");
	like($err, qr/^mxcheck: \S+contract\.yaml: outside its contract: $why$/, '  with the reason');
}
is(mxcheck('run', '--case', contract("$sizes}", $inside), '--shape', '65,16,128'), 2, 'so is --shape outside the contract');
like($err, qr/M is 65, must be at most 64$/, '  with the reason');
is(mxcheck('run', '--case', contract("$sizes, limits: [{value: M * N, most: 255}]}", $inside)), 2, 'so is a value over a limit');
like($err, qr/M \* N is 256, must be at most 255$/, '  with the reason');
is(fuzz('--count', 8, '--case', contract('', "  - {M: 16, N: 16, K: 128, regime: exact}\n")), 1, 'without a contract sizes are drawn for which the kernel is not made')
	or diag $out;
like($out, qr/^ +the case has no contract, so any size counts as one of the kernel's: /m, '  and the output says so');
my $free = contract("$sizes, outside: in-bounds}", "  - {M: 16, N: 16, K: 160, regime: exact}\n");
is(mxcheck('run', '--case', $free), 0, 'outside a contract that permits it, a kernel that stays inside its buffers passes');
like($out, qr/no numbers judged/, '  without a verdict on numbers');
is(fuzz('--count', 64, '--case', $free), 0, '  and fuzzing goes there');
like($out, qr/, \d+ outside the contract/, '  and says so');

# H1, H2: no case of ours is launched with a size outside its contract, or with one rounded to it.
# The short tier takes one of three sizes.
my (@launched, $outside, $nth);
for my $case (glob 'cases/{attention,gemm,quantise,sequence,shuffle,tiling}/*.yaml') {
	for (slurp($case) =~ /^    - \{(name: .*)\}/mg) {
		my %size = /(\w+): (\w+)/g;
		my @bad = (exists $size{max} ? $size{max} =~ /^0x/ ? hex($size{max}) + 1 : $size{max} + 1 : (),
			($size{multiple} // 1) > 1 ? ($size{min} + 1, grep { $_ > 0 } $size{min} - $size{multiple}) : ());
		for (grep { $nth++ % 3 == 0 || is_long() } @bad) {
			my $status = mxcheck('run', '--case', $case, '--shape', "$size{name}=$_");
			push @launched, "$case with $size{name}=$_: $status, $err" unless $status == 2 && $err =~ /outside its contract: $size{name} is $_, must be /;
			$outside++;
		}
	}
}
is_deeply(\@launched, [], "our cases refuse $outside sizes outside their contracts, with the reason");

# ---- in a folder of one's own, with the code object beside the case ----

mkdir "$dir/own" or BAIL_OUT("$dir/own: $!");
spew("$dir/own/kernel.yaml", slurp('cases/gemm/mxfp4_f32.yaml') =~ s/^code: .*/code: kernel.co/mr =~ s/, axis: \w//gr);
File::Copy::copy("$build/kernels/broken/store_past_m.co", "$dir/own/kernel.co");
my $program = Cwd::abs_path("$build/mxcheck");
is(run('sh', '-c', "cd $dir/own && $program fuzz --count 4 --case kernel.yaml"), 1, 'fuzz in another folder');
ok(-e "$dir/own/cases/regress/gemm-mxfp4_f32-1x1x32-exact.yaml", '  makes cases/regress') or diag $err;
my ($command) = $out =~ /^ +reproduce: (.*)$/m;
unlike($command, qr/--co/, '  with the code object');
is(run('sh', '-c', "cd $dir/own && " . ($command // 'false')), 1, '  which the printed command finds') or diag $out, $err;
is(run('sh', '-c', "cd / && $program run --case $dir/own/cases/regress/gemm-mxfp4_f32-1x1x32-exact.yaml"), 1, '  from any folder') or diag $out, $err;
is(run('sh', '-c', "cd $dir/own && $program fuzz --count 4 --case kernel.yaml --regress /dev/null/x"), 2, 'without a saved case');
($command) = $out =~ /^ +reproduce: (.* --shape .*)$/m;
is(run('sh', '-c', "cd $dir/own && " . ($command // 'false')), 1, '  the printed command gives the shape') or diag $out, $err;

# ---- Ctrl-C ----

my $log = "$dir/interrupted";
sub interrupted {
	my @args = @_;
	my $pid = fork // BAIL_OUT("fork: $!");
	if (!$pid) {
		open STDOUT, '>', $log;
		exec $program, 'fuzz', '--regress', "$dir/late", '--time', '60s', '--case', @args
			or POSIX::_exit(127); # a child that goes on as the test would never end
	}
	for (1 .. 1200) {
		last if -s $log;
		select undef, undef, undef, 0.05;
	}
	select undef, undef, undef, 0.1;
	kill 'INT', $pid;
	waitpid $pid, 0;
	return $? & 127 ? "signal $?" : $? >> 8;
}
is(interrupted("$dir/own/kernel.yaml"), 1, 'Ctrl-C ends fuzzing with the status of what was found');
like(slurp($log), qr/^FAIL .* failing.*^ +out-of-bounds-write: .*^interrupted; /ms, '  and prints it');
unlink $log;
is(interrupted('cases/gemm/mxfp8_scratch.yaml'), 130, 'Ctrl-C before a failure is status 130');

# ---- wrong input ----

for ([ '--shape', '64,64,64' ], [ '--regime', 'exact' ], [ '--race', 5 ], [ '--schedule', 'typical' ], [ '--save', $dir ], [ '--who', 'C:0' ], [ '--tap' ], [ '--resume', "$dir/journal" ], [ '--time-out', 5 ], [ '--require-proof' ], [ '--no-analysis' ]) {
	is(fuzz(@$_, '--count', 1, 'gemm/mxfp8_scratch/*'), 2, "fuzz does not take $_->[0]");
	like($err, qr/^mxcheck: fuzz: \Q$_->[0]\E is for runs; see mxcheck --help\n\z/, '  and says so');
}

my @wrong = (
	[ 'contract: {sizes: [{name: K, min: 100, multiple: 32}]}', 'contract.sizes\[0\]: min is not a multiple' ],
	[ 'contract: {sizes: [{name: K, min: 64, max: 32}]}', 'contract.sizes\[0\]: min is over max' ],
	[ 'contract: {sizes: [{name: K, stages: 2}]}', 'contract.sizes\[0\]: stages without tile' ],
	[ 'contract: {sizes: [{name: K, tile: -1}]}', 'contract.sizes\[0\]: a number is negative' ],
	[ 'contract: {sizes: [{name: K, multiple: 32, tile: 48}]}', 'contract.sizes\[0\]: tile is not a multiple' ],
	[ 'contract: {sizes: []}', '' ],
	[ 'contract: {sizes: [{name: Q, min: 1}]}', 'contract.sizes\[0\]: no run has the size Q' ],
);
for (@wrong) {
	my ($contract, $why) = @$_;
	is(mxcheck('run', '--case', contract($contract, $inside)), 2, "$contract is refused");
	like($err, qr/^mxcheck: \S+contract\.yaml:\d+: $why.*\n\z/, '  in one line with the place');
}
is(mxcheck('--count', 3), 2, '--count needs fuzz');
is(fuzz('--count', 0), 2, '--count 0 is refused');
is(fuzz('--count', 32, '--case', contract('contract: {sizes: [{name: K, min: 1048576, multiple: 32, tile: 1048576}]}', "  - {M: 4096, N: 4096, K: 1048576, regime: exact}\n")), 2, 'no shape that can be run is an error, not a pass');
unlike($out, qr/pass/, '  nor is it printed as one');
like($err, qr/no shape could be run: .* (?:is too large to fuzz|is too long for the exact regime)$/m, '  with the reason');
is(fuzz('--count', 32, '--regress', '/dev/null/x', @args), 2, 'a folder that cannot be made is an error');

done_testing();
