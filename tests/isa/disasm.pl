# Shared by the tests of the disassembler: our texts of encodings and llvm-mc's, and random bits.
use strict;
use warnings;
no warnings 'portable';
use Test::More;
use File::Temp 'tempdir';
require './tests/files.pl';
require './tests/tiers.pl';

my $build = $ENV{BUILD} || 'build';
my $llvm = llvm();
my $dir = tempdir(CLEANUP => 1);

# The folder of LLVM 22; skips the test if there is none.
sub llvm22 {
	plan skip_all => 'no LLVM 20 or newer' unless $llvm;
	chomp(my $version = (`$llvm/llvm-mc --version` =~ /version (\S+)/)[0] // '');
	plan skip_all => "the texts are LLVM 22's, not $version\'s" unless $version =~ /^22\./;
	return $llvm;
}

# Lists of texts, one per line of dwords; the last is 'invalid' if the line is not valid to its
# end.
sub ours {
	my $arch = shift =~ s/,.*//r;
	open my $f, '>', "$dir/ours" or die;
	print $f "$_\n" for @_;
	close $f;
	return map { [ split /\n/ ] } split /\n\n/, `$build/tests/isa/disasm_test.t text $arch < $dir/ours`;
}

# Each line is a separate block in llvm-mc's input, which ends at the first warning, and a mark
# follows it. A remark in the text also means invalid. White space does not count.
sub theirs {
	my $arch = shift;
	open my $f, '>', "$dir/theirs" or die;
	for (@_) {
		my $bytes = join ' ', map { map { "0x$_" } reverse /../g } split;
		print $f "[$bytes]\n[0x34 0x12 0x80 0xbf]\n";
	}
	close $f;
	my ($cpu, $attributes) = split /,/, $arch, 2;
	my @out = split /^\ts_nop 0x1234\n/m, `$llvm/llvm-mc --disassemble -triple=amdgcn-amd-amdhsa \\
		-mcpu=$cpu -mattr=@{[ $attributes // '' ]} < $dir/theirs 2>$dir/warnings`, -1;
	die 'llvm-mc stopped after ' . $_[ @out - 1 ] if @out != @_ + 1;
	open my $w, '<', "$dir/warnings" or die;
	my %warned = map { /^<stdin>:(\d+):\d+: warning/ ? (($1 - 1) / 2 => 1) : () } <$w>;
	return map { [ remarks($out[$_] . ($warned{$_} ? "\tinvalid\n" : '')) ] } 0 .. $#_;
}

sub remarks {
	my @text = map { s/^\t//r =~ s/  +/ /gr =~ s/ $//r } split /\n/, $_[0];
	for (0 .. $#text) {
		return (@text[ 0 .. $_ - 1 ], 'invalid') if $text[$_] =~ m{/\*};
	}
	return @text;
}

# Lists, [ what it is, line ... ], each a test; llvm-mc runs once for all. arch: a processor, and after
# a comma attributes for llvm-mc.
sub compare {
	my ($arch, @lists) = @_;
	my @all = map { @$_[ 1 .. $#$_ ] } @lists;
	my @ours = ours($arch, @all);
	my @theirs = theirs($arch, @all);
	for (@lists) {
		my ($what, @lines) = @$_;
		my $n = @lines;
		compare_list($what, \@lines, [ splice @ours, 0, $n ], [ splice @theirs, 0, $n ]);
	}
}

sub compare_list {
	my ($what, $lines, $ours, $theirs) = @_;
	my @differ = grep { join("\n", @{ $ours->[$_] // [] }) ne join("\n", @{ $theirs->[$_] }) } 0 .. $#$lines;
	my $valid = grep { $_->[0] ne 'invalid' } @$theirs;
	ok(!@differ, sprintf '%s: %d texts, %d of them valid, equal those of llvm-mc', $what,
		scalar @$lines, $valid);
	return unless @differ;
	diag(scalar(@differ) . ' differ, first:');
	my $n = $ENV{DISASM_SHOW} || 1;
	for (@differ[ 0 .. ($n < @differ ? $n : @differ) - 1 ]) {
		diag("$lines->[$_]\n  ours   " . join(' | ', @{ $ours->[$_] // [] }) . "\n  LLVM's " .
			join(' | ', @{ $theirs->[$_] }));
	}
}

# ---- random encodings ----

my $seed = 0x2545f4914f6cdd1d;

sub rnd { # xorshift64*
	use integer;
	$seed ^= $seed >> 12 & 0xfffffffffffff;
	$seed ^= $seed << 25;
	$seed ^= $seed >> 27 & 0x1fffffffff;
	return $seed * 0x2545f4914f6cdd1d >> 32 & 0xffffffff;
}

# Random bits: all; few; three even VGPRs, or with few other bits; bytes that are even, or zero.
sub bits {
	my ($style) = @_;
	return rnd() if $style == 0;
	return rnd() & rnd() & rnd() if $style == 1;
	return rnd() & rnd() & 0xfefefefe & (0, 0xff, 0xff00, 0xffff, 0xff000000, 0xff0000ff, 0xff00ffff, ~0)[ rnd() & 7 ]
		if $style == 2;
	my $vgprs = rnd() & 0xfe | (rnd() & 0xfe) << 9 | (rnd() & 0xfe) << 18 | 0x04020100;
	return $style == 3 ? $vgprs : $vgprs | rnd() & rnd() & 0xf8000000;
}

1;
