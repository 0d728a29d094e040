# The case of latency.s, for the tests of latency and of waivers.
use strict;
use warnings;

# A case file of that name. verdict: of the case; out: more keys of OUT; keys: more of the case.
sub latency_case {
	my ($path, $verdict, $out, $keys) = @_;
	return spew($path, <<"END");
name: latency
code: latency.co
kernel: overwrites
grid: [1]
block: [64]
buffers:
  - {name: IN,  role: none, type: u32, rows: 1, cols: 64, data: zero}
  - {name: OUT, role: none, type: u32, rows: 1, cols: 64$out}
kernarg:
  - {offset: 0, type: ptr, value: IN}
  - {offset: 8, type: ptr, value: OUT}
verdict: {judge: $verdict}
$keys
runs:
  - {M: 64, N: 64, K: 32, regime: general}
END
}

1;
