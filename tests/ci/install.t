#!/usr/bin/perl
# make install: everything is there, runs as any user wherever the tree stands, and can be compiled
# against; make uninstall leaves nothing.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Find;
use File::Glob qw(:bsd_glob); # of a path with spaces
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

my @make = ('make', '--no-print-directory', "B=$build", "DESTDIR=$dir/stage", 'PREFIX=/usr/local');

sub files {
	my @found;
	return () unless -d $_[0];
	find(sub { push @found, $File::Find::name if !-d $_ || -l $_ }, $_[0]);
	return sort @found;
}

is(run('sh', '-c', 'umask 077; exec "$@"', 'sh', @make, 'install'), 0, 'make install installs')
	or BAIL_OUT($err);
# Moved, so that nothing can depend on where it was installed, to a path with spaces.
mkdir "$dir/opt of all";
rename "$dir/stage/usr/local", "$dir/opt of all/m x" or BAIL_OUT($!);
my $at = abs_path("$dir/opt of all/m x");

# ---- mxcheck ----

mxcheck('--list');
my $list = $out;
is(run("$at/bin/mxcheck", '--list'), 0, 'the installed mxcheck lists') or diag $err;
is($out, $list, '  the same cases');
my $quick = () = $list =~ m{^gemm/mxfp8_scratch/}mg;
SKIP: {
	my @as_user = qw(setpriv --reuid=65534 --regid=65534 --clear-groups);
	skip 'only root can become another user', 4 if $> or run(@as_user, 'true');
	mkdir "$dir/a folder of a user";
	chown 65534, 65534, "$dir/a folder of a user";
	chmod 0755, $dir, "$dir/opt of all";
	my @there = ('sh', '-c', 'cd "$0" && exec "$@"', "$dir/a folder of a user", @as_user, 'env', '-i');
	is(run(@there, "$at/bin/mxcheck", '--device', 'emu', 'gemm/mxfp8_scratch'), 0, '  another user runs it in a folder with spaces')
		or diag $out, $err;
	like($out, qr/^$quick passed, 0 failed,/m, '  and all runs of a case pass');
	is($err, '', '  with nothing on stderr');
	is(run(@there, "$at/bin/mxcheck", '--device', 'emu', '--save', 'what is left',
			'gemm/mxfp4_f32/1x1x32/exact'), 0, '  and --save writes there') or diag $err;
}
my $twin = abs_path("$build/kernels/broken/store_past_m.co");
run("$at/bin/mxcheck", 'run', '--case', "$at/share/mxcheck/cases/gemm/mxfp4_f32.yaml", '--co', $twin,
	'--device', 'emu', '*/129x128x256/exact');
my ($reproduce) = $out =~ /^ *reproduce: (.*)$/m;
is(run('sh', '-c', $reproduce // 'false'), 1, '  and the command that reproduces a failure does')
	or diag $out, $err;
unlink grep { !m{/mxfp4_f32\.yaml$} } glob "$at/share/mxcheck/cases/*/*.yaml";
run("$at/bin/mxcheck", '--list');
unlike($out, qr{^(?!gemm/mxfp4_f32/)}m, '  it uses its own cases');
is(run("$at/bin/mxcheck", '--device', 'emu', 'gemm/mxfp4_f32/1x1x32/exact'), 0, '  runs one')
	or diag $out, $err;
rename "$at/lib/mxcheck", "$at/lib/away";
is(run("$at/bin/mxcheck", '--device', 'emu', 'gemm/mxfp4_f32/1x1x32/exact'), 2,
	'  not without its own kernels');
rename "$at/lib/away", "$at/lib/mxcheck";
rename "$at/lib/libmxhip.so", "$at/lib/away";
is(run("$at/bin/mxcheck", '--device', 'emu', 'gemm/mxfp4_f32/1x1x32/exact'), 77,
	'  nor without its own emulator');
rename "$at/lib/away", "$at/lib/libmxhip.so";
is(run("$at/bin/mxcheck", 'quant', '--format', 'E2M1', '6'), 0, '  and quantises') or diag $err;
like($out, qr/ 0x7F +0x7 /, '  6 to 0x7');

# ---- the library ----

sub symbols {
	run('nm', '-D', '-P', '--defined-only', $_[0]);
	return map { /^(\w+) / ? $1 : () } split /\n/, $out;
}
my @exported = symbols("$at/lib/libmxref.so");
my %public = map { $_ => 1 } slurp('ref/mxref.h') =~ /^MXREF_API[^;]*?\b(mx_\w+)\(/mg;
is_deeply([ sort @exported ], [ sort keys %public ],
	'libmxref.so exports what mxref.h declares, no more');
my $man = slurp("$at/share/man/man3/mxref.3");
is_deeply([ grep { $man !~ /\b$_\b/ } @exported ], [], 'mxref(3) has each of them');
run('readelf', '-d', "$at/lib/libmxref.so");
like($out, qr/SONAME.*\[libmxref\.so\.\d+\]/, 'its soname has a version');

# The flags of mxref.pc, by pkg-config where it is installed.
sub flags {
	local $ENV{PKG_CONFIG_PATH} = "$at/lib/pkgconfig";
	my @options = @_;
	return map { s/\\(.)/$1/gr } $out =~ /((?:\\.|\S)+)/g
		if run('sh', '-c', 'command -v pkg-config') == 0 and
		run('pkg-config', @options, 'mxref') == 0;
	my %field = slurp("$at/lib/pkgconfig/mxref.pc") =~ /^(Cflags|Libs|Libs\.private): (.*)$/mg;
	my $text = join ' ', $field{Cflags}, $field{Libs},
		"@options" =~ /static/ ? $field{'Libs.private'} : ();
	return map { s/\$\{includedir\}/$at\/include/r =~ s/\$\{libdir\}/$at\/lib/r }
		split ' ', $text;
}

# The expected output: quantize_row by hand; two_profiles, the first difference and their number, by
# exact fractions in Python, with elements decoded by ml_dtypes.
my $instrumented = run('sh', '-c', 'nm "$1" | grep -q __asan_', '-', "$at/lib/libmxref.a") == 0;
for my $example ($instrumented ? () : map { m{(\w+)\.c$} } glob 'ref/examples/*.c') {
	my @cc = ('cc', '-Wall', '-Wextra', '-Werror', "ref/examples/$example.c", '-o',
		"$dir/$example");
	is(run(@cc, flags('--cflags', '--libs')), 0,
		"$example compiles against the installed tree") or diag $err;
	{
		local $ENV{LD_LIBRARY_PATH} = "$at/lib";
		is(run("$dir/$example"), 0, '  runs with the shared library') or diag $err;
	}
	my $shared = $out;
	is($shared, slurp("tests/ci/examples/$example.txt"), '  and prints the expected text');
	is(run(@cc, map { s/^-lmxref$/-l:libmxref.a/r } flags('--static', '--cflags',
		'--libs')), 0, '  links the static library') or diag $err;
	is(run("$dir/$example"), 0, '  and runs with it');
	is($out, $shared, '  with the same output');
}

# ---- the manual pages ----

SKIP: {
	skip 'no groff here', 2 if run('sh', '-c', 'command -v groff');
	for (glob "$at/share/man/man*/*") {
		run('groff', '-man', '-ww', '-z', $_);
		is("$status$err", '0', m{([^/]+)$} && "$1 is set without a warning");
	}
}

# ---- uninstall ----

rename "$at", "$dir/stage/usr/local";
is(run(@make, 'uninstall'), 0, 'make uninstall') or diag $err;
is_deeply([ files("$dir/stage") ], [], '  leaves no file');
is_deeply([ grep { /mxcheck|mxref/ } map { glob "$dir/stage/usr/local/$_" } qw(* */*) ], [],
	'  nor a folder of ours');

done_testing();
