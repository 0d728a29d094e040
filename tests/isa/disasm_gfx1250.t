#!/usr/bin/perl
# Compares the text of gfx1250 instructions with llvm-mc's on random encodings of all formats and of
# each opcode, and with llvm-objdump's on an object of them and on FlyDSL's kernel. MXCHECK_LONG=1: a
# million encodings.
use strict;
use warnings;
no warnings 'portable';
use Test::More;
use File::Temp 'tempdir';
require './tests/files.pl';
require './tests/isa/disasm.pl';

my $build = $ENV{BUILD} || 'build';
my $llvm = llvm22();
my ($count, $each) = is_long() ? (700_000, 200) : (6_000, 3);

# ---- what llvm-mc 22 crashes on or prints wrongly ----

# Codes of sources, in fields of 9 bits.
sub field { return $_[0] >> $_[1] & 511 }

sub is_scale { return scalar(($_[0] >> 16) =~ /^(?:52277|52282)$/) }

sub is_literal { return scalar grep { $_ == 254 || $_ == 255 } @_ }

# Barriers that are no number and no register; literals as scales; matrices of several formats not in
# VGPRs: crashes.
sub crashes {
	my ($w, $x) = @_;
	return 1 if is_scale($w) && is_literal(field($x, 0), field($x, 9));
	return 1 if ($w >> 23) == 0x17d && ($w >> 8 & 255) =~ /^(?:78|79|80|81|82|87)$/ && ($w & 255) > 192;
	return ($w >> 16 & 0xffff) == 0xcc33 && !($x & 0x100 && $x & 0x20000);
}

# With DPP, literals are read from the wrong place; constants of v_fmac are operand codes; so are DPP8
# and, of mixed FMAs, DPP16 controls that equal a constant's code; ABS of v_cndmask's source 1 ends
# after VCC; of v_cvt_*fp8 and v_cvt_*bf8 bits may be set that must be zero without DPP.
sub misprints_dpp {
	my ($w, $x, $y) = @_;
	my $long = $w >> 30 == 3;
	my $select = $long ? $x & 511 : $w & 511;
	return 0 unless $w >> 31 == 0 || $long && $select =~ /^(?:233|234|250)$/;
	my $control = ($long ? $y : $x) >> 8;
	my $op = $w >> 16 & 0x3ff;
	return 1 if $select =~ /^23[34]$/ && $control >= 128 && $control < 256;
	return !($w >> 25) && $select == 250 && $x >> 23 & 1 || $w >> 25 == 1 && $select == 250 && $x >> 23 & 1 unless $long;
	return 1 if $w >> 24 == 0xcc && ($control & 511) >= 128 && ($control & 511) < 256;
	return is_literal(field($x, 9), field($x, 18)) || $op =~ /^(?:363|364|492|493)$/ && $w & 0x7800 ||
		$op =~ /^(?:299|310)$/ && field($x, 9) >= 128 && field($x, 9) <= 248;
}

# v_mov_b16 and v_swap_b16, which only real-true16 has.
sub is_true16_row {
	my ($form, $op) = @_;
	return $form eq 'VOP1' && ($op == 0x1c || $op == 0x66) || $form eq 'VOP3' && $op == 0x19c;
}

sub is_true16 {
	my ($w) = @_;
	return $w >> 25 == 0x3f && is_true16_row('VOP1', $w >> 9 & 255) ||
		$w >> 26 == 0x35 && is_true16_row('VOP3', $w >> 16 & 0x3ff);
}

# VOPD3 reads a literal from its own dwords. Instructions that always have a literal of 32 bits print
# one of 64 bits, and VOPD takes one for a constant's code. A scale prefix is valid with v0 as its dummy source.
# Encodings of other chips are decoded: v_fma_mix of gfx9. The result of a comparison can be a literal.
sub misprints {
	my ($w, $x, $y) = @_;
	my $dual = $w >> 26 == 0x32;
	return $w >> 24 == 0xcf && is_literal($w & 511, $x & 511) ||
		$dual && (grep({ $_ == 254 } $w & 511, $x & 511) || $y >= 128 && $y < 256) ||
		($w >> 23) =~ /^(?:325|326)$/ && is_literal($w & 255, $w >> 8 & 255) ||
		is_scale($w) && field($x, 18) != 256 ||
		($w & 0xfffc0000) == 0xd3a00000 ||
		($w & 0xff0000ff) == 0xd40000fe;
}

# ---- random encodings ----

# Format, fixed bits, their mask, bits of the opcode, dwords.
my @formats = (
	[ 'SOP2', 0x80000000, 0xc0000000, 0x3f800000, 1 ],
	[ 'SOPK', 0xb0000000, 0xf0000000, 0x0f800000, 1 ],
	[ 'SOP1', 0xbe800000, 0xff800000, 0x0000ff00, 1 ],
	[ 'SOPC', 0xbf000000, 0xff800000, 0x007f0000, 1 ],
	[ 'SOPP', 0xbf800000, 0xff800000, 0x007f0000, 1 ],
	[ 'SMEM64', 0xf4000000, 0xfc000000, 0x0007e000, 2 ],
	[ 'VOP2', 0x00000000, 0x80000000, 0x7e000000, 1 ],
	[ 'VOP1', 0x7e000000, 0xfe000000, 0x0001fe00, 1 ],
	[ 'VOPC', 0x7c000000, 0xfe000000, 0x01fe0000, 1 ],
	(map { my $code = $_;
		[ "VOP2 $code", $code, 0x800001ff, 0x7e000000, 2 ],
		[ "VOP1 $code", 0x7e000000 | $code, 0xfe0001ff, 0x0001fe00, 2 ],
		[ "VOPC $code", 0x7c000000 | $code, 0xfe0001ff, 0x01fe0000, 2 ] } 0xfa, 0xe9, 0xea),
	[ 'VOP3', 0xd4000000, 0xfc000000, 0x03ff0000, 2 ],
	[ 'VOP3 DPP', 0xd4000000, 0xfc000000, 0x03ff0000, 3 ],
	[ 'PACKED', 0xcc000000, 0xff000000, 0x00ff0000, 2 ],
	[ 'PACKED DPP', 0xcc200000, 0xffe00000, 0x001f0000, 3 ],
	[ 'WMMA_SCALE', 0xcc350000, 0xffff0000, 0, 4 ],
	[ 'WMMA_SCALE16', 0xcc3a0000, 0xffff0000, 0, 4 ],
	[ 'VOPD_X', 0xc8000000, 0xfc000000, 0x03c00000, 2 ],
	[ 'VOPD_Y', 0xc8c00000, 0xffc00000, 0x003e0000, 2 ],
	[ 'VOPD3_X', 0xcf003000, 0xff03f000, 0x00fc0000, 3 ],
	[ 'VOPD3_Y', 0xcf0c0000, 0xfffc0000, 0x0003f000, 3 ],
	[ 'VDS', 0xd8000000, 0xfc000000, 0x03fc0000, 2 ],
	[ 'VFLAT', 0xec000000, 0xffc00000, 0x003fc000, 3 ],
	[ 'VSCRATCH', 0xed000000, 0xffc00000, 0x003fc000, 3 ],
	[ 'VGLOBAL', 0xee000000, 0xffc00000, 0x003fc000, 3 ],
	[ 'VBUFFER', 0xc4000000, 0xfc000000, 0x003fc000, 3 ],
	[ 'VIMAGE', 0xd0400001, 0xffc00007, 0x003fc000, 3 ],
	[ 'no format', 0xc0000000, 0xd4000000, 0x2b000000, 3 ],
);
my @literals = ((0xbf800000) x 6, (0) x 5, 0xffffffff, 0xfffffff0, 0xbff00000, 0x3fc45f30, 0x3f800000, 0x3c00, 0x3f80, 0x40000000, 0xc0000000, 0x3e22f983, 0x3118,
	0xffff, 0xfff0, 0xffffffef, 0x41, 0x7b, 0x40, 0x3ff00000, 0x80000000, 0x12345678, 0x3c003c00, 0xb800);

# Makes the dwords after the first one mostly valid.
sub favour {
	my ($format, $w) = @_;
	my $common = rnd() & 3;
	if ($format =~ / DPP/) {
		$w->[1] = $w->[1] & ~511 | (0xfa, 0xe9, 0xea)[ rnd() % 3 ];
		$w->[0] &= 0xffff80ff if $common;
	}
	if ($format =~ /^WMMA/) {
		$w->[0] &= 0xffff6bff;
		$w->[1] = $w->[1] & ~0x97fc0000 | 0x04000000;
		$w->[2] = 0xcc000000 | (0x33, 0x88)[ rnd() & 1 ] << 16 | $w->[2] & ($common ? 0x7cfe : 0xffff);
		$w->[2] |= 0x4000 if $common && $w->[2] & 0x800000;
		$w->[3] |= 0x04020100 | ($w->[2] & 0x800000 ? 0x18000000 : 0);
	} elsif ($format eq 'PACKED' && $common) {
		$w->[0] &= 0xffff60fe;
		$w->[1] = $w->[1] & 0xe3fdfbfe | 0x1c020100;
	} elsif ($format =~ /^V(?:FLAT|SCRATCH|GLOBAL|BUFFER)/ && $common) {
		$w->[0] = $w->[0] & ~127 | ($common == 1 ? rnd() & 126 : 124);
		$w->[1] &= $format eq 'VSCRATCH' ? 0xfefffffe : 0xfefdfffe;
		$w->[2] &= 0x7ffffffe;
	} elsif ($format eq 'VIMAGE') {
		$w->[0] &= ~0x66;
		$w->[1] = 0x7c000000 | $w->[1] & 0x007c0100;
		$w->[2] = ($w->[2] & 0x7c7c7c7c) >> ($common > 2) | ($common > 1 ? 0 : 0x7c7c0000);
	} elsif ($format =~ /^VOPD3/ && $common) {
		$w->[1] = $w->[1] & ($common == 1 ? 0xffff01fe : 0x00fe01fe) | 0x100;
		$w->[2] &= 0xfe00fefe if $common > 1;
	} elsif ($format =~ /^VOP3/ && ($w->[0] >> 16 & 0x380) == 0x80) { # v_cmpx writes EXEC
		$w->[0] = $w->[0] & ~255 | 126;
	} elsif ($format eq 'VOP3' && $common) {
		$w->[0] &= $common == 1 ? 0xffff7fff : 0xffff00ff;
		$w->[1] &= 0x07ffffff if $common == 3;
	}
	if ($format =~ / DPP|VOP. 250/ && $common) {
		$w->[-1] = $w->[-1] & 0xff0e00ff | (0x15000, 0x16100, 0xe400, 0x11100, 0x14000)[ rnd() % 5 ];
	}
}

sub random_line {
	my ($format, $value, $mask, $opcode, $dwords, $op, $true16) = @_;
	my $low = 0;
	$low++ while $opcode && !($opcode >> $low & 1);
	for (;;) {
		my $code = defined $op ? $op << $low : rnd() & $opcode & ~$mask;
		my @w = ($value | $code | bits(rnd() % 3) & ~($mask | $opcode) & 0xffffffff,
			map { bits(rnd() % 5) & 0xffffffff } 2 .. $dwords);
		favour($format, \@w);
		push @w, map { $literals[ rnd() % @literals ] } 1, 2;
		next if crashes(@w) || crashes((@w, 0)[ 2, 3 ]) || misprints_dpp(@w) || misprints(@w) || !is_true16(@w) != !$true16;
		return join ' ', map { sprintf '%08x', $_ } @w, (0xbf800000) x 4;
	}
}

compare('gfx1250', map { my $f = $_; [ "random $f->[0]", map { random_line(@$f) } 1 .. $count / @formats ] } @formats);

# ---- each opcode ----

my %format = map { $_->[0] => $_ } @formats;
open my $def, '<', 'ref/isa/encoding/gfx1250.def' or die;
my @rows = map { /^MX_TEXT(?:_FIXED)?\((\w+), *(\w+), (\w+),/ ? [ $1, hex $2 ] : () } <$def>;
ok(@rows > 1700, 'gfx1250.def has ' . @rows . ' forms');
compare('gfx1250', [ 'each opcode', map { my ($form, $op) = @$_;
	map { random_line(@{ $format{$form} }, $form =~ /^WMMA/ ? () : $op) } 1 .. $each } grep { !is_true16_row(@$_) } @rows ]);
compare('gfx1250,+real-true16', [ 'halves of registers', map { my ($form, $op) = @$_;
	map { random_line(@{ $format{$form} }, $op, 1) } 1 .. 20 * $each } grep { is_true16_row(@$_) } @rows ]);

# ---- whole fields ----

# Every value (or every step-th) of a field, in an instruction that prints it by name.
sub values_of {
	my ($low, $width, $step, @w) = @_;
	my @lines;
	for (my $v = 0; $v < 1 << $width; $v += $step) {
		my @x = @w;
		$x[ $low / 32 ] |= $v << $low % 32;
		push @lines, join ' ', map { sprintf '%08x', $_ } @x, (0xbf800000) x 4;
	}
	return @lines;
}

compare('gfx1250', [ 'fields of one instruction each',
	values_of(0, 6, 1, 0xb8a8f800),                      # hwreg of s_getreg_b32
	values_of(0, 11, 1, 0xbfb60000),                     # s_sendmsg
	values_of(0, 16, 53, 0xbf880000),                    # s_wait_alu
	values_of(0, 11, 1, 0xbf870000),                     # s_delay_alu
	values_of(0, 16, 61, 0xb0800000),                    # s_version
	values_of(40, 9, 1, 0x7e0202fa, 0xff000000),         # DPP_CTRL
	(map { my $op = $_; values_of(50, 5, 1, 0xee00007c | $op << 14, 0) } 0x14, 0x1a, 0x35), # scope and hint
	values_of(32, 9, 1, 0xd6550000, 0x04040400), values_of(0, 8, 1, 0xbe840000), values_of(16, 7, 1, 0xbe800100) ]);

# ---- objects: banks of VGPRs ----

# The texts of a disassembled object, without addresses, dwords and targets.
sub texts_of { return map { m{^\t(\S.*?) *// [0-9A-F]+:} ? $1 =~ s/  +/ /gr : () } @_ }

# Random instructions; of 16, three follow a s_set_vgpr_msb, and one begins a function.
my $folder = tempdir(CLEANUP => 1);
my $source = ".text\n";
my $of_each = is_long() ? 2000 : 60;
my @lines = map { my $f = $_; map { random_line(@$f) } 1 .. $of_each } grep { $_->[0] !~ /WMMA_SCALE|no format/ } @formats;
my @texts = theirs('gfx1250', @lines);
for (grep { @{ $texts[$_] } > 4 } 0 .. $#lines) {
	my $event = rnd() & 15;
	$source .= sprintf "s_set_vgpr_msb %d\n", rnd() & 255 if $event < 3;
	$source .= sprintf "f%d:\n", length $source if $event == 3;
	$source .= join '', map { ".long 0x$_\n" } split ' ', $lines[$_];
}
open my $as, '|-', "$llvm/llvm-mc -triple=amdgcn-amd-amdhsa -mcpu=gfx1250 -filetype=obj -o $folder/banks.o" or die;
print $as $source;
close $as or die 'llvm-mc does not assemble';
my @theirs = texts_of(`$llvm/llvm-objdump -d $folder/banks.o`);
my @ours = texts_of(`$build/mxcheck disasm $folder/banks.o`);
my ($first) = grep { ($ours[$_] // '') ne $theirs[$_] } 0 .. $#theirs;
my $banked = grep { m{/\*v} } @theirs;
ok(@ours == @theirs && $banked > @theirs / 20 && !defined $first,
	sprintf 'mxcheck disasm prints an object of %d instructions as llvm-objdump, %d with banks', scalar @theirs, $banked)
	or diag(scalar(@ours) . ' texts; ' . join "\n", map { $_->[ $first // -1 ] // '' } \@ours, \@theirs);

# ---- a compiled kernel ----

# LLVM 22 takes no dummy source but v0 in a scale prefix; FlyDSL's LLVM writes the constant 0.
my $kernel = '../shared/foreign/seeds/flydsl_gfx1250_fp8.hsaco';
SKIP: {
	skip "no $kernel", 2 unless -e $kernel;
	my @ours = map { m{^\t(\S.*?) *// [0-9A-F]+: ([0-9A-F ]+)} ? "$1\n$2" : () } `$build/mxcheck disasm $kernel`;
	my (%theirs, $scaled);
	my @lines = map { my ($text, $dwords) = split /\n/; [ $text =~ s{ /\*v.*?\*/}{}gr, lc $dwords ] } @ours;
	for (@lines) {
		$scaled += $_->[1] =~ s/^(cc35\w+) (\w+)/sprintf '%s %08x', $1, hex($2) & ~0x07fc0000 | 0x04000000/e;
	}
	my @texts = theirs('gfx1250', map { $_->[1] } @lines);
	my @differ = grep { ($texts[$_][0] // '') ne $lines[$_][0] } 0 .. $#lines;
	ok(@lines > 1400 && !@differ, 'mxcheck disasm prints the ' . @lines . " instructions of FlyDSL's kernel as llvm-mc")
		or diag("$lines[$differ[0]][0]\n$texts[$differ[0]][0]");
	is($scaled, 160, 'and its scale prefixes, whose dummy source LLVM refuses');
}
done_testing;
