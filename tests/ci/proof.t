#!/usr/bin/perl
# --require-proof: a case that passes without a proof of order fails; all else is as without it.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $status, $out, $err);

my ($proved, $unproved) = ('gemm/mxfp4_f32/1x1x32/exact', 'gemm/mxfp4_splitk2/17x30x288/exact');

sub proves { return mxcheck('--device', 'emu', '--require-proof', @_) }

is(proves($proved), 0, 'a case that is proved passes') or diag $out;
is(mxcheck('--require-proof', 'gemm/gfx1250_arrivals_bf16/13x31x640/general'), 0, '  also one whose waves poll barriers in LDS') or diag $out;
is(mxcheck('--device', 'emu', $unproved), 0, 'a case with atomics in any order passes');
like($out, qr/^      order: not proved: /m, '  and is not proved');
is(mxcheck('--device', 'emu', $proved, $unproved), 0, '  so does one beside a proved one');
like($out, qr/s  order proved\n.*s  order not proved: the order of atomics matters at \+0x\w+$/ms, '  which its line has')
	or diag $out;
is(proves($unproved), 3, 'a proof that is required and missing is status 3');
is(scalar(() = $out =~ /^      not-proved: passes without .* --require-proof .*: the order of atomics matters at \+0x\w+$/mg),
	1, '  with one line that has the reason') or diag $out;
like($out, qr/^FAIL  \Q$unproved\E .*^      reproduce: .* --require-proof .*^0 passed, 1 failed/ms, '  and its command');
is(proves('--tap', $proved, $unproved), 3, 'in TAP, too');
like($out, qr/^ok 1 .*^not ok 2 /ms, '  each on its own');

my $broken = "$build/kernels/broken/loose_wait.co";
is(mxcheck('run', '--case', 'cases/gemm/mxfp4_f32.yaml', '--co', $broken, '--device', 'emu', '--require-proof',
		'gemm/mxfp4_f32/64x64x256/general'), 3, 'a case that fails anyway');
unlike($out, qr/not-proved:/, '  has no such line');
is(proves('--no-analysis', $proved), 2, 'with --no-analysis it is refused');
is(mxcheck('mutate', '--require-proof', $proved), 2, 'mutate refuses it too');
done_testing;
