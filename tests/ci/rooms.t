#!/usr/bin/perl
# Calls go down: the archive of a room uses nothing of the rooms above it; the linker checks it.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

# What each room may use, from the Makefile itself.
my $makefile = `make -np setup B=$build`;
my %uses = $makefile =~ /^USES_(\w+) := (.*)$/mg;
my %archive = map { $_ => "$build/lib$_.a" } qw(codeobject mxref kernels cases probe oracle fuzz ci);
my %above  = (
	codeobject => [qw(mxref kernels cases probe oracle fuzz ci)],
	mxref   => [qw(codeobject kernels cases probe oracle fuzz ci)],
	kernels => [qw(cases probe oracle fuzz ci)],
	cases   => [qw(codeobject kernels probe oracle fuzz ci)],
	probe   => [qw(codeobject kernels oracle fuzz ci)],
	oracle  => [qw(codeobject fuzz ci)],
	fuzz    => [qw(probe ci)],
);

# ---- by nm ----

sub symbols {
	my ($files, @options) = @_;
	run('nm', '-P', @options, @$files) == 0 or BAIL_OUT("@$files: $err");
	return map { /^(\w+) [^A]/ ? $1 : () } split /\n/, $out; # A: the name of a version
}

my %defined = map { $_ => { map { $_ => 1 } symbols([ $archive{$_} ], '-g', '--defined-only') } }
	keys %archive;
for my $room (sort keys %above) {
	my %needs = map { $_ => 1 } symbols([ $archive{$room} ], '-u');
	my @upwards = map {
		my $higher = $_;
		map { "$higher: $_" } grep { $defined{$higher}{$_} } sort keys %needs
	} @{ $above{$room} };
	is_deeply(\@upwards, [], "$room uses nothing of @{$above{$room}}");
}

my @exact = glob "$build/oracle/exact/*.o";
my %own   = map { $_ => 1 } symbols(\@exact, '-g', '--defined-only');
my %needed   = map { $_ => 1 } symbols(\@exact, '-u');
my @borrowed = grep { my $s = $_; !$own{$s} && grep { $_->{$s} } values %defined } sort keys %needed;
is_deeply(\@borrowed, [ 'mx_cpu_ask', 'mx_cpu_chosen' ],
	'oracle/exact, ' . @exact . ' objects, uses of other files here only the query of the host CPU');

is_deeply([ grep { !/^(?:hip|__hip|mxhip)[A-Z]/ } symbols([ "$build/libmxhip.so" ], '-D', '--defined-only') ],
	[], 'libmxhip.so exports the HIP API and its own API, nothing of the emulator');

# ---- code objects have one reader ----

chomp(my @sources = `git ls-files '*.c' '*.h'`);
@sources = grep { !m{^(?:tests|kernels/(?!host)\w+|cases/foreign)/} } @sources;
my %readers;
for (@sources) {
	$readers{$_} = 1 if slurp($_) =~ /^#include <(?:gelf|libelf|elf|msgpack)\b/m;
}
my %source = map { my $object = "$build/" . s/c$/o/r; -e $object ? ($object => $_) : () } grep { /c$/ } @sources;
run('nm', '-P', '-A', '-u', sort keys %source) == 0 or BAIL_OUT($err);
$readers{ $source{$1} } = 1 while $out =~ /^(\S+): (?:g?elf|msgpack)_/mg;
ok(@sources > 100 && %readers, @sources . ' files are looked at');
is_deeply([ grep { !m{^ref/codeobject/} } sort keys %readers ], [],
	'only ref/codeobject uses libelf and msgpack-c');

# ---- the rooms of the emulator: the Makefile links each only with those below it ----

my @isa = $makefile =~ /^ISA\s*:=\s*(.*)$/m ? split ' ', $1 : BAIL_OUT('the Makefile has no ISA');
my %height = map { $isa[$_] => $_ } 0 .. $#isa;
is_deeply([ sort keys %height ], [ sort map { m{ref/isa/(\w+)/$} } glob 'ref/isa/*/' ], 'each folder of ref/isa is a room');
my @included;
for my $file (glob 'ref/isa/*/*.[ch]') {
	my ($room) = $file =~ m{ref/isa/(\w+)/};
	push @included, map { $height{$_} > $height{$room} ? "$file: $_" : () }
		slurp($file) =~ m{^#include "\.\./(\w+)/}mg;
}
is_deeply(\@included, [], 'no room of the emulator includes a header of a room above it');
is_deeply([ grep { !-e "$build/rooms/$_.so" } @isa ], [], 'each links with the rooms below it: ' . join ' ', @isa);

# ---- by the linker ----

sub links {
	my ($function, $room) = @_;
	my $source = spew("$dir/call.c", "void $function(void);\nint main(void) { $function(); }\n");
	my @objects = split ' ', $uses{$room} // BAIL_OUT("the Makefile has no USES_$room");
	my @sanitizers = split ' ', $ENV{SAN} // '';
	return run('cc', '-Wl,-S', '-o', "$dir/call", $source, @objects, '-pthread', @sanitizers) == 0;
}

for ([ 'isa', 'kernels', 'mx_device_open' ], [ 'isa', 'cases', 'mx_case_load' ],
	[ 'cases', 'kernels', 'mx_module_launch' ], [ 'kernels', 'cases', 'mx_plan_make' ],
	[ 'cases', 'oracle', 'mx_bench_make' ], [ 'oracle', 'fuzz', 'mx_race' ],
	[ 'cases', 'codeobject', 'mx_codeobject_open' ], [ 'cases', 'kernels', 'mx_codeobject_open' ],
	[ 'fuzz', 'ci', 'mx_options_parse' ]) {
	my ($low, $high, $function) = @$_;
	ok(links($function, $high), "$function links with what $high may use") or diag $err;
	ok(!links($function, $low) && $err =~ /undefined reference to [`']$function'/,
		"it does not with what $low may use") or diag $err;
}

# ---- the top ----

# Outside a repository, as in a release, there is nothing to list.
my %top = map { m{^([^/]+)} ? ($1 => 1) : () } split /\n/, `git ls-files 2>/dev/null`;
is(join(' ', grep { !/^\./ } sort keys %top), 'CHANGELOG.md CONTRIBUTING.md LICENSE Makefile README.md cases ci fuzz kernels oracle ref tests', 'no file or room was added at the top') if %top;

# ---- kernels ----

my $llvm = llvm();
my %kernels;
# The kernels of corunners/ and probe/ belong to mxcheck: it launches them and does not judge them.
run("$llvm/llvm-readelf", '--notes', grep { !m{/(?:corunners|probe)/} } glob "$build/kernels/*/*.co");
$kernels{$_} = 1 for $out =~ /^ +\.name: +(\w+)/mg;
my $program = slurp($mxcheck);
is_deeply([ grep { index($program, $_) >= 0 } sort keys %kernels ], [],
	'mxcheck contains no name of a kernel: ' . join ' ', sort keys %kernels);

done_testing();
