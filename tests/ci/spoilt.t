#!/usr/bin/perl
# Code objects with a wrong field: every command that reads them prints one line with the error and
# exits with 2; what can be read is read up to the end of the file.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

# A small kernel, of which the mutants take little time.
my $object = "$build/kernels/foreign/mxfp8_asm.co";
my $good   = slurp($object);
my @case   = ('--case', 'cases/foreign/mxfp8_asm.yaml', '--race', 1, 'foreign/mxfp8_asm/16x16x128/exact');

# ---- fields of an ELF file: [offset, type for pack] [ELF-64 object file format] ----

my ($shoff) = unpack 'Q<', substr $good, 40, 8;
my ($entry, $count, $names) = unpack 'v3', substr $good, 58, 6;
my %section;
sub field { my ($at, $type) = @_; return unpack $type, substr $good, $at, 8 }
sub header { return $shoff + $entry * $_[0] }
for my $i (0 .. $count - 1) {
	my $name = field(header($names) + 24, 'Q<') + field(header($i), 'V');
	$section{ unpack 'Z*', substr $good, $name } //= $i;
}
my $text = header($section{'.text'});
my ($address, $bytes) = (field($text + 16, 'Q<'), field($text + 32, 'Q<'));

# The offset of the first code symbol in the symbol table.
sub symbol {
	my $table = header($section{'.symtab'} // $section{'.dynsym'});
	my ($at, $n) = (field($table + 24, 'Q<'), field($table + 32, 'Q<') / 24);
	my ($i) = grep { field($at + 24 * $_ + 6, 'v') == $section{'.text'} &&
		(field($at + 24 * $_ + 4, 'C') & 15) < 3 } 1 .. $n - 1;
	return $at + 24 * $i;
}
my %field = (
	st_value => [ symbol() + 8, 'Q<' ], st_size => [ symbol() + 16, 'Q<' ],
	sh_addr => [ $text + 16, 'Q<' ], sh_offset => [ $text + 24, 'Q<' ],
	sh_size => [ $text + 32, 'Q<' ], ei_data => [ 5, 'C' ], e_shoff => [ 40, 'Q<' ],
	e_shnum => [ 60, 'v' ], e_shstrndx => [ 62, 'v' ],
	sh_entsize => [ header($section{'.symtab'} // $section{'.dynsym'}) + 56, 'Q<' ],
);

sub spoil {
	my ($name, $value) = @_;
	my ($at, $type) = @{ $field{$name} };
	my $copy = $good;
	my $new  = pack $type, $value;
	substr($copy, $at, length $new) = $new;
	return spew("$dir/spoilt.co", $copy);
}

sub commands {
	my ($co) = @_;
	return (map { [ $_, $co ] } qw(lint isa disasm)), [ 'mutate', @case, '--co', $co ];
}

# ---- refused ----

for ([ st_value => $address + 1, 'at no whole dword of its section .text' ],
	[ st_value => $address + $bytes + 4, 'at no whole dword' ],
	[ st_value => $address - 4, 'at no whole dword' ], [ st_value => ~0 - 3, 'at no whole dword' ],
	[ sh_addr => $address + (1 << 60), 'at no whole dword' ],
	[ sh_addr => $address + 2, 'does not begin at a whole dword' ],
	[ sh_addr => ~0 - 3, 'ends beyond the last address' ],
	[ sh_offset => field($text + 24, 'Q<') + 1, 'does not begin at a whole dword' ],
	[ sh_offset => 1 << 60, 'does not lie in the file' ], [ sh_size => ~0, 'does not lie in the file' ],
	[ sh_size => 0, 'at no whole dword' ], [ ei_data => 2, 'ELF' ]) {
	my ($name, $value, $why) = @$_;
	my $co = spoil($name, $value);
	my @wrong;
	for my $c (commands($co)) {
		mxcheck(@$c);
		my $said = $c->[0] eq 'mutate' || $err =~ /\Q$why/; # the runtime has its own message
		push @wrong, "@$c: exit $status: $err"
			if $status != 2 || !$said || $err !~ /\A[^\n]+\n\z/;
	}
	ok(!@wrong, sprintf 'an object with %s 0x%x is refused: %s', $name, $value, $why) or diag @wrong;
}

# ---- read as far as it goes, or refused ----

for ([ st_size => ~0 ], [ st_size => ~0 - $address + 1 ], [ st_size => 3 ], [ st_size => 1 << 40 ],
	[ st_value => $address + $bytes ], [ sh_size => 4 ], [ sh_size => $bytes - 3 ], [ e_shnum => 0 ],
	[ e_shnum => 1 ], [ e_shnum => 65535 ], [ e_shoff => ~0 ], [ e_shoff => 3 ],
	[ e_shstrndx => 65535 ], [ e_shstrndx => 1 ], [ sh_entsize => 1 ], [ sh_entsize => ~0 ],
	[ sh_entsize => 0 ]) {
	my ($name, $value) = @$_;
	my $co    = spoil($name, $value);
	my @wrong = grep {
		mxcheck(@$_);
		$status > 4 || ($status == 2) != ($err =~ /\A[^\n]+\n\z/)
	} commands($co);
	ok(!@wrong, sprintf 'an object with %s 0x%x is read or refused', $name, $value)
		or diag map { "@$_\n" } @wrong;
}

# ---- truncated files ----

for my $n (63, 64, length($good) - 1) {
	my $cut = spew("$dir/cut.co", substr $good, 0, $n);
	my %said = map { mxcheck(@$_); $err =~ /(\Q$cut\E: .*)/ ? ($1 => 1) : () }
		commands($cut), [ 'run', @case, '--co', $cut ];
	is_deeply([ keys %said ], ["$cut: truncated ELF file"], "every command says the same of the first $n bytes");
}

# ---- bundles ----

sub bundle {
	my ($id) = @_;
	return spew("$dir/bundle.co", bundle_of([ $id, $good ]));
}

for my $c (qw(lint isa disasm)) {
	my $of_bundle = mxcheck($c, bundle('hipv4-amdgcn-amd-amdhsa--gfx950')) . $out;
	my $of_object = mxcheck($c, $object) . $out;
	s/\S+\.co// for $of_bundle, $of_object;
	is($of_bundle, $of_object, "$c reads the code object in a bundle");
	mxcheck($c, bundle('hipv4-amdgcn-amd-amdhsa--gfx942'));
	is("$status$err", "2mxcheck $c: $dir/bundle.co: bundle has no code for gfx950:sramecc+:xnack-, only: " .
		"hipv4-amdgcn-amd-amdhsa--gfx942\n", '  and refuses a bundle without one');
}

my @run = ('run', '--case', 'cases/foreign/mxfp8_asm.yaml', 'foreign/mxfp8_asm/16x16x128/exact', '--co');
is(mxcheck(@run, bundle('hipv4-amdgcn-amd-amdhsa--gfx950')), mxcheck(@run, $object),
	"run takes the code object in a bundle: exit $status") or diag $err;

# ---- files that are not code objects ----

my @none = ([ "$dir/nothing.co", 'No such file or directory' ], [ $dir, 'Is a directory' ],
	[ spew("$dir/empty.co", ''), 'not a 64-bit little-endian ELF file' ]);
push @none, [ '/dev/zero', 'File too large' ] if $ENV{MXCHECK_LONG};
for (@none) {
	my ($file, $why) = @$_;
	my @wrong;
	for my $c (qw(lint isa disasm)) {
		mxcheck($c, $file);
		push @wrong, "$c: exit $status: $err"
			if $status != 2 || $err !~ /\Amxcheck $c: \Q$file\E: [^\n]*\Q$why\E\n\z/;
	}
	ok(!@wrong, "$file is refused: $why") or diag @wrong;
}
done_testing();
