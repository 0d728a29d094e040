#!/usr/bin/perl
# The cache of verdicts: what is not done again, and what is.
use strict;
use warnings;
use File::Copy qw(copy);
use JSON::PP;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $status, $out, $err, $dir);

my $cache = "$dir/verdicts";
my $co    = "$dir/kernel.co";
my $case  = spew("$dir/case.yaml", slurp('cases/gemm/mxfp4_bf16.yaml'));
my @names = ('*/1x1x32/exact', '*/33x128x512/general');
copy("$build/kernels/gemm/mxfp4_gemm.co", $co) or BAIL_OUT($!);

# Runs with the cache; the number of verdicts that came from it.
sub cached {
	mxcheck('run', '--case', $case, '--co', $co, '--device', 'emu', '--cache', $cache, @_);
	return $out =~ /, (\d+) from the cache,/ ? $1 : 0;
}
sub lines { return join "\n", map { s/\d+\.\d+ s\b//gr =~ s/  cached$|, \d+ from the cache//gmr } split /\n/, $out }

is(cached(@names), 0, 'the first run does everything');
my $first = lines();
is(cached(@names), 2, 'the second does nothing');
is(lines(), $first, '  and has the same report');
like($out, qr/^pass .*  cached$/m, '  which marks the lines');
cached(@names, '--json', "$dir/r.jsonl");
my @json = map { decode_json($_) } split /\n/, slurp("$dir/r.jsonl");
ok($json[1]{cached}, '  as that of --json does');
is(cached('*/1x1x32/exact'), 1, 'a run of its own');
is(cached('--jobs', 1, @names), 2, 'another number of threads');

# ---- what decides a verdict ----

for my $options ([ '--seed', 2 ], ['--require-proof'], ['--strict'], ['--no-analysis'], ['--soffset-unchecked'], [ '--race', 3 ],
	[ '--race', 4 ], [ '--schedule', 'typical' ], [ '--schedule', 'typical,lds=40' ], [ '--schedule', spew("$dir/schedule", "sequential\n") ], ['-v'], [ '--tiles', 2 ]) {
	is(cached(@$options, @names), 0, "@$options: done again");
	is(cached(@$options, @names), 2, '  and kept');
}
spew("$dir/schedule", "typical\n");
is(cached('--schedule', "$dir/schedule", @names), 0, 'another schedule in the file');
spew($case, slurp($case) . "# a comment\n");
is(cached(@names), 0, 'another case file');
my $fine = slurp($co);
spew($co, "$fine\0");
is(cached(@names), 0, 'another code object');
spew($co, $fine);
is(cached(@names), 2, '  and the old one again');

# ---- failures, waivers, a baseline ----

copy("$build/kernels/broken/bf16_truncate.co", $co) or BAIL_OUT($!);
is(cached($names[1]), 0, 'a failure');
is("$status " . cached($names[1]), '1 0', '  is done each time');
is($status, 1, '  and fails each time');
spew($co, $fine);
my $baseline = "$dir/baseline.yaml";
cached(@names, '--baseline', $baseline, '--update-baseline');
spew($baseline, slurp($baseline) =~ s/snr_deq: (\d+)/'snr_deq: ' . ($1 + 1)/er);
is(cached(@names, '--baseline', $baseline), 2, 'with a baseline');
is($status, 1, '  that has changed, a cached verdict can fail');
like($out, qr/^ +accuracy: worse than in /m, '  with its finding');

assemble_file('tests/ci/latency/latency.s', "$dir/latency.co");
($case, $co) = (spew("$dir/latency.yaml", <<'END'), "$dir/latency.co");
name: latency
kernel: overwrites
grid: [1]
block: [64]
buffers:
  - {name: IN, role: none, type: u32, rows: 1, cols: 64, data: in.npy}
  - {name: OUT, role: none, type: u32, rows: 1, cols: 64}
kernarg:
  - {offset: 0, type: ptr, value: IN}
  - {offset: 8, type: ptr, value: OUT}
verdict: {judge: none}
races: {latency: fail}
runs: [{M: 64, N: 64, K: 32, regime: general}]
END
my $header = "{'descr': '<u4', 'fortran_order': False, 'shape': (1, 64), }";
my $npy = "\x93NUMPY\1\0" . pack('v', 118) . $header . ' ' x (117 - length $header) . "\n";
spew("$dir/in.npy", $npy . "\0" x 256);
my $waivers = spew("$dir/waivers.yaml", "waivers:\n  - {finding: race-lds-latency, kernel: overwrites, reason: memory takes longer}\n");
cached('--waive', $waivers) for 1 .. 2;
is($status, 0, 'a verdict that rests on a waiver passes') or diag $err;
unlike($out, qr/cached|not used/, '  and is done each time');
cached('--races', 'latency=report') for 1 .. 2;
like($out, qr/  cached$/m, 'a case with data');
spew("$dir/in.npy", $npy . "\1" x 256);
is(cached('--races', 'latency=report'), 0, '  is done again with other data');

# ---- damage ----

my ($entry) = glob "$cache/*";
for my $file (glob "$cache/*") {
	my $bytes = slurp($file);
	substr($bytes, length($bytes) / 2, 1) ^= "\1";
	spew($file, $bytes);
}
is(cached('--races', 'latency=report'), 0, 'damaged entries are not used');
is(cached('--races', 'latency=report'), 1, '  and replaced');
spew($_, substr slurp($_), 0, 30) for glob "$cache/*";
is(cached('--races', 'latency=report'), 0, 'nor are short ones');
is($status, 0, '  and the run passes');

# ---- usage ----

is(mxcheck('--cache', "$dir/no/such", $names[0]), 2, 'a folder that cannot be made');
like($err, qr{^mxcheck: --cache \Q$dir\E/no/such: No such file or directory$}, '  in one line');
is(mxcheck('--cache', $waivers, 'gemm/mxfp4_f32/1x1x32/exact'), 2, 'a file');
like($err, qr/^mxcheck: --cache \Q$waivers\E: Not a directory$/, '  in one line');
for my $with ([ '--save', $dir ], [ '--who', 'C[0,0]' ], [ '--time', '1s' ], [ '--race', 2, '--resume', "$dir/j" ], [ '--race', 2, '--vary', 'stream' ]) {
	is(mxcheck('--cache', $cache, @$with, 'gemm/mxfp4_f32/1x1x32/exact'), 2, "--cache with $$with[-2]");
}

done_testing();
