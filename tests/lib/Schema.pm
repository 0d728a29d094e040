# Checks a value against a JSON schema: the keywords that the schemas here use. Others are an error.
package Schema;
use strict;
use warnings;
use JSON::PP;

my %annotation = map { $_ => 1 } qw($schema title description definitions);

my %is = (
	object  => sub { ref $_[0] eq 'HASH' },
	array   => sub { ref $_[0] eq 'ARRAY' },
	boolean => sub { JSON::PP::is_bool($_[0]) },
	string  => sub { defined $_[0] && !ref $_[0] && !is_number($_[0]) },
	number  => sub { !ref $_[0] && is_number($_[0]) },
	integer => sub { !ref $_[0] && is_number($_[0]) && $_[0] == int $_[0] },
);

# JSON::PP keeps numbers as numbers.
sub is_number { return defined $_[0] && JSON::PP->new->allow_nonref->encode($_[0]) =~ /^-?\d/ }

sub same { return JSON::PP->new->allow_nonref->canonical->encode($_[0]) eq JSON::PP->new->allow_nonref->canonical->encode($_[1]) }

# Each returns the first fault as text, or nothing.
my %keyword;
%keyword = (
	type  => sub { my ($v, $t) = @_; return $is{$t}->($v) ? () : "is no $t" },
	const => sub { my ($v, $c) = @_; return same($v, $c) ? () : "is not $c" },
	enum  => sub { my ($v, $all) = @_; return (grep { same($v, $_) } @$all) ? () : 'is not in the list' },
	minimum  => sub { my ($v, $m) = @_; return $is{number}->($v) && $v < $m ? "is below $m" : () },
	pattern  => sub { my ($v, $p) = @_; return $is{string}->($v) && $v !~ /$p/ ? "does not match $p" : () },
	minItems => sub { my ($v, $n) = @_; return ref $v eq 'ARRAY' && @$v < $n ? "has less than $n items" : () },
	maxItems => sub { my ($v, $n) = @_; return ref $v eq 'ARRAY' && @$v > $n ? "has more than $n items" : () },
	required => sub { my ($v, $names) = @_; return ref $v eq 'HASH' ? map { exists $v->{$_} ? () : "has no $_" } @$names : () },
	properties => sub {
		my ($v, $p, $all) = @_;
		return ref $v eq 'HASH' ? map { exists $v->{$_} ? within(".$_", fault($v->{$_}, $p->{$_}, $all)) : () } sort keys %$p : ();
	},
	additionalProperties => sub {
		my ($v, $s, $all, $self) = @_;
		my @more = ref $v eq 'HASH' ? grep { !exists $self->{properties}{$_} } sort keys %$v : ();
		return map { $s ? within(".$_", fault($v->{$_}, $s, $all)) : "has $_" } @more;
	},
	items => sub {
		my ($v, $s, $all) = @_;
		return ref $v eq 'ARRAY' ? map { within("[$_]", fault($v->[$_], $s, $all)) } 0 .. $#$v : ();
	},
	anyOf => sub { my ($v, $s, $all) = @_; return (grep { !fault($v, $_, $all) } @$s) ? () : 'is none of the alternatives' },
	oneOf => sub { my ($v, $s, $all) = @_; return 1 == grep({ !fault($v, $_, $all) } @$s) ? () : 'is not one of the alternatives' },
	'$ref' => sub { my ($v, $name, $all) = @_; return fault($v, $all->{definitions}{ $name =~ s{^#/definitions/}{}r }, $all) },
);

sub within { my ($place, $fault) = @_; return defined $fault ? "$place$fault" : () }

# The first fault of a value, with its place; or nothing.
sub fault {
	my ($value, $schema, $all) = @_;
	$all //= $schema;
	for my $k (sort keys %$schema) {
		next if $annotation{$k};
		my $check = $keyword{$k} or die "keyword $k of the schema is not known here";
		my ($first) = $check->($value, $schema->{$k}, $all, $schema);
		return $first =~ /^[.[]/ ? $first : " $first" if defined $first;
	}
	return;
}

1;
