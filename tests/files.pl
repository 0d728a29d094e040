# Reads and writes whole files.
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

1;
