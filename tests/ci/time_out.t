#!/usr/bin/perl
# A launch that does not end: it is a finding after --time-out, and the other runs go on.
use strict;
use warnings;
use Test::More;
use Time::HiRes qw(time);
require './tests/ci/gate.pl';
our ($status, $out, $err, $dir);

# Counts to n in steps of `step`; with the scalar 0 that `mxcheck init` writes it never ends.
my $co = compile(spew("$dir/count.c", <<'END'), "$dir/count.co");
__attribute__((device_kernel)) void count(__attribute__((address_space(1))) volatile unsigned *out, unsigned n, unsigned step) {
	for (unsigned i = 0; i < n; i += step)
		out[0] = i;
}
END

sub case_of {
	my ($step, $runs) = @_;
	return spew("$dir/case.yaml", <<"END");
name: count
code: count.co
kernel: count
grid: [1]
block: [64]
buffers:
  - {name: OUT, role: none, type: u32, rows: 1, cols: 64}
kernarg:
  - {offset: 0, type: ptr, value: OUT}
  - {offset: 8, type: u32, value: M}
  - {offset: 12, type: u32, value: $step}
verdict: {judge: none}
runs:
  - {M: 1, N: 1, K: 32, regime: general}
  - {M: 4, N: 1, K: 32, regime: general}
END
}

my @run = ('run', '--case', case_of('M - 1'), '--no-analysis');
my $start = time;
is(mxcheck(@run, '--time-out', 0.3), 4, 'a launch that does not end is a finding');
ok(time - $start < 20, '  after the time');
like($out, qr/^FAIL  count\/1x1x32\/general .*\n +time-out: count\+0x\w+ .*: no end after 1 s; workgroup 0,0,0 wave 0/m, '  with its place; a fraction of a second is rounded up') or diag $out, $err;
like($out, qr/^pass  count\/4x1x32\/general /m, '  and the other run is done');
like($out, qr/reproduce: .* --time-out 0\.3 /, '  and a command');
is(mxcheck('run', '--case', case_of('M - 1'), '--time-out', 0.3, '*/1x1x32/*'), 4, 'under analysis, too');
like($out, qr/time-out: count/, '  with the finding');
is(mxcheck('run', '--case', case_of(1), '--time-out', 60), 0, 'a launch that ends in time passes');
is(mxcheck('run', '--case', case_of(1), '--time-out', 0), 2, '--time-out 0 is refused');
is(mxcheck('mutate', '--time-out', 5, 'gemm/mxfp4_f32/1x1x32/exact'), 2, 'and for mutants');
mxcheck('--help');
like($out, qr/--time-out S (?:.*\n)+? +a run that takes five times as long\. Default: 120\./, 'the default is documented');

done_testing();
