#!/usr/bin/perl
# Shards: a part of the runs, of a hunt and of fuzzing for each machine, and their joined report.
use strict;
use warnings;
use JSON::PP;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $status, $out, $err, $dir);

my @twin = ('run', '--case', 'cases/gemm/mxfp4_f32.yaml', '--co', "$build/kernels/broken/loose_wait.co", '--shape', '64,64,512', '--regime',
	'general', '--no-shrink', 'gemm/mxfp4_f32');
my @cases = ('--device', 'emu', 'gemm/mxfp8_epilogue0', 'gemm/mxfp8_scratch');

# The lines of a report, without times.
sub report {
	my @lines = map { decode_json($_) } split /\n/, slurp("$dir/$_[0]");
	delete $_->{seconds} for @lines;
	return \@lines;
}

# Runs N shards of a command; returns their reports and statuses.
sub shards {
	my ($name, $n, @command) = @_;
	my @statuses = map { mxcheck(@command, '--shard', "$_/$n", '--json', "$dir/$name\{shard}.jsonl") } 1 .. $n;
	return (\@statuses, map { "$dir/$name$_.jsonl" } 1 .. $n);
}

# ---- runs ----

mxcheck(@cases, '--json', "$dir/whole.jsonl");
my $whole = report('whole.jsonl');
my ($statuses, @files) = shards('run', 3, @cases);
is_deeply($statuses, [ 0, 0, 0 ], 'three shards pass');
like($out, qr/^device emu .*, shard 3 of 3$/m, 'the first line names the shard');
my @names = map { my @r = @{ report("run$_.jsonl") }; map { $_->{name} } @r[1 .. $#r - 1] } 1 .. 3;
is_deeply([ sort @names ], [ sort map { $_->{name} // () } @$whole ], 'together they have each run once');
is_deeply(report('run2.jsonl')->[0]{shard}, { number => 2, of => 3 }, 'the report of a shard has its number');
is(mxcheck('merge', '--json', "$dir/all.jsonl", @files[ 2, 0, 1 ]), 0, 'the reports are joined');
is_deeply(report('all.jsonl'), $whole, 'and are the report of one run of everything, times aside');
like($out, qr/^(\d+) passed, 0 failed, [\d.]+ s on all machines\n\z/m, 'with a summary');
is(mxcheck(@cases, '--shard', '99/99'), 0, 'a shard without a run passes');

# ---- a hunt ----

mxcheck(@twin, '--race', 50);
my ($counts) = $out =~ /race: (\d+ of \d+ runs differ)/;
($statuses, @files) = shards('hunt', 3, @twin, '--race', 50);
is_deeply($statuses, [ 3, 3, 3 ], 'three shards of a hunt find the race');
is(mxcheck('merge', '--json', "$dir/hunt.jsonl", @files), 3, 'their joined report has the status');
like($out, qr/^      race: \Q$counts\E$/m, 'and the counts of one hunt');
my @findings = $out =~ /^      (race-lds: .*)$/mg;
my %once = map { $_ => 1 } @findings;
is(scalar @findings, scalar keys %once, 'each finding is there once');
like($out, qr/^      reproduce: /m, 'with the command that reproduces it');
($statuses, @files) = shards('fine', 2, '--race', 9, 'gemm/mxfp4_f32/64x64x256/general');
mxcheck('merge', @files);
like($out, qr/^      race: 0 of 9 runs differ: rate below 2\.8e-01 \(95 %\)$/m, 'the rate is of all runs');

# ---- expected failures ----

my ($fails, $passes) = ('gemm/mxfp4_bf16/33x128x512/general', 'gemm/mxfp4_bf16/1x1x32/exact');
my @expect = ('run', '--case', 'cases/gemm/mxfp4_bf16.yaml', '--co', "$build/kernels/broken/bf16_truncate.co", $fails, $passes, '--expect', "$dir/expect.yaml");
my $row = "run: $fails, reason: a truncating store@{[' of bf16' x 200]}, until: 2999-12-31";
sub expect {
	spew("$dir/expect.yaml", "expect:\n" . join '', map { "  - {$_}\n" } @_);
	($statuses, @files) = shards('expect', 2, @expect);
	mxcheck('merge', @files);
}
expect($row);
is("@$statuses $status", '0 0 0', 'a failure that one of two shards expects');
like($out, qr/^1 passed, 0 failed, 1 failed as expected,/m, '  is counted in the joined report');
expect($row, "$row, code: \"0123456789abcdef\"");
is("@$statuses $status", '0 0 0', 'a row beside one that is used, with its reason') or diag $out;
expect($row, "run: $passes, reason: another object, until: 2999-12-31, code: \"0123456789abcdef\"");
is("@$statuses $status", '0 0 1', 'a row that no shard uses fails the joined report') or diag $out;
like($out, qr/^FAIL  expected failure was not used: \Q$passes\E: another object/m, '  with its text');

mxcheck(@expect, '--shard', '2/2', '--junit', "$dir/shard.xml");
like(slurp("$dir/shard.xml"), qr/tests="1" failures="0" /, 'the report of a shard leaves it to the joined one');
mxcheck(@expect, '--junit', "$dir/shard.xml");
like(slurp("$dir/shard.xml"), qr/classname="expected failures"/, '  without shards it has it');

# ---- fuzzing ----

my @shapes = map {
	mxcheck('fuzz', '--device', 'emu', '--count', 20, '--shard', "$_/3", 'gemm/mxfp8_scratch');
	my ($run)     = $out =~ /(\d+) shapes, /;
	my ($refused) = $out =~ /, (\d+) could not be run/;
	($run // 0) + ($refused // 0);
} 1 .. 3;
is_deeply(\@shapes, [ 7, 7, 6 ], 'shards of fuzzing share the shapes');

# ---- tasks of srun and mpirun ----

for my $names ([ 'SLURM_PROCID', 'SLURM_NTASKS' ], [ 'OMPI_COMM_WORLD_RANK', 'OMPI_COMM_WORLD_SIZE' ], [ 'PMI_RANK', 'PMI_SIZE' ]) {
	delete local @ENV{qw(SLURM_PROCID OMPI_COMM_WORLD_RANK PMI_RANK)};
	local @ENV{@$names} = (1, 3);
	mxcheck(@cases, '--shard', 'auto');
	like($out, qr/shard 2 of 3$/m, "--shard auto: rank 1 of 3 by $names->[0]");
	$ENV{ $names->[0] } = 3;
	is(mxcheck(@cases, '--shard', 'auto'), 2, '  a rank outside is refused');
}

# ---- reports that are not whole ----

shards('run', 3, @cases);
my @three = map { "$dir/run$_.jsonl" } 1 .. 3;
is(mxcheck('merge', @three[ 0, 2 ]), 2, 'a missing shard is an error');
like($err, qr/^mxcheck merge: shard 2 of 3 is missing$/, '  named');
like($out, qr/^\d+ passed, 0 failed/m, '  after the report of the others');
my $text = slurp($three[1]);
for my $cut (1 .. length($text) - 1) {
	next if $cut % 397 && $cut != length($text) - 1;
	spew("$dir/run2.jsonl", substr($text, 0, length($text) - $cut));
	my $got = mxcheck('merge', @three);
	next if $got == 2 && $err =~ /run2\.jsonl: (it ended early, after \d+ runs|no report in it)$/;
	fail("a report without its last $cut bytes: $got $err");
}
pass('a report that was cut at any place is an error');
spew("$dir/run2.jsonl", $text);
is(mxcheck('merge', @three, $three[1]), 2, 'a shard given twice is an error');
is($err, "mxcheck merge: $three[1] and $three[1] are the same shard, 2 of 3\n", '  named');
my $kept = slurp($three[1]);
is(mxcheck('merge', '--json', $three[1], @three[0, 1]), 2, 'the joined report cannot replace a part');
is($err, "mxcheck merge: --json $three[1]: is one of the reports to join\n", '  with the reason');
is(slurp($three[1]), $kept, '  which is as it was');
mxcheck(@cases, '--shard', '2/3', '--seed', 7, '--json', $three[1]);
is(mxcheck('merge', @three), 2, 'a shard with another seed is an error');
is($err, "mxcheck merge: $three[0] and $three[1] are shards of different runs: they differ in 'seed'\n", '  named');
mxcheck(@cases, '--shard', '2/2', '--json', $three[1]);
is(mxcheck('merge', @three), 2, 'shards of another number are an error');
for my $bad ("no JSON\n", "[]\n", '{"type": "run"}' . "\n", '') {
	spew("$dir/bad", $bad);
	is(mxcheck('merge', "$dir/bad"), 2, 'no report: ' . ($bad =~ /(.*)/)[0]);
	like($err, qr{^mxcheck merge: \Q$dir\E/bad:}, '  named');
}
is(mxcheck('merge', "$dir/absent"), 2, 'a report that is not there');
is(mxcheck('merge'), 2, 'no report at all');
is(mxcheck('merge', '--json', "$dir/no/such", $files[0]), 2, 'a joined report that cannot be written');

# ---- usage ----

for my $bad ('0/3', '4/3', '3', 'a/b', '1/', '/1', '1/10001', '-1/3') {
	is(mxcheck('--shard', $bad, @cases), 2, "--shard $bad is refused");
}
is(mxcheck('mutate', '--shard', '1/2', 'gemm/mxfp4_f32'), 2, 'mutate takes no --shard');

done_testing();
