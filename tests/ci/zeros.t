#!/usr/bin/perl
# N7: the special regime finds a lost sign of zero, for outputs of 16 bits both where the f32 sum is
# -0 and where only the rounded sum is.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
require './tests/ci/product_case.pl';
our ($build, $dir, $status, $out, $err);

sub judge {
	my ($kernel, $type) = @_;
	return mxcheck('run', '--co', "$build/tests/ci/zeros.gpu.co",
		'--case', product_case($kernel, $type, 'bits'));
}

my %lost = (sum => 'the f32 sum is', rounded => 'only the rounded sum is');
for my $type ('f32', 'bf16', 'f16') {
	is(judge("kept_$type", $type), 0, "$type: a kernel that keeps the sign of zeros passes")
		or diag $out, $err;
	for my $kernel ('sum', $type eq 'f32' ? () : 'rounded') {
		is(judge("${kernel}_$type", $type), 1, "$type: +0 where $lost{$kernel} -0 fails")
			or diag $out, $err;
		like($out, qr/^ +wrong-bits: .* is 0x0+ \(0\), must be 0x80+ \(-0\)/m, '  at such a zero');
	}
}

done_testing();
