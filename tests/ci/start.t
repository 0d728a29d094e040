#!/usr/bin/perl
# What a start of mxcheck does not do: load libraries that the run does not need, read the case
# files that it does not run.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

my $gemm = 'gemm/mxfp4_f32/1x1x32/exact';

# ---- libraries ----

# Those that the loader has initialised in all processes of a command, as "libm".
sub libraries {
	unlink glob "$dir/loaded.*";
	run('env', 'LD_DEBUG=files', "LD_DEBUG_OUTPUT=$dir/loaded", $mxcheck, @_) == 0 or diag $err;
	my @loaded = map { slurp($_) =~ m{calling init: \S*/(lib[a-z]+)[^/\s]*$}mg } glob "$dir/loaded.*";
	return { map { $_ => 1 } @loaded };
}

my @late = qw(libdw libgmp libjansson libmpfr libsqlite);
SKIP: {
	skip 'libraries are loaded at the start: a sanitizer, or no x86-64', 6 if !-s "$build/late.def";
	for my $command ([ '--list' ], [ $gemm ], [ '--no-analysis', $gemm ]) {
		my $all = libraries('--device', 'emu', @$command);
		ok($all->{libm}, "@$command: the loader names the libraries");
		is_deeply([ grep { $all->{$_} } @late, qw(libopenblas libgfortran libxxhash libamdhip) ], [],
			'  and has loaded none that the command does not need');
	}
}
for ([ 'libjansson', '--json' ], [ 'libsqlite', '--history' ]) {
	my ($library, $option) = @$_;
	my $all = libraries('--device', 'emu', $option, "$dir/report$option", $gemm);
	ok(grep(/^$library/, keys %$all), "$option: the run needs $library, and has it");
}

# ---- a library that is missing ----

# A program, with a folder of cases, that looks for a library that does not exist.
run('mkdir', '-p', "$dir/tree/build", "$dir/tree/cases/z", "$dir/tree/cases/dir.yaml") == 0 or BAIL_OUT($err);
my $program = slurp($mxcheck);
my $renamed = -s "$build/late.def" && $program =~ s/libsqlite3\.so/libnotsql3.so/g;
my $own = "$dir/tree/build/mxcheck";
spew($own, $program);
chmod 0755, $own;
SKIP: {
	skip 'libraries are loaded at the start: a sanitizer, or no x86-64', 4 if !-s "$build/late.def";
	ok($renamed, 'the program names the library');
	is(run($own, '--help'), 0, '  and starts without it') or diag $err;
	is(run($own, 'report', "$dir/report--history"), 2, '  and ends where it needs it');
	like($err, qr/\Amxcheck: sqlite3_\w+: libnotsql3\.so\S*: cannot open shared object file[^\n]*\n\z/,
		'  with one line that names it');
}

# ---- case files ----

sub put_case {
	my ($file, $name) = @_;
	spew($file, slurp('cases/gemm/mxfp4_f32.yaml') =~ s/^name: .*/name: $name/mr);
}
my $cases = "$dir/tree/cases";
put_case("$cases/z/one.yaml", 'z/one');
put_case("$cases/dir.yaml/three.yaml", 'dir.yaml/three');
put_case("$dir/elsewhere", 'b');
put_case("$cases/notes.txt", 'notes');
symlink "$dir/elsewhere", "$cases/b.yaml";
symlink '../z', "$cases/z/inside";
symlink 'nowhere', "$cases/none.yaml";
sub names { my %seen; return [ grep { !$seen{$_}++ } run($own, '--list', @_) ? () : $out =~ m{^(\S+?)/\d+x\d+x\d+/}mg ] }
is_deeply(names(), [qw(b dir.yaml/three z/one)],
	'case files are found in the order of names, with those behind links') or diag $err;

# A name may be quoted, or before a comment.
for ([ "'z/quoted'\n", 'z/quoted' ], [ "z/plain # comment\n", 'z/plain' ]) {
	my ($text, $name) = @$_;
	put_case("$cases/z/odd.yaml", $text);
	run($own, '--list', "$name/*");
	like($out, qr{\A\Q$name\E/\d}, "the case '$name' is found by its name") or diag $err;
	unlink "$cases/z/odd.yaml";
}

# Bytes that are not UTF-8, at which a parser fails.
spew("$cases/z/bad.yaml", "name: z/bad\n" . "# a comment\n" x 400 . "title: \xff\n");
is_deeply(names('z/one*'), ['z/one'], 'of a case that no glob can name only the beginning is read') or diag $err;
is(run($own, '--list', 'z/b*'), 2, '  and all of one that a glob can name');
like($err, qr{/cases/z/bad\.yaml:\d+: not YAML}, '  so that its error is found');
done_testing();
