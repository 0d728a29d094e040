# The Test Anything Protocol for scripts, with the functions of Test::More that they use. Test::More
# itself takes longer to load than most commands of mxcheck take to run, and each script loads it.
package Tap;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(ok pass fail is isnt like unlike cmp_ok is_deeply diag note explain skip plan BAIL_OUT done_testing);

my ($run, $failed, $planned, $owner) = (0, 0, 0, $$);
open my $tap, '>&', \*STDOUT or die "STDOUT: $!"; # tests may redirect their own
select((select($tap), $| = 1)[0]);

sub lines { return join('', map { $_ // 'undef' } @_) =~ s/\n\z//r =~ s/^/# /mgr . "\n" }
sub note { print $tap lines(@_); return }
sub diag { print STDERR lines(@_); return } # false, as after `or`

sub explain {
	require Data::Dumper;
	local $Data::Dumper::Indent = local $Data::Dumper::Sortkeys = local $Data::Dumper::Terse = 1;
	return map { ref $_ ? Data::Dumper::Dumper($_) : $_ } @_;
}

# One result. What follows the sentence is said if it failed.
sub result {
	my ($good, $sentence, @why) = @_;
	my $todo = do { no strict 'refs'; ${'main::TODO'} };
	my $level = 1;
	$level++ while (caller $level)[0] && (caller $level)[0] eq 'Tap';
	my (undef, $file, $line) = caller $level;
	$run++;
	$failed++ if !$good && !$todo;
	print $tap $good ? '' : 'not ', "ok $run", length($sentence // '') ? ' - ' . $sentence =~ s/#/\\#/gr : '',
		$todo ? " # TODO $todo" : '', "\n";
	my @text = ("  Failed test '" . ($sentence // '') . "'\n  at $file line $line.\n", @why);
	$todo ? note(@text) : diag(@text) if !$good;
	return $good ? 1 : 0;
}

sub shown { return defined $_[0] ? "'$_[0]'" : 'undef' }
sub same { return defined $_[0] && defined $_[1] ? $_[0] eq $_[1] : !defined $_[0] && !defined $_[1] }

sub ok($;$) { return result(@_) }
sub pass(;$) { return result(1, @_) }
sub fail(;$) { return result(0, @_) }

sub is($$;$) {
	my ($got, $want, $sentence) = @_;
	return result(same($got, $want), $sentence, '         got: ', shown($got), "\n    expected: ", shown($want), "\n");
}

sub isnt($$;$) {
	my ($got, $other, $sentence) = @_;
	return result(!same($got, $other), $sentence, '         got: ', shown($got), ", which it must not be\n");
}

sub like($$;$) {
	my ($got, $pattern, $sentence) = @_;
	return result(defined $got && $got =~ $pattern, $sentence, '                  ', shown($got),
		"\n    doesn't match '$pattern'\n");
}

sub unlike($$;$) {
	my ($got, $pattern, $sentence) = @_;
	return result(defined $got && $got !~ $pattern, $sentence, '                  ', shown($got),
		"\n          matches '$pattern'\n");
}

my %compare = (
	'<'  => sub { $_[0] < $_[1] },
	'<=' => sub { $_[0] <= $_[1] },
	'>'  => sub { $_[0] > $_[1] },
	'>=' => sub { $_[0] >= $_[1] },
);

sub cmp_ok($$$;$) {
	my ($got, $how, $limit, $sentence) = @_;
	return result($compare{$how}->($got, $limit), $sentence, '    ', shown($got), " $how ", shown($limit), " is false\n");
}

# Where two structures differ first, and what they have there; nothing if they are equal.
sub difference {
	my ($got, $want, $place) = @_;
	my $kind = ref $want;
	return same($got, $want) ? () : ($place, $got, $want) if !$kind || ref $got ne $kind || $kind !~ /^(?:ARRAY|HASH)$/;
	my @keys = $kind eq 'ARRAY' ? 0 .. (@$got > @$want ? $#$got : $#$want) : do { my %all = (%$got, %$want); sort keys %all };
	for my $key (@keys) {
		my ($in_got, $in_want) = $kind eq 'ARRAY' ? ($key < @$got, $key < @$want) : (exists $got->{$key}, exists $want->{$key});
		my ($x, $y) = map { $kind eq 'ARRAY' ? $_->[$key] : $_->{$key} } $got, $want;
		my $at = $kind eq 'ARRAY' ? "$place\[$key]" : "$place\{$key}";
		return ($at, $in_got ? $x : 'nothing', $in_want ? $y : 'nothing') if !$in_got || !$in_want;
		my @differs = difference($x, $y, $at);
		return @differs if @differs;
	}
	return;
}

sub is_deeply {
	my ($got, $want, $sentence) = @_;
	my ($place, $x, $y) = difference($got, $want, 'it');
	return result(!defined $place, $sentence, defined $place ? ("    first at $place\n         got: ", shown($x), "\n    expected: ", shown($y), "\n") : ());
}

# Leaves the block SKIP.
sub skip {
	my ($reason, $n) = @_;
	print $tap "ok ", ++$run, " # skip $reason\n" for 1 .. $n // 1;
	no warnings 'exiting';
	last SKIP;
}

# The only plan made in advance is to skip the file.
sub plan {
	my ($skip_all, $reason) = @_;
	die "plan: only skip_all\n" if $skip_all ne 'skip_all';
	$planned = 1;
	print $tap "1..0 # SKIP $reason\n";
	exit 0;
}

sub BAIL_OUT {
	print $tap "Bail out!  $_[0]\n";
	exit 255;
}

sub done_testing {
	$planned = 1;
	print $tap "1..$run\n";
	return 1;
}

# A script that fails or ends early does not exit with 0.
END {
	$? = 1 if $$ == $owner && !$? && ($failed || !$planned);
}

1;
