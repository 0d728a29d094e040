#!/usr/bin/perl
# The fuzz targets return, whatever they are given: kernels, what fuzzing found before
# (tests/fuzz/found), and spoilt copies of both. MXCHECK_LONG: more copies, other seeds.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

my @objects = (glob("$build/tests/hip/*.co"), glob("$build/kernels/broken/loose_wait.co"));
my $more    = is_long() ? 100 : 1;
my @seed    = is_long() ? ('-s', time) : ();
chomp(my $llvm = `ci/llvm.sh`);

# A section's or note's bytes as files of at most so many bytes each.
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

for ([ codeobject => 1000, @objects ], [ metadata => 10000, @notes ], [ instruction => 20, @code ],
	[ execute => 40, @code ]) {
	my ($target, $copies, @inputs) = @$_;
	my @found = glob "tests/fuzz/found/$target/*";
	run("$build/fuzz/targets/$target", @seed, '-n', $copies * $more, @inputs, @found);
	is("$status $out", '0 ' . ((1 + $copies * $more) * (@inputs + @found)) . " inputs\n",
		"$target returns") or diag "@seed $err";
}
done_testing;
