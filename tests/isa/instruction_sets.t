#!/usr/bin/perl
# The rooms of ref/isa in which nothing, or little, is of one instruction set: the files that name
# gfx950, its counters, streams, registers or MODE are listed here, and so are those in which
# MX_LANES, the room of a register, is more than the size of an array.
use strict;
use warnings;
use Test::More;
require './tests/files.pl';

my @core = grep { !m{/gfx\d+\w*\.[ch]$} }
	(glob('ref/isa/{machine,schedule,uninit,race,lint,launch}/*.[ch]'),
	'ref/isa/encoding/instruction_set.h', 'ref/isa/encoding/program.c', 'ref/isa/encoding/control_flow.c');
my %code = map {
	my $text = slurp($_);
	$text =~ s{/\*.*?\*/}{}gs;
	($_ => $text);
} @core;

my @names_one = grep {
	$code{$_} =~ /gfx950|vmcnt|lgkmcnt|MX_(?:COUNTER|STREAM)_[A-Z]|MX_MODE_|MX_[VA]GPRS\b|MX_LDS_MAX/
} @core;
is_deeply([ sort @names_one ], [
	'ref/isa/encoding/instruction_set.h',    # declares mx_gfx950
	'ref/isa/launch/instruction_sets.c',     # lists the sets
	'ref/isa/launch/launch.h',               # declares the start of a wave
	'ref/isa/schedule/flow.c',               # has handlers of its branches and of VSKIP
], 'four files of ' . @core . ' name gfx950 or what it alone has');

my @loops = grep { $code{$_} =~ /(?<!\[)\bMX_LANES\b/ } @core;
is_deeply([ sort @loops ], [
	'ref/isa/machine/registers.h',           # writes all of a register
	'ref/isa/race/accesses.c',               # addresses of all lanes, then a mask
	'ref/isa/race/footprint.c',              # the same
	'ref/isa/schedule/course_result.c',      # copies all of a register
	'ref/isa/schedule/stall.c',              # a hash of all of a register
	'ref/isa/uninit/sums_lanes.c',           # sums of all lanes, whichever count
], 'MX_LANES is no size of a wave');

# ---- all rooms: the files that name one of the sets, beside those that have its name ----

my @all = grep { !m{gfx\d\w*\.[ch]$} } glob 'ref/isa/*/*.[ch]';
sub naming {
	my ($set) = @_;
	return map { s{^ref/isa/}{}r } grep { slurp($_) =~ s{/\*.*?\*/}{}gsr =~ /$set/i } @all;
}
my @both = qw(alu/functions.h encoding/decode.h encoding/disasm.c encoding/disasm.h encoding/disasm_modifier.c
	encoding/disasm_names.c encoding/formats.c encoding/formats.h encoding/instruction_set.h
	launch/instruction_sets.c schedule/flow.c waitstates/hazard.c waitstates/hazard.h);
is_deeply([ naming('gfx1250') ], [ sort @both, 'encoding/disasm_operand.c' ],
	@both + 1 . ' of ' . @all . ' files of the emulator name gfx1250');
is_deeply([ naming('gfx950') ], [ sort @both, qw(alu/hwreg.c alu/relative.c alu/vector.h encoding/agprs.c
	encoding/decode.c encoding/optable.c launch/launch.h memory/banks.c memory/ds.h
	waitstates/hazard_traits.c) ], @both + 10 . ' name gfx950');

# ---- the share of common code: lines of C by room. A file is of one set if it has its name, or names it alone ----

my (%lines, %all);
for my $file (glob 'ref/isa/*/*.[ch]') {
	my ($room) = $file =~ m{^ref/isa/(\w+)/};
	my $named = $file . (slurp($file) =~ s{/\*.*?\*/}{}gsr);
	my @sets = grep { $named =~ /$_/i } qw(gfx950 gfx1250);
	my $of = @sets == 1 ? $sets[0] : 'both';
	$_->{$of} += slurp($file) =~ tr/\n// for $lines{$room} //= {}, \%all;
}
sub columns { return sprintf "%-10s %6d %6d %7d\n", $_[0], map { $_[1]{$_} // 0 } qw(both gfx950 gfx1250) }
note("lines of C   both gfx950 gfx1250\n", (map { columns($_, $lines{$_}) } sort keys %lines), columns('all', \%all));
ok($all{gfx1250} && $all{both} > .85 * ($all{both} + $all{gfx950} + $all{gfx1250}), 'more than 85 % of the lines are for both sets');

ok(@core > 50 && !grep({ !length } values %code), 'files were read');
done_testing;
