#!/usr/bin/perl
# Sweeps every opcode number of every gfx950 microcode format through LLVM's disassembler
# and prints the result as ref/isa/encoding/gfx950.def, which it never reads.
#
#   tests/isa/gfx950_sweep.pl > ref/isa/encoding/gfx950.def      takes some seconds
#
# Method: the first valid values of an opcode's fields give its name and operands. Flipping
# each bit then shows the field of each operand, the bits that must not change, and the
# modifiers. Codes of each kind show the registers that an operand accepts and how it prints
# constants.
use strict;
use warnings;
use File::Temp 'tempdir';

chomp(my $llvm = `ci/package/llvm.sh`);
my $dir = tempdir(CLEANUP => 1);

# ---- formats: dword 0, first bit of the opcode, opcodes, dwords, fields ----
# A field: first bit, width, then values to try, best first, if it can be a register.
my @src = map { [ 256 + 8 * $_, 8 * $_, 0 ] } 0 .. 3;
my @vop3 = (clamp => [ 15, 1 ], src0 => [ 32, 9, @{ $src[1] } ], src1 => [ 41, 9, @{ $src[2] } ],
	src2 => [ 50, 9, @{ $src[3] } ], neg => [ 61, 3 ], vdst => [ 0, 8, 40, 0 ]);
my @sdwa = (src0 => [ 32, 8, 8 ], u0 => [ 54, 1 ], s0 => [ 55, 1 ], sext0 => [ 51, 1 ],
	neg0 => [ 52, 1 ], abs0 => [ 53, 1 ]);
my @sdwa_dst = (clamp => [ 45, 1 ], omod => [ 46, 2 ], vdst => [ 17, 8, 24, 0 ]);
my @sdwa_src1 = (vsrc1 => [ 9, 8, 16, 0 ], u1 => [ 62, 1 ], s1 => [ 63, 1 ], sext1 => [ 59, 1 ],
	neg1 => [ 60, 1 ], abs1 => [ 61, 1 ]);
my @dpp = (vdst => [ 17, 8, 24, 0 ], src0 => [ 32, 8, 8 ], u => [ 49, 2 ], neg0 => [ 52, 1 ],
	abs0 => [ 53, 1 ], neg1 => [ 54, 1 ], abs1 => [ 55, 1 ]);
my @flat = (offset => [ 0, 13 ], lds => [ 13, 1 ], sc0 => [ 16, 1 ], nt => [ 17, 1 ],
	sc1 => [ 25, 1 ], addr => [ 32, 8, 8, 0 ], data => [ 40, 8, 16, 0 ],
	saddr => [ 48, 7, 127, 0 ], acc => [ 55, 1 ], vdst => [ 56, 8, 24, 0 ]);
my @buffer = (offset => [ 0, 12 ], offen => [ 12, 1 ], idxen => [ 13, 1 ], sc0 => [ 14, 1 ],
	vaddr => [ 32, 8, 8 ], vdata => [ 40, 8, 16 ], srsrc => [ 48, 5, 5 ], acc => [ 55, 1 ],
	soffset => [ 56, 8, 24 ]);
my %format = (
	SOP2 => [ 0x80000000, 23, [ 0 .. 95 ], 1, ssrc0 => [ 0, 8, 8 ], ssrc1 => [ 8, 8, 16 ],
		sdst => [ 16, 7, 24 ] ],
	SOPK => [ 0xb0000000, 23, [ 0 .. 28 ], 1, simm16 => [ 0, 16 ], sdst => [ 16, 7, 24 ] ],
	SOP1 => [ 0xbe800000, 8, [ 0 .. 255 ], 1, ssrc0 => [ 0, 8, 8 ], sdst => [ 16, 7, 24 ] ],
	SOPC => [ 0xbf000000, 16, [ 0 .. 127 ], 1, ssrc0 => [ 0, 8, 8 ], ssrc1 => [ 8, 8, 16 ] ],
	SOPP => [ 0xbf800000, 16, [ 0 .. 127 ], 1, simm16 => [ 0, 16 ] ],
	SMEM => [ 0xc0000000, 18, [ 0 .. 255 ], 2, sbase => [ 0, 6, 4, 0 ], sdata => [ 6, 7, 16, 0 ],
		imm => [ 17, 1, 1, 0 ], soe => [ 14, 1 ], nv => [ 15, 1 ], glc => [ 16, 1 ], offset => [ 32, 21 ],
		u => [ 53, 4 ], soffset => [ 57, 7 ] ],
	VOP2 => [ 0, 25, [ 0 .. 61 ], 1, src0 => [ 0, 9, @{ $src[1] } ], vsrc1 => [ 9, 8, 16 ],
		vdst => [ 17, 8, 24 ] ],
	VOP1 => [ 0x7e000000, 9, [ 0 .. 255 ], 1, src0 => [ 0, 9, @{ $src[1] } ],
		vdst => [ 17, 8, 24, 0 ] ],
	VOPC => [ 0x7c000000, 17, [ 0 .. 255 ], 1, src0 => [ 0, 9, @{ $src[1] } ],
		vsrc1 => [ 9, 8, 16 ] ],
	VOP3 => [ 0xd0000000, 16, [ 0 .. 0x37f ], 2, @vop3, abs => [ 8, 3 ], op_sel => [ 11, 4 ],
		omod => [ 59, 2 ] ],
	VOP3P => [ 0xd3800000, 16, [ 0 .. 127 ], 2, @vop3, neg_hi => [ 8, 3 ], op_sel => [ 11, 3 ],
		op_sel_hi2 => [ 14, 1 ], op_sel_hi => [ 59, 2 ] ],
	DS => [ 0xd8000000, 17, [ 0 .. 255 ], 2, offset => [ 0, 16 ], gds => [ 16, 1, 0, 1 ],
		acc => [ 25, 1 ], addr => [ 32, 8, 8, 0 ], data0 => [ 40, 8, 16, 0 ],
		data1 => [ 48, 8, 24, 0 ], vdst => [ 56, 8, 32, 0 ] ],
	FLAT => [ 0xdc000000, 18, [ 0 .. 127 ], 2, @flat ],
	SCRATCH => [ 0xdc004000, 18, [ 0 .. 127 ], 2, @flat ],
	GLOBAL => [ 0xdc008000, 18, [ 0 .. 127 ], 2, @flat ],
	MUBUF => [ 0xe0000000, 18, [ 0 .. 127 ], 2, @buffer, sc1 => [ 15, 1 ], lds => [ 16, 1 ],
		nt => [ 17, 1 ], u => [ 25, 1 ], u2 => [ 53, 2 ] ],
	MTBUF => [ 0xe8000000, 15, [ 0 .. 15 ], 2, @buffer, format => [ 19, 7 ], sc1 => [ 53, 1 ],
		nt => [ 54, 1 ] ],
	SDWA2 => [ 0xf9 | 6 << 40 | 6 << 48 | 6 << 56, 25, [ 0 .. 61 ], 2, @sdwa, @sdwa_dst,
		@sdwa_src1 ],
	SDWA1 => [ 0x7e0000f9 | 6 << 40, 9, [ 0 .. 255 ], 2, @sdwa, @sdwa_dst, sel => [ 48, 3, 6, 0 ],
		src1 => [ 56, 8 ] ],
	SDWAC => [ 0x7c0000f9 | 6 << 48 | 6 << 56, 17, [ 0 .. 255 ], 2, @sdwa, @sdwa_src1 ],
	DPP2 => [ 0xfa | 0x150 << 40, 25, [ 0 .. 61 ], 2, @dpp, ctrl => [ 48, 1 ], vsrc1 => [ 9, 8, 16, 0 ] ],
	DPP1 => [ 0x7e0000fa | 0x150 << 40, 9, [ 0 .. 255 ], 2, @dpp, ctrl => [ 48, 1 ] ],
);
my @forms = qw(SOP2 SOPK SOP1 SOPC SOPP SMEM VOP2 VOP1 VOPC SDWA2 SDWA1 SDWAC DPP2 DPP1 VOP3 VOP3P
	DS FLAT SCRATCH GLOBAL MUBUF MTBUF);

# ---- LLVM's texts ----

# Texts of instructions, '' if invalid or with a remark. A literal and three s_nop follow each
# instruction, and each is parsed separately.
sub texts {
	my ($dwords, @codes) = @_;
	open my $f, '>', "$dir/in" or die;
	for (@codes) {
		my ($q, @more) = ref ? @$_ : ($_, 0);
		my @bytes = map { sprintf '0x%02x', $_ & 255 } (map { $q >> 8 * $_ } 0 .. 4 * $dwords - 1),
			map { my $d = $_; map { $d >> 8 * $_ } 0 .. 3 } @more;
		print $f "[@bytes", ' 0x00 0x00 0x80 0xbf' x 3, "]\n[0x34 0x12 0x80 0xbf]\n";
	}
	close $f;
	my @out = split /^\ts_nop 0x1234\n/m, `$llvm/llvm-mc --disassemble -triple=amdgcn-amd-amdhsa \\
		-mcpu=gfx950 < $dir/in 2>/dev/null`, -1;
	die "llvm-mc stopped" if @out != @codes + 1;
	pop @out;
	return map { text_of($_, $dwords) } @out;
}


# The first instruction, '' if it is not valid or has the wrong size: the instructions after it
# show the size.
sub text_of {
	my ($out, $dwords) = @_;
	my ($text, @after) = split /\n\t?/, $out =~ s/^\t//r;
	return '' if !defined $text || $text =~ m{/\*} || ($dwords == 2 && @after != 4 && @after != 3);
	return $text;
}

# Splits "name operand, operand modifiers" into name, operands and the rest.
sub parts {
	my ($name, $rest) = split ' ', $_[0], 2;
	my @operand;
	$rest //= '';
	while ($rest =~ s/^((?:[-|]|neg\()?(?:[vsa](?:\[[\d:]+\]|\d+)|vcc|off|-?[\d.]+|0x[0-9a-f]+|lit\(\w+\)|sext\(.*?\)|
		hwreg\(.*?\)|sendmsg\(.*?\)|gpr_idx\(.*?\)|(?!gds)[a-z]\w*(?=,|$))\|?\)?)(?:,[ ]|(?=[ ]|$))//x) {
		push @operand, $1;
		last if $rest =~ /^ /;
	}
	return ($name, \@operand, $rest);
}

# ---- one opcode ----

# Values of the register fields, those with more registers first.
sub fillings {
	my ($base, %field) = @_;
	my @l = ([ $base, 0, {} ]);
	for my $name (sort keys %field) {
		my ($lo, $w, @c) = @{ $field{$name} };
		@l = map { my $b = $_; map { [ $b->[0] | $c[$_] << $lo, $b->[1] + $_, { %{ $b->[2] }, $name => $c[$_] } ] }
			0 .. $#c } @l if @c;
	}
	return sort { $a->[1] <=> $b->[1] } @l;
}

# Classes by what an operand accepts: SGPRs, M0, EXEC, LDS_DIRECT, VGPRs, inline constants.
my %code = (s => 4, m => 124, e => 126, l => 254, v => 256 + 12, i => 133);
my %class = (
	smelvi => 'n', sevi => 'n', smei => 's', sei => 's', sme => 'd', se => 'd', s => 'k',
	sev => 'm', lv => 'l', v => 'v',
);

# Types of constants by the texts of 0.5, 1/(2 pi) and the literals 0x3ff00000, 0x3c00, 0x3f80.
my %type = (
	'0.5 0.15915494 0x3ff00000 0x3c00 0x3f80' => 'w',
	'0.5 0.15915494 lit(0x3ff00000) lit(0x3c00) 0x3f80' => 'h',
	'0.5 0.15915494 lit(0x3ff00000) 0x3c00 lit(0x3f80)' => 'b',
	'0.5 0.15915494 0x3ff00000 lit(0x3c00) 0x3f80' => 'p',
	'0.5 0.15915494 0x3ff00000 0x3c00 lit(0x3f80)' => 'q',
	'0x3800 0x3118 0x0 0x3c00 0x3f80' => 's',
	'0.5 0.15915494309189532 1.0 0x3c00 0x3f80' => 'd',
	'0.5 0.15915494309189532 0x3ff00000 0x3c00 0x3f80' => 'l',
	# no literals
	'0.5 0.15915494 - - -' => 'w', '0x3800 0x3118 - - -' => 's',
);

my %scale = (sbase => 2, srsrc => 4);

# The field of an operand of the base text.
sub field_of {
	my ($token, $i, $filling) = @_;
	if ($token =~ /^[vsa]?\[?(\d+)/) {
		for (sort keys %$filling) {
			return $_ if $filling->{$_} && ($filling->{$_} & 255) * ($scale{$_} // 1) == $1;
		}
		return $token =~ /^s\[0/ ? 'sdst' : '';
	}
	return '';
}

sub size_of { return $_[0] =~ /\[(\d+):(\d+)\]/ ? $2 - $1 + 1 : 1 }

# Probes of an opcode: [ name, code ], disassembled in one run.
sub probes {
	my ($form, $base, $filling, $text, %field) = @_;
	my @probe;
	for my $name (sort keys %field) {
		my ($lo, $w) = @{ $field{$name} };
		next if $name eq 'sel' && $filling->{sel}; # llvm-mc crashes on 7
		push @probe, [ "flip $_", $base ^ 1 << $_ ] for $lo .. $lo + $w - 1;
	}
	if ($field{sc0} && $field{acc}) { # returns to AGPRs, also with SC1
		my $returns = $base ^ 1 << $field{sc0}[0] ^ 1 << $field{acc}[0];
		push @probe, [ 'returns acc', $returns ];
		push @probe, [ 'returns acc sc1', $returns ^ 1 << $field{sc1}[0] ];
	}
	my (undef, $operands) = parts($text);
	for my $i (0 .. $#$operands) {
		my $name = field_of($operands->[$i], $i, $filling);
		my ($lo, $w) = $name eq 'sdst' && $form eq 'VOP3' ? (8, 7) : @{ $field{$name} // [] };
		next if !$lo && !defined $w || $scale{$name};
		if ($field{acc}) { # an odd AGPR, and one of an instruction that returns a value
			my $odd = $base ^ 1 << $lo ^ 1 << $field{acc}[0];
			push @probe, [ "odd $name", $odd ];
			push @probe, [ "returns odd $name", $odd ^ 1 << $field{sc0}[0] ] if $field{sc0};
		}
		my $scalar = $form =~ /^SDWA/ && $name =~ /src[01]/ ? 1 << ($name eq 'src0' ? 55 : 63) : 0;
		($lo, $w) = (9, 8) if $scalar && $name eq 'vsrc1';
		my $rest = ($base | $scalar) & ~(((1 << $w) - 1) << $lo);
		push @probe, map { [ "code $i $_", $rest | $code{$_} << $lo ] } grep { $code{$_} < 1 << $w } keys %code;
		push @probe, [ "code $i half", $rest | 240 << $lo ], [ "code $i pi", $rest | 248 << $lo ] if $w >= 8;
		push @probe, [ "code $i l1", [ $rest | 255 << $lo, 0x3ff00000 ] ],
			[ "code $i l2", [ $rest | 255 << $lo, 0x3c00 ] ],
			[ "code $i l3", [ $rest | 255 << $lo, 0x3f80 ] ] if $w >= 8;
	}
	return @probe;
}

# ---- rows from the texts of probes ----

my $row_format = "MX_TEXT(%-8s 0x%03x, %-34s %-8s %-50s %-30s 0x%x)\n";

# The opcode, and the suffix of its form.
sub name_columns {
	my ($name) = @_;
	my $suffix = $name =~ s/(_(?:e32|e64|sdwa|dpp))$// ? $1 : '';
	return ("$name,", "\"$suffix\",");
}

sub class_of {
	my ($form, $i, $token, $name, $w, $answer, $acc) = @_;
	return 'a' if $token =~ /^a/;
	return $answer->{"code $i i"} && $w == 9 ? 'C' : 'g' if $acc;
	return 'v' if $token =~ /^v/ && $w == 8 && !($form =~ /^SDWA/ && $name =~ /src/);
	my $set = join '', grep { $answer->{"code $i $_"} } qw(s m e l v i);
	$set .= 'v' if $form =~ /^SDWA/;
	$set =~ s/lv?i?v$/'l' . ($set =~ m{i} ? 'vi' : 'v')/e if $form =~ /^SDWA/;
	$set =~ s/^(se?)iv$/$1vi/;
	return 'e' if $set eq 'se' && $token !~ /\[/;
	return $class{$set} // "<$set>";
}

sub type_of {
	my ($i, $answer) = @_;
	my $five = $answer->{"code $i i"} or return '';
	return '' if ((parts($five))[1][$i] // '') ne '5';
	my $key = join ' ', map { my $t = $answer->{"code $i $_"}; $t ? (parts($t))[1][$i] // '?' : '-' } qw(half pi l1 l2 l3);
	return $type{$key} // "<$key>";
}

sub row {
	my ($form, $op, $filling, $text, $answer, %field) = @_;
	my ($name, $operands, $rest) = parts($text);
	my $flip = sub {
		my ($f, $b) = @_;
		return $field{$f} ? $answer->{ 'flip ' . ($field{$f}[0] + ($b // 0)) } : '';
	};
	my $differs = sub { my $t = $flip->(@_); $t && $t ne $text ? $t : '' };
	my $operand_differs = sub {
		my ($i, @f) = @_;
		my $t = $differs->(@f) or return '';
		my $o = (parts($t))[1][$i] // '';
		return $o ne $operands->[$i] ? $o : '';
	};
	my (@out, %seen);
	my $offs = 0;
	for my $i (0 .. $#$operands) {
		my $token = $operands->[$i];
		my $f = field_of($token, $i, $filling);
		$seen{$f} = 1;
		my ($n) = $f =~ /src(\d)/;
		if ($form eq 'SOPC' && $token =~ /^0x/) { push @out, 'ssrc1:G'; next }
		if ($f eq '' || ($form =~ /^SOP[KP]/ && $f ne 'sdst')) {
			my $top = $field{simm16} ? $flip->('simm16', 15) : '';
			push @out,
				$token eq 'vcc' ? ($form eq 'SDWAC' ? 'sdst:V2' : 'vcc') :
				$token =~ /^(hwreg|sendmsg|gpr_idx)/ ? "simm16:$1" :
				$token eq 'off' ? ($form =~ /BUF/ ? 'vaddr:B' : $form eq 'SCRATCH' && !$offs++ ? 'addr:W' :
					$form eq 'SCRATCH' ? 'saddr:O1' : $flip->('saddr') ? 'saddr:O2' : 'saddr:o2') :
				$form eq 'SMEM' ? 'offset:M' :
				$form =~ /^SOP[KP]/ ? ($token eq '0x0' ? 'simm16:x' : $token eq '0.0' || $i && $name =~ /imm32/ ? 'literal:L' :
					($top // '') =~ /32768/ ? 'simm16:u' : 'simm16:t') :
				$form eq 'VOP2' ? 'literal:K' : "<$token>";
			next;
		}
		my $w = $f eq 'sdst' && $form eq 'VOP3' ? 7 : $field{$f}[1];
		my $acc = $form eq 'VOP3P' ? ($f =~ /^(vdst|src2)$/ ? $operand_differs->($i, 'clamp') :
			$operand_differs->($i, 'op_sel_hi', $n)) : $field{acc} ? $operand_differs->($i, 'acc') : '';
		$acc = '' if $acc !~ /^a/;
		if ($form eq 'SMEM' && $token =~ /^\d/) { push @out, 'sdata:U'; next }
		my $size = size_of($token);
		my $class = $f eq 'sbase' || $f eq 'srsrc' ? 'd' : $f eq 'addr' && $form eq 'GLOBAL' ? 'A' :
			class_of($form, $i, $token, $f, $w, $answer, $acc);
		if ($class eq 'g' && $size > 1) {
			$class = $flip->($f) ? 'G' : $answer->{"odd $f"} ? 'h' : $answer->{"returns odd $f"} ? 'r' : 'g';
		}
		my $mods = $n =~ /\d/ && $operand_differs->($i, $field{"neg$n"} ? "neg$n" : ('neg', $n)) =~ /-/ ? 'm' : '' if defined $n;
		$mods = 'n' if $mods && $form eq 'VOP3' && ($out[1] // '') =~ /^sdst/;
		$mods = 'x' if defined $n && $field{"sext$n"} && $operand_differs->($i, "sext$n");
		my $if = $f eq 'vdata' && $field{lds} && $differs->('lds') ? '!lds' : '';
		$size = 'z' if $name =~ /f8f6f4/ && defined $n && $n < 2;
		push @out, "$f:$class$size" . type_of($i, $answer) . ($mods // '') . $if;
	}
	if ($field{sc0} && (my $t = $differs->('sc0'))) { # an atomic that returns
		my $o = (parts($t))[1];
		my $class = !$answer->{'returns acc'} ? 'q' : !$answer->{'returns acc sc1'} ? 'Q' : 'r';
		unshift @out, "vdst:$class" . size_of($o->[0]) . '?sc0' if @$operands && @$o > @$operands;
	}

	# bits that must be zero
	my $zero = 0;
	for my $f (keys %field) {
		my ($lo, $w, @c) = @{ $field{$f} };
		next if @c && $seen{$f} || $f eq 'ctrl' || $f eq 's0' || $f eq 's1' ||
			$f =~ /^(gds|sel)$/ && $filling->{$f} || $f eq 'saddr' && $form ne 'FLAT';
		for ($lo .. $lo + $w - 1) { $zero |= 1 << $_ unless $answer->{"flip $_"} }
	}
	for my $b (0, 1) { $zero |= 1 << (55 + 8 * $b) if $field{"s$b"} && !$differs->("s$b") && !$flip->("s$b") }

	my @mods;
	my $mod = sub { my ($f, $b, $re) = @_; my $t = $differs->($f, $b) // ''; return $t =~ $re };
	my $list = sub { # a modifier that prints a list of bits
		my ($f, $what) = @_;
		for my $b (0, 1) { my $t = $differs->($f, $b); return split /,/, $1 if $t && $t =~ / $what:\[([\d,]+)\]/ }
		return ();
	};
	if ($form =~ /^VOP3/) {
		my $mfma = $name =~ /mfma|smfmac/ && $name !~ /ld_scale/;
		push @mods, 'bitop3' if $mod->('neg', 0, qr/bitop3/);
		if (!$mfma && ($out[1] // '') !~ /^sdst/) {
			if (my @o = $list->('op_sel', 'op_sel')) {
				push @mods, 'op_sel:' . ($form eq 'VOP3' ? @o - 1 : scalar @o);
			}
			push @mods, 'fi' if $mod->('op_sel', 0, qr/ fi:1/);
			if ($form eq 'VOP3P' && (my @o = $list->('op_sel_hi', 'op_sel_hi'))) {
				push @mods, 'op_sel_hi:' . @o . ($rest =~ /op_sel_hi/ ? 'p' : '');
			}
			if (my @o = $list->('neg', 'neg_lo')) { push @mods, 'neg_lo:' . @o, 'neg_hi:' . @o }
			push @mods, 'clamp' if $mod->('clamp', 0, qr/ clamp/);
			push @mods, 'omod' if $field{omod} && $mod->('omod', 0, qr/ mul:2/);
		} elsif (!$mfma) {
			push @mods, 'clamp' if $mod->('clamp', 0, qr/ clamp/);
			push @mods, 'omod' if $mod->('omod', 0, qr/ mul:2/);
		} else {
			push @mods, 'cbsz' if $mod->('neg_hi', 0, qr/ cbsz:1/);
			push @mods, 'abid' if $mod->('op_sel', 0, qr/ abid:1/);
			push @mods, 'blgp' if $mod->('neg', 0, qr/ blgp:1/);
			push @mods, 'neg' if $mod->('neg', 0, qr/ neg:\[1,0,0/);
		}
	} elsif ($form =~ /^SDWA/) {
		push @mods, 'clamp' if $field{clamp} && $mod->('clamp', 0, qr/ clamp/);
		push @mods, 'omod' if $field{omod} && $mod->('omod', 0, qr/ mul:2/);
		push @mods, $rest =~ /dst_sel/ ? ('dst_sel', 'dst_unused') : @out && $form eq 'SDWA1' ? 'dst_dword' : ();
		push @mods, 'src0_sel' if $rest =~ /src0_sel/;
		push @mods, 'src1_sel' if $rest =~ /src1_sel/;
	} elsif ($form =~ /^DPP/) {
		push @mods, !@out || $flip->('ctrl') ? 'dpp' : 'dpp64';
	} elsif ($form eq 'DS') {
		push @mods, 'offset' if $mod->('offset', 0, qr/ offset:1/);
		push @mods, 'swizzle' if $mod->('offset', 0, qr/ swizzle|offset:swizzle/);
		push @mods, 'offset01' if $mod->('offset', 0, qr/ offset0:/);
		push @mods, 'gds' if $filling->{gds};
	} elsif ($form =~ /^(FLAT|SCRATCH|GLOBAL|M.BUF)$/) {
		push @mods, grep { $field{$_} && $differs->($_) } qw(format idxen offen offset sc0 nt sc1 lds);
		@mods = grep { $_ ne 'lds' } @mods if $form eq 'SCRATCH';
	} elsif ($form eq 'SMEM') {
		push @mods, 'glc' if $differs->('glc');
	} elsif ($form eq 'SOPP' && $rest =~ /cnt/) {
		push @out, 'simm16:waitcnt';
	} elsif ($form eq 'SOPP' && !@out && $differs->('simm16')) {
		push @mods, 'simm16';
	}
	return sprintf $row_format, "$form,", $op, name_columns($name), '"' . join(' ', @out) . '",',
		'"' . join(' ', @mods) . '",', $zero;
}

# The matrix instructions with a scale prefix: the rows of the plain instructions with two
# more operands.
sub scaled_row {
	my ($plain, $op) = @_;
	my ($text) = texts(2, [ 0x020100 << 32 | 0xd3ac0000, 0xd3800800 | $op << 16, 0x04420100 ]);
	my ($name) = $text =~ /^(v_mfma_scale\w+)/ or return ();
	my ($operands) = $plain =~ /"(vdst[^"]*)"/;
	return sprintf $row_format, 'SCALED,', $op, name_columns($name), "\"$operands scale0:v1 scale1:v1\",",
		'"op_sel:3 op_sel_hi:3p cbsz blgp",', 0;
}

# ---- the whole file ----

my $version = `$llvm/llvm-mc --version` =~ /version (\S+)/ ? $1 : 'unknown';
print <<"END";
/* Every opcode of gfx950 and the form of LLVM's text. Made by
 *     tests/isa/gfx950_sweep.pl > ref/isa/encoding/gfx950.def
 * with llvm-mc $version; tests/isa/disasm.t compares it with a fresh sweep.
 *
 *   MX_TEXT  format, opcode, name, suffix of the name, operands, modifiers, bits that must be zero
 *
 * Operands, in the order of the text: field:class, size in dwords, type of constants, and
 *   m   NEG and ABS apply       n  only NEG     x  SEXT applies
 *   ?f  only if field f is set  !f only if it is clear
 * Classes:
 *   v VGPR   a AGPR   g VGPR or AGPR by the ACC bit   C as g, or a constant
 *   G, h, r  as g, but groups may begin at an odd register: all groups, groups of AGPRs,
 *            groups of AGPRs if SC0 is set
 *   q, Q     as r, but ACC must be clear: always, if SC1 is set
 *   n any source   s scalar source   d SGPR, M0 or EXEC   e SGPR or EXEC   k SGPR
 *   l VGPR or LDS_DIRECT   m lane mask   V lane mask of SDWA's comparisons
 *   A, B, W, O, o  addresses: of GLOBAL, of buffers, of SCRATCH, and SADDR (o: not EXEC)
 *   M offset of SMEM   G of SSRC1 index modes   K, L, U numbers
 * Size z: by the element format. SIMM16 has the kind of its text instead of a class.
 * Types of constants: w 32 bits, h f16, s i16, b bf16, p pair of f16, q pair of bf16,
 * d f64, l i64.
 *
 * Modifiers, in the order of the text. A list of bits has its number of sources, and p if
 * all ones are the default. dst_dword: DST_SEL must be DWORD and is not printed. */
END

for my $form (@ARGV ? @ARGV : @forms) {
	my ($fixed, $low, $ops, $dwords, %field) = @{ $format{$form} };
	my (@tried, @code);
	for my $op (@$ops) {
		my @f = fillings($fixed | $op << $low, %field);
		push @tried, map { [ $op, @$_ ] } @f;
	}
	my @text = texts($dwords, map { $_->[1] } @tried);
	my %base;
	for my $i (0 .. $#tried) {
		$base{ $tried[$i][0] } //= [ @{ $tried[$i] }[ 1, 3 ], $text[$i] ] if $text[$i] ne '';
	}
	my (@probe, @of);
	for my $op (sort { $a <=> $b } keys %base) {
		my @p = probes($form, @{ $base{$op} }, %field);
		push @probe, @p;
		push @of, ($op) x @p;
	}
	my %answer;
	my @reply = texts($dwords, map { $_->[1] } @probe);
	$answer{ $of[$_] }{ $probe[$_][0] } = $reply[$_] for 0 .. $#probe;
	my %row = map { $_ => row($form, $_, @{ $base{$_} }[ 1, 2 ], $answer{$_}, %field) } keys %base;
	my @list = sort { $a <=> $b } keys %row;
	print @row{@list};
	print map { scaled_row($row{$_}, $_) } grep { $row{$_} =~ /f8f6f4/ } @list;
}
