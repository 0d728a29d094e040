# Tiers of tests: everything that a test omits to save time counts as one skip.
use strict;
use warnings;
use Test::More;

my %said;

sub tier {
	my ($variable) = @_;
	return 1 if $ENV{$variable};
	SKIP: {
		skip "$variable is not set", 1 unless $said{$variable}++;
	}
	return 0;
}

# Whether tens of minutes may be used (make check-long), or hours (make check-nightly).
sub is_long    { return tier('MXCHECK_LONG') }
sub is_nightly { return tier('MXCHECK_NIGHTLY') }

# The kernels of a build. A broken twin has the instructions of its correct kernel but for a few:
# the short tier takes one of ten. With an architecture: those for it.
sub kernels {
	my ($build, $arch) = @_;
	my @twins = sort glob "$build/kernels/broken/*.co";
	my $nth = is_long() ? 1 : 10;
	my @all = sort((grep { !m{/broken/} } glob "$build/kernels/*/*.co"), @twins[ grep { $_ % $nth == 0 } 0 .. $#twins ]);
	return grep { !$arch || $arch eq (m{/gfx1250[^/]*$} ? 'gfx1250' : 'gfx950') } @all;
}

1;
