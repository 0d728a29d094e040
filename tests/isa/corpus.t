#!/usr/bin/perl
# Kernels written from the manual, independent of the race detector: found, missed, accused or wrongly proved.
# `perl tests/isa/corpus.t NAME...` judges only these pairs. Each architecture has a corpus of its own.
use strict;
use warnings;
use Test::More;
use File::Temp 'tempdir';
use JSON::PP;
require './tests/files.pl';
require './tests/tiers.pl';

my $build = $ENV{BUILD} || 'build';
my $long = $ENV{MXCHECK_LONG};
my $seeds = $long ? 20 : 1;
my $dir = tempdir(CLEANUP => 1);
my %folder = (gfx950 => 'tests/isa/corpus', gfx1250 => 'tests/isa/corpus/gfx1250');
my %wave = (gfx950 => 64, gfx1250 => 32);
my $llvm = llvm();
plan skip_all => 'no LLVM 20 or newer' unless $llvm;

# ---- index: name | grid x block | wrong twin | right twin | reason of C, and `todo TWIN: why` below a pair ----

# The first line of a source describes its pair.
sub first_line {
	my ($line) = slurp($_[0]) =~ /^; (.+)/ or die "$_[0]: a first line that starts with ; wanted";
	return $line;
}

sub read_index {
	my ($arch) = @_;
	my $corpus = $folder{$arch};
	my @pairs;
	open my $f, '<', "$corpus/index" or die "$corpus/index: $!";
	while (<$f>) {
		chomp;
		next if /^#|^\s*$/;
		if (/^\s+todo( long)? (\w+): (.+)/) {
			$pairs[-1]{todo}{$2} = $3 if $long || !$1;
			next;
		}
		my ($name, $launch, $wrong, $right, $reason) = split /\s*\|\s*/, $_, 5;
		$reason ||= first_line("$corpus/$name.s");
		my ($grid, $block, $cluster, $tier) = $launch =~ /^(\d+)x(\d+)( cluster)?(?: (long|quick))?$/ or die "$corpus/index:$.: grid x block wanted";
		push @pairs, {arch => $arch, name => $name, grid => $grid, block => $block, cluster => $cluster, tier => $tier // '', wrong => $wrong,
			right => $right, reason => $reason};
	}
	return @pairs;
}

my @pairs = map { read_index($_) } reverse sort keys %folder;
$pairs[$_]{quick} = $pairs[$_]{tier} eq 'quick' || ($_ % 8 == 0 && $pairs[$_]{tier} ne 'long') for 0 .. $#pairs; # of the short tier
my %asked = map { $_ => 1 } @ARGV;
my @twins = map { my $pair = $_; map { {%$pair, twin => $_, expect => $pair->{$_}, symbol => "$pair->{name}_$_"} }
		grep { $pair->{$_} ne '-' } qw(wrong right) } grep { %asked ? $asked{$_->{name}} : $long || $_->{quick} } @pairs;

# ---- code objects: one per group of kernels in assembly, one of all C ----

sub metadata {
	my ($arch, $name, $private, $cluster) = @_;
	my $registers = $arch eq 'gfx950' ? "    .vgpr_count: 128\n    .agpr_count: 128" : '    .vgpr_count: 512';
	$registers .= "\n    .cluster_dims: [2, 1, 1]" if $cluster;
	return <<END;
  - .name: $name
    .symbol: $name.kd
    .kernarg_segment_size: 64
    .kernarg_segment_align: 16
    .group_segment_fixed_size: 16384
    .private_segment_fixed_size: $private
    .wavefront_size: $wave{$arch}
    .sgpr_count: 96
$registers
    .max_flat_workgroup_size: 1024
    .args:
      - {.offset: 0, .size: 64, .value_kind: by_value}
END
}

my $objects = 0;
sub assemble {
	my ($arch, @twins) = @_;
	my $corpus = $folder{$arch};
	my $object = "$dir/" . ++$objects;
	my ($text, $kernels) = ('.include "prelude.inc"' . "\n", '');
	for (@twins) {
		$_->{co} = "$object.co";
		my $private = slurp("$corpus/$_->{name}.s") =~ /\bscratch_/ ? 64 : 0;
		$text .= "\t.set WRONG, " . ($_->{twin} eq 'wrong' || 0) . "\n\tBEGIN $_->{symbol}, $private\n" .
			"\t.include \"$_->{name}.s\"\n\tEND $_->{symbol}\n";
		$kernels .= metadata($arch, $_->{symbol}, $private, $_->{cluster});
	}
	$text .= "\t.amdgpu_metadata\n---\namdhsa.version: [1, 2]\namdhsa.target: amdgcn-amd-amdhsa--$arch\n" .
		"amdhsa.kernels:\n$kernels...\n\t.end_amdgpu_metadata\n";
	spew("$object.s", $text);
	system("$llvm/llvm-mc -triple=amdgcn-amd-amdhsa -mcpu=$arch -filetype=obj -I$corpus $object.s -o $object.elf && " .
		"$llvm/ld.lld -shared $object.elf -o $object.co") == 0 or BAIL_OUT('the corpus does not assemble');
}

# The same C for each architecture.
sub compile {
	my ($arch, @twins) = @_;
	$_->{co} = "$dir/$arch.co" for @twins;
	system("$llvm/clang -x c -std=gnu11 --target=amdgcn-amd-amdhsa -mcpu=$arch -DWAVE=$wave{$arch} -nogpulib -ffreestanding -O2 " .
		"-c $folder{gfx950}/corpus.c -o $dir/c.elf && $llvm/ld.lld -shared $dir/c.elf -o $dir/$arch.co") == 0
		or BAIL_OUT('the corpus does not compile');
}

# ---- runs ----

# One case with a variant for each twin.
sub write_case {
	my ($arch, @twins) = @_;
	my $variants = join '', map { "  - {name: $_->{symbol}, code: $_->{co}, kernel: $_->{symbol}, sizes: {G: $_->{grid}, B: $_->{block}}}\n" } @twins;
	return spew("$dir/$arch.yaml", <<END);
name: corpus
variants:
${variants}grid: [G]
block: [B]
buffers:
  - {name: IN,    role: none, type: u32, rows: 1, cols: 4096, data: random}
  - {name: OUT,   role: none, type: u32, rows: 1, cols: 4096, data: random}
  - {name: FLAGS, role: none, type: u32, rows: 1, cols: 4096, data: zero}
kernarg:
  - {offset: 0,  type: ptr, value: IN}
  - {offset: 8,  type: ptr, value: OUT}
  - {offset: 16, type: ptr, value: FLAGS}
kernarg_size: 64
verdict: {judge: none}
runs:
  - {M: 32, N: 32, K: 32, regime: general}
END
}

# Runs all under one seed. Each twin gets its result: exit status, kinds of findings, whether order is proved.
sub run_all {
	my ($arch, $seed, @twins) = @_;
	my $case = write_case($arch, @twins);
	my $said = `$build/mxcheck run --device emu --jobs 1 --time-out 20 --strict --seed $seed --case $case --json $dir/runs.jsonl 2>&1`;
	my %result;
	for my $run (map { decode_json($_) } split /\n/, slurp("$dir/runs.jsonl")) {
		my ($symbol) = ($run->{name} // '') =~ m{^corpus/(\w+)/} or next;
		my @texts = map { "$_->{kind}: $_->{text}" } @{$run->{findings}};
		my %kinds = map { /^(\S+): \S+\+0x/ ? ($1 => 1) : () } @texts;
		$result{$symbol} = {status => $run->{status}, said => join("\n", @texts), kinds => [sort keys %kinds], proved => $run->{order}{proved}};
	}
	push @{$_->{runs}}, {seed => $seed, %{$result{$_->{symbol}} || BAIL_OUT("$_->{symbol} did not run: $said")}} for @twins;
}

# The verdict of one run. A wrong twin of kind `unproved` has no race: its result depends on the schedule, and only a
# proof would be wrong.
sub word {
	my ($twin, $run) = @_;
	my $fails = $run->{status} != 0;
	if ($twin->{twin} eq 'right') {
		return 'accused' if $fails;
		return $twin->{expect} eq 'proved' && !$run->{proved} ? 'unproved' : 'passed';
	}
	return 'wrongly proved' if !$fails && $run->{proved};
	my %kinds = map { $_ => 1 } split /,/, $twin->{expect};
	return $kinds{unproved} ? 'found' : 'missed' if !$fails;
	return $kinds{unproved} || grep({ $kinds{$_} } @{$run->{kinds}}) ? 'found' : 'found as another kind';
}

my @worst = ('wrongly proved', 'missed', 'accused', 'found as another kind', 'unproved', 'found', 'passed');

sub judge {
	my ($twin) = @_;
	my %seen;
	for my $run (@{$twin->{runs}}) {
		my $word = word($twin, $run);
		$seen{$word} ||= {%$run};
		$seen{$word}{count}++;
	}
	my ($word) = grep { $seen{$_} } @worst;
	return ($word, $seen{$word});
}

for my $arch (sort keys %folder) {
	my (@assembly, @c);
	push @{-e "$folder{$arch}/$_->{name}.s" ? \@assembly : \@c}, $_ for grep { $_->{arch} eq $arch } @twins;
	assemble($arch, splice @assembly, 0, 40) while @assembly;
	compile($arch, @c) if @c;
	for my $seed (1 .. $seeds) {
		my @run = grep { $_->{arch} eq $arch && ($seed == 1 || $_->{tier} ne 'long') } @twins;
		run_all($arch, $seed, @run) if @run;
	}
}

our $TODO;
my %score;
for my $twin (@twins) {
	my ($word, $run) = judge($twin);
	$score{$word}++;
	local $TODO = $twin->{todo}{$twin->{twin}};
	ok($word eq 'found' || $word eq 'passed', "$twin->{arch}: $twin->{name}, $twin->{twin}: $twin->{expect}")
		or diag("$word under $run->{count} of $seeds seeds, first seed $run->{seed}: $twin->{reason}\n$run->{said}");
}
note(scalar(grep { $_->{twin} eq 'wrong' } @twins) . ' wrong and ' . scalar(grep { $_->{twin} eq 'right' } @twins) .
	" right kernels under $seeds seeds: " . join ', ', map { ($score{$_} || 0) . " $_" } reverse @worst);

my %named = map { ("$folder{$_->{arch}}/$_->{name}.s" => 1) } @pairs;
is(join(' ', grep { !$named{$_} } map { glob "$_/*.s" } values %folder), '', 'each index lists its sources');
is_long(); # counts what the short tier leaves out
done_testing;
