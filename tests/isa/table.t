#!/usr/bin/perl
# Only the tables of ref/isa/encoding describe opcodes: no other code compares names of opcodes or
# addresses of handlers, or extracts fields from an instruction's dwords. Only the operands of a
# decoded instruction name its registers.
use strict;
use warnings;
use Test::More;
require './tests/files.pl';

my @sources = grep { !m{^ref/isa/encoding/} } glob('ref/isa/*/*.[ch] fuzz/*/*.[ch] ci/*/*.[ch] oracle/*.[ch]');
my %mnemonic = map { $_ => 1 } slurp('ref/isa/encoding/gfx950.def') =~ /^MX_TEXT\(\w+, *\w+, (\w+),/mg;
my $compare = qr/\b(?:str\w*cmp|strstr|strspn)\s*\(/;
my %described = (
	'compares the name of an opcode' => qr/$compare[^;]*\bop->name/,
	'compares a string with the name of an opcode' =>
		qr/$compare[^;]*"((?:[sv]|ds|buffer|tbuffer|global|flat|scratch)_\w*)"/,
	'compares a handler' => qr/->handlers?(?:\[[^\]]*\])?\s*[!=]=|[!=]=\s*mx_(?:x|exec)_\w+/,
	'takes a field from a dword' => qr/->dwords\[\d\]\s*(?:>>|&)/,
);
for my $what (sort keys %described) {
	my @found;
	for my $file (@sources) {
		my $text = slurp($file);
		while ($text =~ /$described{$what}/g) {
			push @found, $file . ':' . (1 + substr($text, 0, $-[0]) =~ tr/\n//);
		}
	}
	is_deeply(\@found, [], "no code outside ref/isa/encoding $what");
}
ok(keys(%mnemonic) > 1200 && @sources > 100, @sources . ' files, ' . keys(%mnemonic) . ' opcodes');

my $opcodes = slurp('ref/isa/encoding/opcodes.def');
my @rows = $opcodes =~ /^MX_(?:(?:SALU|FLOW|VALU|VCMP|MATRIX|MEMORY|LDS|ATOMIC)\(\w+, |SMEM_\w+\()(\w+),/mg;
my %times;
$times{$_}++ for @rows;
is_deeply([ grep { $times{$_} > 1 } sort keys %times ], [], 'no opcode has two rows');
is_deeply([ $opcodes =~ /^MX_(?:SALU|FLOW|VALU|VCMP|MATRIX|MEMORY|LDS|ATOMIC)\((\w+, *(?:0x)?\d+,.*)$/mg ], [],
	'opcode numbers are in gfx950.def alone');
unlike(slurp('ref/num/cvt.def'), qr/0x|^MX_CVT\(\w+, *\d/m, 'conversions too have their numbers there');

# ---- one list of operands ----
my ($fields) = slurp('ref/isa/encoding/inst.h') =~ /^struct mx_inst \{\n(.*?)^\};/ms;
is_deeply([ $fields =~ /^\s*uint16_t (.*);/mg ], [ 'registers', 'ctrl' ],
	'in mx_inst no field beside the operands has the width of a register');
is_deeply([ $fields =~ /\bstruct mx_operand (.*);/g ], ['operand[MX_MAX_OPERANDS]'], 'and there is one list of them');
unlike($fields, qr/\b[sv]?(?:dst|src|data|addr|base|rsrc|scale)\d?(?:\[\d\])?[,;]/, 'nor the name of one');
my $makes = qr/\bmx_set_operand\s*\(|(?:->|\.)operand\[[^;]*?\](?:\.\w+)?\s*=[^=]/;
my @makers = grep { slurp($_) =~ $makes } glob('ref/isa/*/*.c fuzz/*/*.c ci/*/*.c');
is_deeply(\@makers, ['ref/isa/encoding/operands.c'], 'one file makes operands');
done_testing;
