#!/usr/bin/perl
# Coverage steers the draw: a bug in a path that few shapes reach is found in fewer shapes than
# without steering.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $status, $out, $err, $dir);

my $case = <<'END';
name: rare
kernel: rare_path
grid: ["ceildiv(N, 16)", "ceildiv(M, 16)"]
block: [64]
buffers:
  - {name: A,  role: a,       type: e2m1, rows: M, cols: K}
  - {name: SA, role: a_scale, type: e8m0, rows: M, cols: K / 32}
  - {name: B,  role: b,       type: e2m1, rows: N, cols: K}
  - {name: SB, role: b_scale, type: e8m0, rows: N, cols: K / 32}
  - {name: C,  role: c,       type: f32,  rows: M, cols: N}
kernarg:
  - {offset: 0,  type: ptr, value: C}
  - {offset: 8,  type: ptr, value: A}
  - {offset: 16, type: ptr, value: SA}
  - {offset: 24, type: ptr, value: B}
  - {offset: 32, type: ptr, value: SB}
  - {offset: 40, type: u32, value: M}
  - {offset: 44, type: u32, value: N}
  - {offset: 48, type: u32, value: K}
contract:
  sizes:
    - {name: M, tile: 16}
    - {name: N, tile: 16}
    - {name: K, min: 32, multiple: 32, tile: 512}
verdict: {judge: bits, profile: block32, mma_k: 128}
runs:
  - {M: 16, N: 16, K: 512, regime: exact}
  - {M: 16, N: 16, K: 512, regime: general}
END
spew("$dir/rare.yaml", $case);

# The number of the first failing shape without steering, and with it; of none the number after the
# last.
sub first_failures {
	my ($seed, $count) = @_;
	mxcheck('fuzz', '--regress', "$dir/regress", '--case', "$dir/rare.yaml", '--co', "$build/tests/ci/rare_path.gpu.co",
		'--seed', $seed, '--count', $count, '--coverage');
	my ($plain)   = $out =~ /shapes without steering .*\n +the first failure is shape (\d+)/;
	my ($steered) = $out =~ /^FAIL .* shapes,.*\n.*\n +the first failure is shape (\d+)/m;
	return ($plain // $count + 1, $steered // $count + 1);
}

for my $seed (1, 3, 5) {
	my ($plain, $steered) = first_failures($seed, 48);
	cmp_ok($plain, '>', 48, "seed $seed: without steering 48 shapes do not have the bug");
	cmp_ok($steered, '<=', 48, '  with steering they do') or diag $out, $err;
}
like($out, qr{^FAIL  rare/1x1x384/exact\n.*\n +fails from K = 384; K = 352 passes$}m, 'in the smallest shape') or diag $out;

SKIP: {
	skip '20 seeds', 1 if !is_long();
	my ($plain, $steered) = (0, 0);
	for my $seed (1 .. 20) {
		my @first = first_failures($seed, 1200);
		diag sprintf '  seed %2d: %4d without steering, %4d with', $seed, @first;
		$plain += $first[0];
		$steered += $first[1];
	}
	cmp_ok($plain, '>', 3 * $steered, "20 seeds: $plain shapes without steering, $steered with");
}

done_testing();
