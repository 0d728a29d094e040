#!/usr/bin/perl
# The fuzz targets return for any input: kernels, earlier results of fuzzing (tests/fuzz/found), and
# spoilt copies of both. MXCHECK_LONG: more copies, other seeds.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

my @objects = (glob("$build/tests/hip/*.co"), glob("$build/kernels/broken/loose_wait.co"));
my $more    = is_long() ? 120 : 1;
my @seed    = is_long() ? ('-s', time) : ();
my $llvm = llvm();

# The bytes of a section or note, as files of at most $size bytes each.
sub pieces {
	my ($bytes, $name, $size) = @_;
	return map { spew("$dir/$name.$_", substr $bytes, $_ * $size, $size) }
		0 .. (length($bytes) - 1) / $size;
}

my (@notes, @code);
for my $i (0 .. $#objects) {
	run("$llvm/llvm-objcopy", "--dump-section=.text=$dir/text", "--dump-section=.note=$dir/note",
		$objects[$i], "$dir/copy") == 0 or BAIL_OUT($err);
	push @notes, pieces(substr(slurp("$dir/note"), 20), "note$i", 1 << 20);
	push @code, grep { /[0-7]$/ } pieces(slurp("$dir/text"), "text$i", 512);
}

# Input of the command line: an array, a journal, and arguments; the first byte of these selects their
# parser (fuzz/targets/text.c).
my $array = "$dir/array.npy";
mxcheck('quant', '--format', 'E2M1', '1', '2', '-o', $array, '--scales', "$dir/scales.npy") == 0 and
	mxcheck('--device', 'emu', '--race', 70, '--resume', "$dir/journal", 'gemm/mxfp4_f32/1x1x32/exact') == 0
	or BAIL_OUT($err);
my $n = 0;
my @texts = map { spew("$dir/text" . $n++, $_) } (
	"#1.5e-40", "\$0x7,2,0*30", "%sequential,pattern=5a,late,odd=3,order=2,0.2\@118>1,0.1\@47/2+wait",
	"&stream,tenant=64,flush", "'3,0,0:2", '(ceildiv(M,128)*roundup(K/32,8)+min(1,-2)%3', ')8h',
	"q--format\nE2M1\n--recipe\nfloor\n1\n-2.5\n0x3F800000", "d--format\nE4M3\n0x38\n0*3,5",
	"m--format\nE2M1,E4M3\n--a\n0x7,2\n--b\n1*32\n--sa\n0x80\n--c\n1e30\n--explain",
);

for ([ commands => 3, grep { -s $_ < 6000 } @objects, glob "$build/kernels/*/mxfp8*.co" ],
	[ case => 5, glob 'cases/*/*.yaml' ], [ npy => 500, $array ], [ journal => 50, "$dir/journal" ],
	[ text => 300, @texts ], [ codeobject => 150, @objects ], [ metadata => 1500, @notes ], [ instruction => 10, @code ],
	[ execute => 20, @code ]) {
	my ($target, $copies, @inputs) = @$_;
	my @found = glob "tests/fuzz/found/$target/*";
	run("$build/fuzz/targets/$target", @seed, '-n', $copies * $more, @inputs, @found);
	is("$status $out", '0 ' . ((1 + $copies * $more) * (@inputs + @found)) . " inputs\n",
		"$target returns") or diag "@seed $err";
}
done_testing;
