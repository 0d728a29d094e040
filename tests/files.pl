# Shared by all scripts: whole files, and the LLVM that compiles the kernels.
use strict;
use warnings;

sub slurp {
	my ($file) = @_;
	open my $f, '<:raw', $file or die "$file: $!";
	local $/;
	return <$f> // '';
}

sub spew {
	my ($file, $bytes) = @_;
	open my $f, '>:raw', $file or die "$file: $!";
	print $f $bytes;
	close $f or die "$file: $!";
	return $file;
}

# The folder that ci/package/llvm.sh finds, or an empty text. It starts clang twice, so it runs once:
# `make check` passes its result in LLVM_FOUND.
sub llvm {
	chomp($ENV{LLVM_FOUND} = `ci/package/llvm.sh 2>/dev/null`) if !defined $ENV{LLVM_FOUND};
	return $ENV{LLVM_FOUND};
}

1;
