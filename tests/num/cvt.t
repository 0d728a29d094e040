#!/usr/bin/perl
# ref/num/cvt.def and cvt_gfx1250.def against LLVM's assembler. Every possible name of a conversion,
# with operands of the shape that it implies, assembles exactly if it is in the tables.
use strict;
use warnings;
use File::Temp 'tempdir';
use Test::More;
require './tests/files.pl';

my $llvm = llvm();
plan skip_all => 'no llvm-mc with gfx950 (see ci/package/llvm.sh)' unless $llvm && -x "$llvm/llvm-mc";

my %bits = (fp4 => 4, fp6 => 6, bf6 => 6, fp8 => 8, bf8 => 8, f16 => 16, bf16 => 16, f32 => 32);
my %format = (E2M1 => 'fp4', E2M3 => 'fp6', E3M2 => 'bf6', E4M3 => 'fp8', E5M2 => 'bf8',
	FP16 => 'f16', BF16 => 'bf16', FP32 => 'f32');
# In other tables, because they depend on MODE, or are a shift.
my %elsewhere = map { $_ => 1 } qw(v_cvt_f16_f32 v_cvt_f32_f16 v_cvt_f32_bf16);
my @packs = ([ '', 1, 1 ], [ 'pk_', 2, 1 ], [ 'pk_', 2, 2 ], [ 'pk8_', 8, 1 ], [ 'pk16_', 16, 1 ],
	[ 'pk32_', 32, 1 ], [ '2xpk16_', 32, 2 ]);

# The registers of operands with these numbers of bits, from v64.
sub registers {
	my $next = 64;
	my @operands;
	for my $width (@_) {
		my $n = int(($width + 31) / 32);
		push @operands, $n > 1 ? sprintf('v[%d:%d]', $next, $next + $n - 1) : "v$next";
		$next += 32;
	}
	return join ', ', @operands;
}

sub line {
	my ($name, $from, $to, $n, $data, $scaled, $sr) = @_;
	my @widths = ($n * $bits{$to}, ($n / $data * $bits{$from}) x $data, (32) x ($scaled + $sr));
	return "$name " . registers(@widths);
}

# The opcodes of an instruction set by encoding and name.
sub numbers {
	my %number;
	open my $opcodes, '<', "ref/isa/encoding/$_[0].def" or die;
	while (<$opcodes>) {
		$number{"$1 $3"} = hex $2 if /^MX_TEXT\((VOP[13]),\s+(0x\w+),\s+(v_cvt_\w+),/;
	}
	return %number;
}

# The rows of the tables that the set has.
sub rows {
	my ($number, @tables) = @_;
	my %row;
	for (map { open my $def, '<', "ref/num/$_" or die; <$def> } @tables) {
		my ($enc, $id, $from, $to, $n, $data, $scale, $round) =
			/^MX_CVT\((\w+),\s+(\w+),\s+(\w+),\s+(\w+),\s+(\d+),\s+(\d),\s+(\w+),\s+(\w+)\)/
			or next;
		my ($scaled, $sr) = ($scale ne 'PLAIN' ? 1 : 0, $round ne 'RNE' ? 1 : 0);
		my $op = $number->{"$enc v_cvt_$id"} // next;
		$row{"v_cvt_$id"} = { enc => $enc, op => $op,
			line => line("v_cvt_$id", $format{$from}, $format{$to}, $n, $data, $scaled, $sr) };
	}
	return %row;
}

sub possible_lines {
	my @lines;
	for my $scale ('', 'scalef32_', 'scale_') {
		for my $sr (0, 1) {
			for my $pack (@packs) {
				my ($prefix, $n, $data) = @$pack;
				for my $to (sort keys %bits) {
					push @lines, map { line('v_cvt_' . $scale . ('', 'sr_')[$sr] . $prefix . $to . '_' . $_,
						$_, $to, $n, $data, $scale ne '', $sr) } sort keys %bits;
				}
			}
		}
	}
	return @lines;
}

# The first dword of each line that assembles, by the line.
sub assembled {
	my ($cpu, @lines) = @_;
	my $file = tempdir(CLEANUP => 1) . '/conversions.s';
	open my $asm, '>', $file or die;
	print $asm "$_\n" for @lines;
	close $asm;
	my %code;
	for (`$llvm/llvm-mc -triple=amdgcn-amd-amdhsa -mcpu=$cpu -show-encoding $file 2>/dev/null`) {
		my ($name, $operands, $bytes) = /^\s*(v_cvt\w+) (.*?)\s*; encoding: \[(.*)\]/ or next;
		$name =~ s/_e(32|64)$//;
		my @byte = map { hex } split /,/, $bytes;
		$code{"$name $operands"} = $byte[0] | $byte[1] << 8 | $byte[2] << 16 | $byte[3] << 24;
	}
	return %code;
}

sub compare {
	my ($cpu, @tables) = @_;
	my %number = numbers($cpu);
	my %row = rows(\%number, @tables);
	my @lines = possible_lines();
	my %code = assembled($cpu, @lines);
	delete $code{$_} for grep { $elsewhere{ (split)[0] } } keys %code;
	my %known = map { (split)[0] => 1 } keys %code;
	is_deeply([ sort keys %row ], [ sort keys %known ],
		"$cpu: " . keys(%row) . ' conversions, the same that LLVM assembles of ' . @lines . ' possible names');
	is_deeply([ sort map { $_->{line} } values %row ], [ sort keys %code ],
		'their operands have the same shapes');
	my @wrong = grep {
		my $code = $code{ $row{$_}{line} } // 0;
		$row{$_}{op} != ($row{$_}{enc} eq 'VOP1' ? $code >> 9 & 0xff : $code >> 16 & 0x3ff);
	} sort keys %row;
	is_deeply(\@wrong, [], "and the opcodes of $cpu.def");
}

compare('gfx950', 'cvt.def');
compare('gfx1250', 'cvt.def', 'cvt_gfx1250.def');
done_testing();
