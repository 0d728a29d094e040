#!/usr/bin/perl
# The accuracy of runs against a baseline: worse fails, better asks for an update.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $status, $out, $err, $dir);

my $file  = "$dir/baseline.yaml";
my $run   = 'gemm/mxfp4_bf16/33x128x512/general';
my $other = 'gemm/mxfp4_bf16/1x1x32/exact';

sub with { return mxcheck('--baseline', $file, @_) }
sub edit { my ($from, $to) = @_; my $t = slurp($file); $t =~ s/$from/$to/ or BAIL_OUT("no $from in $t"); spew($file, $t) }

is(with($run), 2, 'a file that does not exist is refused');
like($err, qr/^mxcheck: \Q$file\E: /, '  in one line');
is(with('--update-baseline', $run, $other), 0, '--update-baseline makes it');
like($out, qr/^accuracy: 0 as in \Q$file\E, 2 not in it; updated$/m, '  and says so');
my $text = slurp($file);
like($text, qr/^seed: 1\nruns:\n  - \{run: "\Q$other\E", equal: 1\.0+, ulp: 0\}\n  - \{run: "\Q$run\E", snr_deq: [\d.]+, snr_unq: [\d.]+, worst_row: [\d.e-]+, equal: 1\.0+, ulp: 0\}\n\z/m,
	'  with a line for each run, sorted');
is(with($run, $other), 0, 'the same accuracy passes');
like($out, qr/^accuracy: 2 as in \Q$file\E$/m, '  and is counted');

# ---- worse, better, noise ----

my ($snr) = $text =~ /snr_deq: ([\d.]+)/;
my $more = sprintf '%.4f', $snr + 0.1;
edit("snr_deq: $snr", "snr_deq: $more");
is(with($run), 1, 'an SNR that is worse by 0.1 dB fails');
like($out, qr/^ +accuracy: worse than in \Q$file\E: snr_deq is $snr, was $more$/m, '  with both numbers');
like($out, qr/reproduce: .* --baseline '\Q$file\E'/, '  and a command');
spew($file, slurp($file) =~ s/(snr_deq: \Q$more\E.*ulp: 0)\}/$1, noise: 0.2}/r);
is(with($run), 0, 'not within its noise');
spew($file, slurp($file) =~ s/noise: 0\.2/noise: 0.05/r);
is(with($run), 1, 'but beyond it');
my $less = sprintf '%.4f', $snr - 0.1;
spew($file, $text =~ s/snr_deq: \Q$snr\E/snr_deq: $less/r);
is(with($run), 0, 'a better SNR passes');
like($out, qr/^accuracy: 0 as in \Q$file\E, 1 better; --update-baseline takes them$/m, '  and asks for an update');
is(with('--update-baseline', $run), 0, '--update-baseline takes it');
is(slurp($file), $text, '  and keeps the other runs');
for ([ 'equal: 1.000000', 'equal: 1.1', 'equal is 1.000000, was 1.1' ], [ 'worst_row: [\d.e-]+', 'worst_row: 1e-9', 'worst_row is .*, was 1\.0000e-09' ]) {
	my ($from, $to, $says) = @$_;
	spew($file, $text =~ s/(\Q$run\E.*)$from/$1$to/r);
	is(with($run), 1, "so does a worse one of: $to");
	like($out, qr/accuracy: worse than in \S+: $says/, '  with both numbers');
}
spew($file, $text);

# ---- the histogram of distances ----

my $split = 'gemm/mxfp4_splitk4/33x18x1312/general';
is(with('--update-baseline', $split), 0, 'a run whose bits differ');
my $whole = slurp($file);
like($whole, qr/\Q$split\E.*, ulp: 32, ulps: "1: 167, 2: 15, 4: 8, 8: 5, 16: 1, 32: 1"\}/, '  has a histogram');
for ([ '1: 167, 2: 15', '1: 168, 2: 14', 1, '30 outputs at 2 ULP or more, were 29' ], [ '1: 167', '1: 168', 0, '' ], [ ', ulps: "[^"]*"', '', 0, '' ]) {
	my ($from, $to, $fails, $says) = @$_;
	spew($file, $whole =~ s/(\Q$split\E.*)$from/$1$to/r);
	is(with($split), $fails, "'$to' instead of '$from': " . ($fails ? 'worse' : 'not worse')) or diag $out;
	like($out, qr/accuracy: .*$says/, '  with both numbers');
}
spew($file, $whole =~ s/1: 167/1: 168/r);
with($split);
like($out, qr/^accuracy: 0 as in \S+, 1 better;/m, 'fewer outputs at a distance are better');
spew($file, $text);

is(mxcheck('gemm/mxfp4_splitk_onto_bf16/64x64x512,SPLITS=2/general'), 0, 'atomics onto a given C');
like($out, qr/ snr deq \d+\.\d+ dB unq \d/, '  have an SNR against the product and what C held') or diag $out;

# ---- a run that fails, and one that is absent ----

my @broken = ('run', '--case', 'cases/gemm/mxfp4_bf16.yaml', '--co', "$build/kernels/broken/bf16_truncate.co", '--baseline', $file, '--update-baseline', $run);
is(mxcheck(@broken), 1, 'a wrong run fails');
is(slurp($file), $text, '  and is not written');
is(with('gemm/mxfp4_f32/1x1x32/exact'), 0, 'a run that is not in the file passes');
like($out, qr/, 1 not in it; --update-baseline takes them$/m, '  and is counted');


# ---- runs whose output is no single product ----

for ([ 'gemm/mxfp8_grouped_bf16/3x32x384,groups=1+2/general', 'equal: 1\.0+, ulp: 0' ], [ 'attention/mxfp8/B=1,S=17,T=160,HQ=1,HK=1/special', 'equal: 0\.\d+, ulp: \d+, ulps: "[^"]+"' ]) {
	my ($run, $rest) = @$_;
	is(with('--update-baseline', $run), 0, "$run passes");
	my ($line, $snr) = slurp($file) =~ /^(.*"\Q$run\E", snr_deq: ([\d.]+), worst_row: [\d.e-]+, $rest\})$/m;
	ok($line, '  and has accuracy') or diag slurp($file);
	my $more = sprintf '%.4f', ($snr // 0) + 0.1;
	edit("snr_deq: $snr", "snr_deq: $more");
	is(with($run), 1, '  that may not become worse');
	like($out, qr/accuracy: worse than in \S+: snr_deq is $snr, was $more/, '  and says so');
	spew($file, $text);
}

# ---- wrong input ----

is(with('--seed', 2, $run), 2, 'another seed is refused');
like($err, qr/^mxcheck: \Q$file\E: it is of --seed 1, not 2$/m, '  with the reason');
for ([ 'ulp: 0', 'ulp: few', 'runs\[0\]: not a number: few' ], [ 'ulp: 0', 'ulpt: 0', 'unexpected key: ulpt' ], (map { [ 'ulp: 0', "ulp: 0, ulps: \"$_\"", "runs\\[0\\]: not a histogram: \Q$_\E" ] } '3: 1', '1: 0', '1: -5', '1: 99999999999999999999', '1: 5, 1: 6', '1 1', '1: 1,2: 1', '1: 1, '),
	[ 'ulp: 0', 'ulp: 0, noise: -1', 'runs\[0\]: noise is negative: -1' ],
	[ '\z', (split /^/, $text)[3], 'runs\[\d\]: \S+ is already in the file' ],
	[ 'seed: 1', '', 'missing key: seed' ], [ '\A', '- ', '' ]) {
	my ($from, $to, $says) = @$_;
	spew($file, $text =~ s/$from/$to/r);
	is(with($run), 2, "'$to' instead of '$from' is refused");
	like($err, qr/^mxcheck: \Q$file\E:\d+: .*$says/m, '  in one line with the place');
}
is(mxcheck('--update-baseline', $run), 2, '--update-baseline needs a file');
is(mxcheck('fuzz', '--baseline', $file, $run), 2, '--baseline is not for fuzz');
is(mxcheck('--baseline', "$dir/no/x.yaml", '--update-baseline', $run), 2, 'a file that cannot be written is an error');

done_testing();
