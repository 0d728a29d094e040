#!/usr/bin/perl
# The test harness prints the skipped tests, with their reasons, after the last lines of prove.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($dir, $status, $out, $err);

spew("$dir/one.t", qq(print "ok 1\\nok 2 - a # SKIP no csmith\\nok 3 - b # skip no csmith\\n1..3\\n"));
spew("$dir/all.t", qq(print "1..0 # SKIP no LLVM\\n"));
spew("$dir/none.t", qq(print "ok 1\\n1..1\\n"));
spew("$dir/wrong.t", qq(print "not ok 1\\nok 2 # SKIP no csmith\\n1..2\\n"));

sub prove {
	my @tests = map { "$dir/$_.t" } @_;
	local $ENV{PERL5LIB} = 'tests/lib';
	return run('prove', '--harness', 'Skips', '-j2', @tests);
}

is(prove('one', 'all', 'none'), 0, 'tests that pass or are skipped pass');
like($out, qr/\nResult: PASS\nSkipped: 1 file and 2 tests\n  no LLVM: 1 file\n  no csmith: 2 tests\n\z/,
	'skipped tests are counted by reason, after the result') or diag $out;
is(prove('none'), 0, 'a run without a skip');
like($out, qr/\nResult: PASS\nSkipped: nothing\n\z/, 'reports that') or diag $out;
isnt(prove('one', 'wrong'), 0, 'a test that fails fails the run');
like($out, qr/\nResult: FAIL\nSkipped: 3 tests\n  no csmith: 3 tests\n\z/, 'and the skipped tests are still reported')
	or diag $out;

my ($command) = `make -n check-nightly B=build` =~ /.*MXCHECK_NIGHTLY=1 (.*prove .*)/;
like($command // '', qr/PERL5LIB=tests\/lib prove --harness Skips /, 'the test targets of the Makefile use the harness');
done_testing();
