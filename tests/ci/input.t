#!/usr/bin/perl
# Bad input: one line on stderr with the error and its location, exit 2, and no output that looks like
# a pass.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

my $gemm = 'cases/gemm/mxfp4_f32.yaml';
my $co   = "$build/kernels/gemm/mxfp4_gemm.co";

sub is_refused {
	my ($sentence, $want, @arguments) = @_;
	mxcheck(@arguments);
	my @wrong;
	push @wrong, "exit $status" if $status != 2;
	push @wrong, 'not one line on stderr' if $err !~ /\A[^\n]+\n\z/;
	push @wrong, "no '$want'" if index($err, $want) < 0;
	push @wrong, 'looks like a pass' if $out =~ /^(?:pass|ok) |[1-9]\d* passed/m;
	ok(!@wrong, "$sentence is refused: $want") or diag "@wrong\n$out$err";
}

# ---- options ----

is_refused('an unknown option', 'mxcheck: --frobnicate: no such option; see mxcheck --help', '--frobnicate');
is_refused('an unknown letter', 'mxcheck: -x: no such option; see mxcheck --help', '-vx');
is_refused('the beginning of two options', 'mxcheck: --sc: several options begin with this', '--sc');
is_refused('an option without its value', 'mxcheck: --seed: its value is missing', '--seed');
is_refused('a value that nothing takes', 'mxcheck: --list: takes no value', '--list=3');
is_refused('--depth alone', 'mxcheck: --depth needs --who', '--depth', '3');
is_refused('--lane alone', 'mxcheck: --lane needs --trace or --break', '--lane', '3');
is_refused('two case files', "--case $gemm: --case x.yaml was given before", 'run', '--case', 'x.yaml', '--case', $gemm);
is_refused("two files of $_", "$_ b.yaml: $_ a.yaml was given before", $_, 'a.yaml', $_, 'b.yaml')
	for '--waive', '--expect';
is_refused('an unknown device', "no device 'gpu': emu, emu:gfx950, emu:gfx1250, hip or hip:N", '--device', 'gpu');
is_refused('an unknown regime', '--regime exakt: not exact, general or special',
	'--regime', 'exakt');
is_refused("--race $_", "--race $_: not a number from 1", '--race', $_) for '0', '-1', '5x', '';
is_refused("--seed $_", "--seed $_: not a number", '--seed', $_)
	for 'abc', '-1', '0x10', '18446744073709551616';
is_refused("--jobs $_", "--jobs $_: not a number from 1 to 1024", '--jobs', $_) for '0', '1025';
is_refused("--shape $_", "--shape $_: not three positive numbers", '--shape', $_)
	for '0,1,32', '1,-1,32', '1,1', '1,1,32,1', '1,1,', 'a,b,c', '1,1,9223372036854775808';
is_refused('a glob that no case matches', "no case matches 'gemm/nothing*'", 'gemm/nothing*');
is_refused('a glob that no case matches, beside one', "no case matches 'gemm/nothing*'", 'gemm/mxfp4_f32/1x1x32/*', 'gemm/nothing*');
is_refused('a glob and a regime that it lacks', 'no case selected: none has the regime special', '--regime', 'special', 'gemm/mxfp4_f32/64x64x256/*');
is_refused('a folder of cases that is missing', "$dir/none: No such file or directory", 'ci', '--base', 'HEAD', '--cases', "$dir/none");
is_refused('a file for a glob', "no case matches '$gemm'; it is a file: --case names a case file", $gemm);
is_refused('run without a case', '--case FILE.yaml is missing', 'run');
is_refused('--case without run', "only with 'mxcheck run'", '--case', $gemm);
is_refused('--co without run', "only with 'mxcheck run'", '--co', $co);

# ---- shapes that the case does not allow ----

is_refused("the shape $$_[0]", $$_[1], '--shape', $$_[0], 'gemm/mxfp4_f32')
	for [ '1,1,33', 'K is 33, must be a multiple of 32' ],
	[ '1099511627776,1,32', 'grid[1]: ceildiv(M, 128) is 8589934592, more than' ],
	[ '1,4611686018427387904,32', 'N = 4611686018427387904 is not in 0 to 2^40' ];

# ---- code objects ----

sub is_no_code_object {
	my ($sentence, $want, $file, @more) = @_;
	is_refused($sentence, $want, 'run', '--case', $gemm, '--co', $file, @more);
}

my $bytes = slurp($co);
is_no_code_object('a missing code object', "$dir/no.co: cannot be read: No such file or directory", "$dir/no.co");
for (0, 3, 63, 1000, length($bytes) / 2, length($bytes) - 1) {
	my $file = spew("$dir/cut.co", substr $bytes, 0, $_);
	is_no_code_object("a code object cut off at byte $_", $file, $file);
}
is_no_code_object('a program of the host', 'ELF of machine 62, not of an AMD GPU', $mxcheck);
is_no_code_object('a case file as code object', 'not a 64-bit little-endian ELF file', $gemm);
is_no_code_object('an object that was not linked', 'link it with ld.lld -shared',
	"$build/kernels/gemm/mxfp4_gemm.elf");
my $nothing = spew("$dir/nothing.c",
	"__attribute__((device_kernel)) void mxfp4_gemm_f32(void) {}\n");
is_no_code_object('a code object for gfx942', 'built for gfx942, the device is gfx950',
	compile($nothing, "$dir/gfx942.co", 'gfx942'));

# ---- case files ----

sub is_no_case {
	my ($sentence, $from, $to, $want) = @_;
	my $text = slurp($gemm);
	my $at   = index $text, $from;
	BAIL_OUT("'$from' is not in $gemm") if $at < 0;
	substr($text, $at, length $from) = $to;
	my $line = 1 + (substr($text, 0, $at) =~ tr/\n//);
	$want =~ s/LINE/$line/;
	my $file = spew("$dir/case.yaml", $text);
	is_refused($sentence, "$file$want", 'run', '--case', $file, '--co', $co);
}

is_refused('a missing case file', "$dir/no.yaml", 'run', '--case', "$dir/no.yaml");
is_refused('a folder as case file', $dir, 'run', '--case', $dir);
is_no_case('a misspelt key', 'buffers:', 'bufers:', ':LINE: unexpected key: bufers');
is_no_case('a misspelt key of a run', 'regime: exact', 'regieme: exact',
	':LINE: unexpected key: regieme');
is_no_case('a misspelt value', 'regime: exact', 'regime: exakt',
	":LINE: regime: 'exakt' is not one of exact, general, special");
is_no_case("a case with the name $$_[0]", 'name: gemm/mxfp4_f32', "name: $$_[0]",
	":LINE: name: '$$_[2]' $$_[1]") for map { [ $$_[0], $$_[1], $$_[2] // $$_[0] =~ s/"//gr ] }
	[ '../../x', 'has a part that begins with . or -' ], [ 'a/../../x', 'has a part that begins' ],
	[ '..', 'has a part that begins' ], [ 'a/./x', 'has a part that begins' ],
	[ 'a/.x', 'has a part that begins' ], [ '"-rf"', 'has a part that begins' ],
	[ 'a/-x', 'has a part that begins' ], [ '/tmp/x', 'has an empty part' ],
	[ 'a//x', 'has an empty part' ], [ 'a/', 'has an empty part' ], [ '/', 'has an empty part' ],
	[ '"a\nx"', 'has a control character', 'a x' ], [ '"a\x1b[2Jx"', 'has a control character', 'a [2Jx' ],
	[ "a'x", 'has one of' ], [ 'a*', 'has one of' ], [ '"a # TODO"', 'has one of' ];
is_no_case('a case with a name that is too long', 'name: gemm/mxfp4_f32', 'name: ' . 'x' x 161, ':LINE: ');
is_refused('--save without a folder', '--save: the folder is missing', '--save', '', 'gemm/mxfp4_f32/1x1x32/exact');

is_no_case('an unknown name in an expression', 'cols: K}', 'cols: Q}',
	": buffers[0].cols: unknown name 'Q'");
is_no_case('an unknown profile', 'profile: block32', 'profile: block33', ": no profile 'block33'");

for ([ 'fives', '; data is a .npy file, zero, poison, random, index or regime' ], [ 'a.npy', "\n" ]) {
	my $file = spew("$dir/case.yaml", slurp($gemm) =~ s/cols: K\}/cols: K, data: $$_[0]}/r);
	is_refused("data $$_[0]", "buffer A: $dir/$$_[0]: No such file or directory$$_[1]", 'run', '--case', $file, '--co', $co,
		'*/1x1x32/exact');
}

my $text = slurp($gemm) =~ s/kernel: mxfp4_gemm_f32/kernel: mxfp4_gem/r;
is_refused('a kernel that is not in the code object', 'no kernel mxfp4_gem in the code object',
	'run', '--case', spew("$dir/case.yaml", $text), '--co', $co);

$text = slurp($gemm) =~ s/^code: .*\n//mr;
my $codeless = spew("$dir/case.yaml", $text);
is_refused('a case without code', 'neither --co nor the key code names one', 'run', '--case', $codeless);
is(mxcheck('run', '--case', $codeless, '--co', $co, '*/1x1x32/*'), 0, 'which --co can give') or diag $out, $err;

done_testing();
