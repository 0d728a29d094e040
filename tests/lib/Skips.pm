# A harness for prove that prints the skipped tests and reasons last: a run with skips is not complete.
package Skips;
use strict;
use warnings;
use parent 'TAP::Harness';

my %skipped; # reason => { tests or files => how many }

sub count {
	my ($what, $reason) = @_;
	$skipped{ $reason || 'no reason given' }{$what}++;
}

sub make_parser {
	my ($self, @job) = @_;
	my ($parser, $session) = $self->SUPER::make_parser(@job);
	$parser->callback(test => sub { count('test', $_[0]->explanation) if $_[0]->has_skip });
	$parser->callback(plan => sub { count('file', $_[0]->explanation) if $_[0]->has_skip });
	return ($parser, $session);
}

sub text_of {
	my ($counts) = @_;
	return join ' and ', map { "$counts->{$_} $_" . ($counts->{$_} > 1 && 's') }
		grep { $counts->{$_} } 'file', 'test';
}

sub summary {
	my ($self, @result) = @_;
	$self->SUPER::summary(@result);
	my %all;
	for my $counts (values %skipped) {
		$all{$_} += $counts->{$_} for keys %$counts;
	}
	print 'Skipped: ', text_of(\%all) || 'nothing', "\n";
	print "  $_: ", text_of($skipped{$_}), "\n" for sort keys %skipped;
}

1;
