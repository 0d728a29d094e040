#!/usr/bin/perl
# Compares the decoder with llvm-objdump on every compiled kernel: the same instructions at
# the same offsets, with the same size, and no unknown instruction.
use strict;
use warnings;
use Test::More;
use File::Temp 'tempdir';
require './tests/files.pl';
require './tests/tiers.pl';

my $build = $ENV{BUILD} || 'build';
my $llvm = llvm();
my %arch_of = map { my $arch = $_; map { $_ => $arch } kernels($build, $arch) } qw(gfx950 gfx1250);
my @objects = sort keys %arch_of;
@objects = @objects[ grep { $_ % 8 == 0 } 0 .. $#objects ] unless is_long(); # disasm.t has each instruction of all
plan skip_all => 'no LLVM 20 or newer' unless $llvm;
plan skip_all => "no code objects in $build/kernels" unless @objects;
my $dir = tempdir(CLEANUP => 1);

# Each file's .text: address, offset in the file and size.
my (%text, %listing, $file);
for (`$llvm/llvm-readelf -S --wide @objects`) {
	$file = $1 if /^File: (.*)/;
	$text{$file} = [ map { hex } $1, $2, $3 ] if / \.text +PROGBITS +(\w+) (\w+) (\w+)/;
}
for my $arch (qw(gfx950 gfx1250)) { # llvm-objdump reads all files as code of the first one's
	for (`$llvm/llvm-objdump -d --section=.text @{[ grep { $arch_of{$_} eq $arch } @objects ]}`) {
		$file = $1 if /^(\S+):\s+file format/;
		push @{ $listing{$file} }, $_ if defined $file;
	}
}

# offset => "mnemonic, bytes"
sub theirs {
	my ($object) = @_;
	my %at;
	for (@{ $listing{$object} }) {
		next unless /^\s+(\S+).*\/\/ ([0-9A-F]+): ([0-9A-F ]+)/;
		my ($name, $offset, @dwords) = ($1, hex($2) - $text{$object}[0], split ' ', $3);
		$name =~ s/_(e32|e64|sdwa|dpp)$//;
		$name =~ s/^v_dual\K_.*//; # one opcode of ours
		$name =~ s/^s_code_end$/unknown/; # padding, which does not execute
		$at{$offset} = "$name, " . 4 * @dwords . ' bytes';
	}
	return %at;
}

sub ours {
	my ($object) = @_;
	my (undef, $offset, $size) = @{ $text{$object} };
	spew("$dir/text", substr slurp($object), $offset, $size);
	return map { my ($at, $bytes, $name) = /^(\d+) (\d+) (.*)/; $at => "$name, $bytes bytes" }
		`$build/tests/isa/decode_test.t $arch_of{$object} $dir/text`;
}

for my $object (sort @objects) {
	my (%llvm, %mx) = ();
	%llvm = theirs($object);
	%mx = ours($object);
	my @all = sort { $a <=> $b } keys %{ { %llvm, %mx } };
	my @differ = grep { ($llvm{$_} // 'none') ne ($mx{$_} // 'none') } @all;
	ok(@all && !@differ, "$object: " . @all . ' instructions, the same as llvm-objdump\'s')
		or diag(sprintf 'first at 0x%x: ours %s, LLVM\'s %s', $differ[0] // 0,
		$mx{ $differ[0] // 0 } // 'none', $llvm{ $differ[0] // 0 } // 'none');
}
done_testing;
