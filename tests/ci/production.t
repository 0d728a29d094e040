#!/usr/bin/perl
# The table of published kernels, by a kernel of our own that is right, and one that is not.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir);

plan skip_all => 'no python3' if system('python3 -c "" 2>/dev/null') != 0;

sub case_of {
	my ($name, $code) = @_;
	my $text = slurp('cases/gemm/mxfp4_f32.yaml');
	$text =~ s/^name: .*/name: own\/$name/m;
	$text =~ s/^code: .*/code: $code/m;
	$text =~ s/^runs:\n.*/runs:\n  - {M: 129, N: 128, K: 256, regime: exact}\n/ms;
	return spew("$dir/$name.yaml", $text);
}

my @cases = (case_of('right', 'gemm/mxfp4_gemm.co'), case_of('wrong', 'broken/store_past_m.co'));
my $out = `python3 tests/crosscheck/production.py $mxcheck $dir/absent $dir/table @cases 2>$dir/err`;
is($? >> 8, 1, 'a kernel with findings that are not known fails');
like($out, qr{^ok 1 - own/right: 2 runs, 2 pass$}m, 'a right one passes, under both schedules') or diag $out, slurp("$dir/err");
like($out, qr{^not ok 2 - own/wrong: 2 runs, 0 pass\n# findings \['guard-changed', 'out-of-bounds-write'\], known are \[\]$}m,
	'a wrong one is named with its findings') or diag $out;
like($out, qr{^ok 3 - kernels of AITER # SKIP no \Q$dir\E/absent\n1\.\.3$}m, 'code objects that are absent are a skip');

my @rows = split /\r?\n/, slurp("$dir/table.csv");
is($rows[0], 'case,kernel,shape,regime,schedule,verdict,wrong,checked,numbers,order,device,notes,waived,seconds', 'the table has a header');
is(scalar @rows, 5, '  and a row for each run');
like($rows[1], qr{^own/right,mxfp4_gemm_f32,129x128x256,exact,default,pass,0,16512,,,,,0,\d+\.\d+$}, '  with the verdict');
like($rows[4], qr{^own/wrong,mxfp4_gemm_f32,129x128x256,exact,typical,fail,0,16512,"\d+ guard-changed, \d+ out-of-bounds-write",,,,0,},
	'  and findings by class');
like(slurp("$dir/table.md"), qr/^\| case \| shape .*\n\|(?:---\|)+\n\| own\/right \| 129x128x256 \| exact \|/, 'and the same for people');
done_testing();
