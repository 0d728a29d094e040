#!/usr/bin/perl
# Hand-written kernels: symbols without sizes, and labels without types in the middle. For every
# command that reads code objects, the code of a kernel ends at the next function or at the end of its
# section.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

my $llvm = llvm();
my $co = assemble_file('tests/ci/labels/labels.s', "$dir/labels.co");

# The number of instructions of a code object, by objdump.
sub instructions_of {
	run("$llvm/llvm-objdump", '-d', $_[0]);
	return scalar(() = $out =~ m{^\t\w.*// \w{12}:}mg);
}

# ---- isa ----

my $all = instructions_of($co);
for my $file ($co, "$co.o") {
	is(mxcheck('isa', $file), 0, 'isa reads it' . ($file eq $co ? '' : ' before it is linked'));
	like($out, qr/: 15 exact \($all in all\)/, "  each of its $all instructions counts once");
	my @places = $out =~ / (\w+)\+0x\w+$/mg;
	is_deeply([ grep { !/^(?:first|helper|second)$/ } @places ], [], '  all of them are in functions');
	like($out, qr/^ +1  exact +s_barrier +first\+0x34$/m, '  as are those after a label');
}

# ---- lint ----

for my $file ($co, "$co.o") {
	mxcheck('lint', $file);
	is_deeply([ $out =~ /^((?:kernel|function) .*)$/mg ], [ 'kernel first: 13 instructions',
		'function helper: 3 instructions; 1 indirect jump with an unknown target', 'kernel second: 7 instructions' ],
		'lint follows each function past its labels, once') or diag $out;
}
mxcheck('lint', $co, '--kernel', 'second');
like($out, qr/^kernel second: 7 instructions$/m, '  a kernel without a type is a kernel too');

# ---- disasm ----

run("$llvm/llvm-objdump", '-d', $co);
my %want = map { /^\w+ <(\w+)>:/ ? ($1, $_) : () } $out =~ /^(\w+ <(?:first|second)>:.*?)(?:\n\n\w+ <helper>:|\n*\z)/msg;
for my $name (qw(first second)) {
	mxcheck('disasm', $co, '--kernel', $name);
	my ($got) = $out =~ /^(\w+ <$name>:.*)\n\z/ms;
	is($got, $want{$name}, "disasm prints all of $name, with its labels");
}

# ---- mutate ----

sub mutants_of {
	my ($kernel) = @_;
	my $case = spew("$dir/$kernel.yaml", <<"END");
name: labels
code: labels.co
kernel: $kernel
grid: ["M"]
block: [64]
buffers:
  - {name: OUT, role: none, type: u32, rows: 1, cols: 64}
kernarg:
  - {offset: 0, type: ptr, value: OUT}
verdict: {judge: none}
runs:
  - {M: 1, N: 1, K: 32, regime: exact, tags: [quick]}
END
	mxcheck('mutate', '--case', $case, '-v');
	return [ map { s/;.*//r } $out =~ /^\w[\w ]{10} ($kernel\+.*)$/mg ];
}

is_deeply(mutants_of('first'), [ 'first+0x18 s_nop 2: s_nop 2 -> s_nop 1', 'first+0x18 s_nop 2: s_nop 2 -> s_nop 0',
	'first+0x28 s_waitcnt lgkmcnt(0): lgkmcnt(0) -> lgkmcnt(1)',
	'first+0x28 s_waitcnt lgkmcnt(0): lgkmcnt(0) -> lgkmcnt(15)',
	'first+0x34 s_barrier: s_barrier -> s_nop 0' ],
	'mutate changes code after labels, and not the next function') or diag $out, $err;
like($out, qr/^5 mutants of first /m, '  and counts the mutants');
is(@{ mutants_of('second') }, 2, 'it does so in a kernel without a type') or diag $out, $err;

# ---- kernels from elsewhere ----

my @foreign = glob '../shared/foreign/co/*.co';
SKIP: {
	skip 'no ../shared/foreign: kernels written by hand elsewhere', 1 if !@foreign;
	my @wrong;
	for my $file (@foreign) {
		my $want = instructions_of($file);
		mxcheck('isa', $file);
		my ($last) = $out =~ /^(\d+ distinct instructions: .*)$/m;
		my $got = 0;
		$got += $_ for ($last // '') =~ /\((\d+) in all\)/g;
		mxcheck('lint', $file);
		my @parts = $out =~ /^(?:kernel|function) \S+: (\d+) instructions/mg;
		push @wrong, "$file: isa $got of $want; lint @parts" if $got != $want || "@parts" ne $want;
	}
	is_deeply(\@wrong, [], @foreign . ' of them are one kernel each, of all their instructions');
}
done_testing;
