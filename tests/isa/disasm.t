#!/usr/bin/perl
# Compares the disassembler's text with llvm-mc's, character by character, on every compiled
# kernel and on random encodings of all formats; and the list of opcodes with a fresh sweep.
# MXCHECK_LONG=1: a million encodings, and all of gfx950.def.
use strict;
use warnings;
no warnings 'portable';
use Test::More;
require './tests/isa/disasm.pl';

my $build = $ENV{BUILD} || 'build';
my $llvm = llvm22();
my ($count, $each) = is_long() ? (900_000, 60) : (8_000, 3);

# ---- compiled kernels ----

my @objects = kernels($build, 'gfx950');
my %lines;
for (@objects ? `$llvm/llvm-objdump -d @objects` : ()) {
	$lines{ join ' ', map { lc } split ' ', $1 } = 1 if m{// [0-9A-F]+: ((?:[0-9A-F]{8} ?)+)};
}
SKIP: {
	skip "no code objects in $build/kernels", 1 unless %lines;
	compare('gfx950', [ 'instructions of ' . @objects . ' code objects', sort keys %lines ]);
}

# ---- random encodings ----

# Format, fixed bits, their mask, bits of the opcode, dwords.
my @formats = (
	[ 'SOP2', 0x80000000, 0xc0000000, 0x3f800000, 1 ],
	[ 'SOPK', 0xb0000000, 0xf0000000, 0x0f800000, 1 ],
	[ 'SOP1', 0xbe800000, 0xff800000, 0x0000ff00, 1 ],
	[ 'SOPC', 0xbf000000, 0xff800000, 0x007f0000, 1 ],
	[ 'SOPP', 0xbf800000, 0xff800000, 0x007f0000, 1 ],
	[ 'SMEM', 0xc0000000, 0xfc000000, 0x03fc0000, 2 ],
	[ 'VOP2', 0x00000000, 0x80000000, 0x7e000000, 1 ],
	[ 'VOP1', 0x7e000000, 0xfe000000, 0x0001fe00, 1 ],
	[ 'VOPC', 0x7c000000, 0xfe000000, 0x01fe0000, 1 ],
	[ 'SDWA2', 0x000000f9, 0x800001ff, 0x7e000000, 2 ],
	[ 'SDWA1', 0x7e0000f9, 0xfe0001ff, 0x0001fe00, 2 ],
	[ 'SDWAC', 0x7c0000f9, 0xfe0001ff, 0x01fe0000, 2 ],
	[ 'DPP2', 0x000000fa, 0x800001ff, 0x7e000000, 2 ],
	[ 'DPP1', 0x7e0000fa, 0xfe0001ff, 0x0001fe00, 2 ],
	[ 'DPPC', 0x7c0000fa, 0xfe0001ff, 0x01fe0000, 2 ],
	[ 'VOP3', 0xd0000000, 0xfc000000, 0x03ff0000, 2 ],
	[ 'VOP3P', 0xd3800000, 0xff800000, 0x007f0000, 2 ],
	[ 'SCALED', 0xd3ac0000, 0xffff0000, 0, 4 ],
	[ 'DS', 0xd8000000, 0xfc000000, 0x01fe0000, 2 ],
	[ 'FLAT', 0xdc000000, 0xfc00c000, 0x01fc0000, 2 ],
	[ 'SCRATCH', 0xdc004000, 0xfc00c000, 0x01fc0000, 2 ],
	[ 'GLOBAL', 0xdc008000, 0xfc00c000, 0x01fc0000, 2 ],
	[ 'MUBUF', 0xe0000000, 0xfc000000, 0x01fc0000, 2 ],
	[ 'MTBUF', 0xe8000000, 0xfc000000, 0x00078000, 2 ],
	[ 'no format', 0xc4000000, 0xc4000000, 0x3b000000, 2 ],
);
my @literals = (0xbf800000 .. 0xbf80000f, 0x3f800000, 0x3c00, 0x3f80, 0x40000000, 0xc0000000,
	0x3e22f983, 0x3118, 0xffff, 0xfff0, 0xffffffef, 0x41, 0x7b, 0x40, 0x3ff00000, 0xbfe00000,
	0x80000000, 0xffff3c00, 0x3c003c00, 0x12345678, 0x40100000, 0xb800, 0x4040, 0x40490fdb);

# llvm-mc 22 crashes on SDWA selections of 7 and 3, on a literal after the scale prefix, and on
# sources other than VGPRs with a size that depends on the format. For the disassembler these
# are invalid.
sub survives {
	my ($format, @w) = @_;
	if ($format =~ /^(VOP|SDWA)[12C]/ && ($w[0] & 0x1ff) == 0xf9) {
		my $dst = $format =~ /C$/ ? 0 : ($w[1] >> 8 & 7) == 7 || ($w[1] >> 11 & 3) == 3;
		return !$dst && ($w[1] >> 16 & 7) != 7 && ($w[1] >> 24 & 7) != 7;
	}
	if ($format eq 'SCALED') {
		return 0 if grep { ($_ & 511) == 255 } $w[1], $w[1] >> 9, $w[3] >> 18;
		shift @w for 0, 1;
	}
	my $mixed = ($w[0] >> 16 & 0x3ff) == 0x3ad || ($w[0] >> 16 & 0x3ff) == 0x3ae;
	return $format !~ /SCALED|VOP3/ || !$mixed || $w[1] & 0x100 && $w[1] & 0x20000;
}

# A random encoding of a format, with the given opcode if any, followed by dwords that may be
# its literal.
sub random_line {
	my ($format, $value, $mask, $opcode, $dwords, $op) = @_;
	my $low = 0;
	$low++ while $opcode && !($opcode >> $low & 1);
	for (;;) {
		my $code = defined $op ? $op << $low : rnd() & $opcode & ~$mask;
		my @w = ($value | $code | bits(rnd() % 3) & ~($mask | $opcode) & 0xffffffff,
			$literals[ rnd() % @literals ]);
		@w[ 1 .. $dwords - 1 ] = map { bits(rnd() % 5) } 2 .. $dwords if $dwords > 1;
		$w[1] = $w[1] & 0xb0b000ff | 0x06060600 if $format =~ /SDWA/ && rnd() & 1;
		$w[1] = $w[1] & 0xff0e00ff | 0x15000 if $format =~ /DPP/ && rnd() & 1;
		if ($format eq 'SCALED') { # mostly a matrix instruction that takes scales
			$w[2] = 0xd3ad0800 + (rnd() & 1) * 0x10000 + (bits(rnd() % 2) & 0xffff);
			$w[2] &= ~0x7000 if rnd() & 3;
		}
		my $literal = $literals[ rnd() % 16 ]; # s_nop, unless it is surely taken
		if ($format =~ /^VOP3/ && !(rnd() & 7)) {
			$w[1] |= 0xff;
			$w[1] &= ~0x100;
			$literal = $literals[ rnd() % @literals ];
		}
		next unless survives($format, @w);
		return join ' ', map { sprintf '%08x', $_ } @w, $literal, (0xbf800000) x 3;
	}
}

compare('gfx950', map { my $f = $_; [ "random $f->[0]", map { random_line(@$f) } 1 .. $count / @formats ] } @formats);

# ---- whole fields ----

# Every value (or every step-th) of a field, in an instruction that prints it by name.
sub field {
	my ($low, $width, $step, @w) = @_;
	my @lines;
	for (my $v = 0; $v < 1 << $width; $v += $step) {
		my @x = @w;
		$x[ $low / 32 ] |= $v << $low % 32;
		push @lines, join ' ', map { sprintf '%08x', $_ } @x, 0xbf800001, (0xbf800000) x 3;
	}
	return @lines;
}

compare('gfx950', [ 'fields of one instruction each',
	field(0, 6, 1, 0xb880f800),    # hwreg of s_getreg_b32
	field(0, 11, 1, 0xbf900000),   # s_sendmsg
	field(0, 16, 53, 0xbf8c0000),  # s_waitcnt
	field(0, 7, 1, 0xbf9d0000),    # s_set_gpr_idx_mode
	field(40, 9, 1, 0x020000fa, 0xff000000), field(40, 9, 1, 0x080000fa, 0xff000000), # DPP_CTRL
	field(0, 16, 31, 0xd87a0000, 0),                  # ds_swizzle_b32
	(map { field(5, 5, 1, 0xd87a0000 | 32 - (1 << $_), 0) } 1 .. 4), # broadcasts to groups of 2 to 16
	field(19, 7, 1, 0xe8000000, 0),                   # formats of tbuffer_load_format_x
	(map { field(61, 3, 1, 0xd2340000 | ($_ & 7) << 8, 0x04040404 | ($_ >> 3) << 27) } 0 .. 31), # bitop3
	field(0, 8, 1, 0xd2890000, 0x100), field(41, 9, 1, 0xd2890000, 0x100),            # v_readlane_b32
	field(32, 9, 1, 0xd1ff0000, 0x04040400), field(32, 9, 1, 0xd2800000, 0x200),      # VOP3
	field(0, 7, 1, 0xbe800000), field(0, 8, 1, 0xbe800100), field(16, 7, 1, 0xbe800100),
	field(6, 7, 1, 0xc0020000, 0), field(6, 7, 1, 0xc00a0000, 0), field(6, 7, 1, 0xc0120000, 0) ],
	[ 'literals of each VOP1, VOP2 and some SALU opcodes',
	map { my $w = $_; map { sprintf '%08x %08x bf800000 bf800000', $w, $_ } @literals[ 15 .. $#literals ] }
		(map { 0x7e0000ff | $_ << 9 } 0 .. 0x5b), (map { 0xff | $_ << 25 } 0 .. 60), 0x8000ff00, 0x8680ff00,
	0xbe8000ff, 0xbe8001ff, 0xba000000 ]);

# ---- the list of opcodes ----

sub rows {
	return map { /^MX_TEXT\((\w+), *(\w+), (\w+), *"(\w*)"/ ? "$1 $2 $3$4" : () } @_;
}

# [ format, opcode ] of a row.
sub opcodes { return map { /^(\w+) (\w+)/ ? [ $1, hex $2 ] : () } @_ }

open my $def, '<', 'ref/isa/encoding/gfx950.def' or die;
my @def = <$def>;
my %kept = map { $_ => 1 } rows(@def);
ok(scalar(%kept), 'gfx950.def lists ' . keys(%kept) . ' opcodes');
if (is_long()) {
	my @sweep = `$^X tests/isa/gfx950_sweep.pl`;
	my %fresh = map { $_ => 1 } rows(@sweep);
	my @differ = grep { !$fresh{$_} || !$kept{$_} } sort keys %{ { %fresh, %kept } };
	ok(!@differ, '  which are those that a sweep finds') or diag("first: $differ[0]");
	my @texts = map { [ grep { /^MX_TEXT/ } @$_ ] } \@def, \@sweep;
	is(join('', @{ $texts[0] }), join('', @{ $texts[1] }), '  and equals the output of the sweep');
}
my %format = map { $_->[0] => $_ } @formats;

# Opcodes of one format with the same operands and modifiers have the same bits that must be zero,
# but for a few.
my (%alike, @odd);
for (@def) {
	push @{ $alike{"$1 $4"} }, [ "$2$3", $5 ]
		if /^MX_TEXT\((\w+), *\w+, (\w+), *"(\w*)", *(".*"), *(\w+)\)/;
}
for (values %alike) {
	my %n;
	$n{ $_->[1] }++ for @$_;
	my ($usual) = sort { $n{$b} <=> $n{$a} } keys %n;
	push @odd, map { $_->[0] } grep { $_->[1] ne $usual } @$_;
}
is_deeply([ sort @odd ], [ qw(ds_bpermute_b32 ds_permute_b32 v_cvt_pk_bf16_f32 v_dot2c_i32_i16_dpp
	v_dot2c_i32_i16_e64 v_dot4c_i32_i8_dpp v_dot4c_i32_i8_e64 v_dot8c_i32_i4_dpp v_dot8c_i32_i4_e64) ],
	'opcodes that look alike have the same bits that must be zero, but for nine');
compare('gfx950', [ 'each opcode', map { my ($form, $op) = @$_; map { random_line(@{ $format{$form} }, $op) } 1 .. $each }
	opcodes(sort keys %kept) ]);
done_testing;
