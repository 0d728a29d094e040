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

# A bundle of code objects, the entries [id, bytes] [Clang Offload Bundler, "Bundled Code Object
# Layout"]. clang-offload-bundler is in a Debian package that the project does not need.
sub bundle_of {
	my (@entries) = @_;
	my ($at, $table) = (4096, '');
	for (@entries) {
		my ($id, $bytes) = @$_;
		$table .= pack('Q<3', $at, length $bytes, length $id) . $id;
		$at += length $bytes;
	}
	my $head = '__CLANG_OFFLOAD_BUNDLE__' . pack('Q<', scalar @entries) . $table;
	return pack('a4096', $head) . join '', map { $_->[1] } @entries;
}

# The bundle that a HIP program registers.
sub hip_bundle {
	my ($code) = @_;
	return bundle_of([ 'host-x86_64-unknown-linux-gnu-', '' ], [ 'hipv4-amdgcn-amd-amdhsa--gfx950', $code ]);
}

# The folder that ci/package/llvm.sh finds, or an empty text. It starts clang, so it runs once:
# `make check` passes its result in LLVM_FOUND.
sub llvm {
	chomp($ENV{LLVM_FOUND} = `ci/package/llvm.sh 2>/dev/null`) if !defined $ENV{LLVM_FOUND};
	return $ENV{LLVM_FOUND};
}

1;
