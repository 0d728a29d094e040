#!/usr/bin/perl
# Each step of the CPU computes the same: results, findings, proofs and counts of cases and of a hunt,
# codes and scales of every format, matrix instructions under every profile.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

run('env', 'MXCHECK_CPU=none', $mxcheck, '--help');
my @steps = $err =~ /is not (.*)/ ? split /, | or /, $1 : BAIL_OUT($err);
@steps = grep { run('env', "MXCHECK_CPU=$_", $mxcheck, '--help') == 0 } @steps;

# Random bits of f32, every eighth row with NaN and infinities; the others are from 2^-63 to 2^64.
sub numbers {
	my ($rows, $columns) = @_;
	srand 5;
	my @bits = map { my $special = $_ / $columns % 8 == 7;
		my $x = int rand 2**32;
		$special ? $x : $x & 0xbfffffff | 0x20000000 } 0 .. $rows * $columns - 1;
	my $head = "{'descr': '<f4', 'fortran_order': False, 'shape': ($rows, $columns), }";
	return "\x93NUMPY\1\0" . pack('v', 118) . sprintf('%-117s', $head) . "\n" . pack('V*', @bits);
}
spew("$dir/x.npy", numbers(64, 100));

my @formats = qw(E2M1 E4M3 E5M2 E2M3 E3M2);
my @commands = (
	[ '--save', "$dir/saved", '-v', '--notes', qw(--seed 7 --device emu),
		qw(foreign/mxfp4_preshuffled/33x17x96/special foreign/mxfp8_asm/17x15x384/special
			foreign/mxfp6_scratch/16x64x128/exact gemm/mxfp4_f32/5x130x96/general
			gemm/mxfp8_f32/65x63x288/exact gemm/mxfp8_epilogue/33x130x480/special
			gemm/mxfp4_splitk4/16x16x512/special) ],
	[ 'run', '--case', 'cases/gemm/mxfp4_f32.yaml', '--co', "$build/kernels/broken/loose_wait.co",
		'gemm/mxfp4_f32/64x64x256/general' ],
	[ qw(--race 5 gemm/mxfp8_f32/64x64x256/exact) ],
	(map { [ 'quant', '--format', $_, qw(--recipe even --axis), $_ =~ /E2/ ? 'row' : 'col', "$dir/x.npy",
		'-o', "$dir/saved/$_.npy", '--scales', "$dir/saved/$_.scales.npy" ] } @formats),
	[ qw(quant --format E4M3 --recipe all), "$dir/x.npy" ],
	[ qw(quant --format E2M1 --block 32x32), "$dir/x.npy" ],
	(map { [ 'mfma', '--format', "$_,E4M3", '--a', join(',', map { $_ * 7 % 16 } 1 .. 128), '--b',
		join(',', map { $_ * 29 % 256 } 1 .. 128), '--sa', '0x85', '--sb', '0x70', '--c', '0.1' ] } @formats),
);

# All that the commands print but times, and all files.
sub results {
	my ($step) = @_;
	local $ENV{MXCHECK_CPU} = $step;
	run('rm', '-rf', "$dir/saved");
	mkdir "$dir/saved";
	my %all;
	for (@commands) {
		mxcheck(@$_);
		$all{"@$_"} = "exit $status\n" . ($out =~ s/\d+\.\d+ (?:s|ms a run)\b//gr) . $err;
	}
	$all{$_} = slurp($_) for glob "$dir/saved/*/*/*/* $dir/saved/*/*/*/*/* $dir/saved/*.npy";
	return \%all;
}

my $plain = results($steps[0]);
my @failed = grep { $plain->{$_} =~ /^exit [^0]/ } keys %$plain;
is(@failed, 1, 'of ' . @commands . ' commands one has a finding') or diag "@failed";
for my $step (@steps[ 1 .. $#steps ]) {
	my $these = results($step);
	my @differ = grep { ($plain->{$_} // '') ne ($these->{$_} // '') } sort keys %{ { %$plain, %$these } };
	is_deeply(\@differ, [], "$step: the same text and " . keys(%$these) . ' files and reports as ' . $steps[0]);
}
done_testing();
