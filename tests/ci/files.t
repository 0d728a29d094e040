#!/usr/bin/perl
# Files that mxcheck writes: a regular file is replaced whole and keeps its permissions, and
# everything else (devices, FIFOs, symbolic links) is written through and stays what it is.
use strict;
use warnings;
use Cwd qw(abs_path);
use POSIX qw(mkfifo);
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

$dir = abs_path($dir);
my $program = abs_path($mxcheck);
my @quant   = ('quant', '--format', 'E2M1', '1', '2', '3', '--scales', "$dir/scales.npy");

# What -o and --scales write for these numbers.
mxcheck(@quant, '-o', "$dir/codes.npy");
my ($codes, $scales) = map { slurp("$dir/$_.npy") } qw(codes scales);

# The kind of a file without following links, and the number of a device.
sub kind { my @s = lstat $_[0]; return @s ? sprintf('%o %d', $s[2] & 0170000, $s[6]) : 'nothing' }

sub temporaries { return grep { m{/\.mxcheck-} } glob "$_[0]/.* $_[0]/*" }

# ---- regular files ----

my $file = spew("$dir/old.npy", 'old');
chmod 0640, $file;
is(mxcheck(@quant, '-o', $file), 0, 'a regular file is replaced') or diag $err;
is(slurp($file), $codes, '  by the whole new one');
is((stat $file)[2] & 07777, 0640, '  which keeps its permissions');
umask 027;
mxcheck(@quant, '-o', "$dir/new.npy");
is((stat "$dir/new.npy")[2] & 07777, 0640, 'a new file has the permissions that umask leaves');
spew($file, 'old');
for ('', 'no/such/folder/x.npy', "$dir/no/x.npy") {
	mxcheck(@quant, '-o', $file, '--scales', $_);
	is("$status " . slurp($file), '2 old', "where --scales '$_' cannot be written, -o is not");
}
mxcheck(@quant, '-o', $file, '--scales', "$dir/../" . ($dir =~ s{.*/}{}r) . '/old.npy');
is("$status " . slurp($file), '2 old', 'two paths to one file are refused');
like($err, qr/is the same file as/, '  for that reason');
run('sh', '-c', 'trap "" XFSZ; ulimit -f 1; exec "$@"', 'sh', $program, @quant, '-o', $file,
	(1) x 3000);
is("$status " . slurp($file), '2 old', 'a file that does not fit leaves the old one');
like($err, qr/\Amxcheck quant: \Q$file\E: cannot be written: [^\n]+\n\z/, '  and gives the reason');

# ---- links ----

for (['absolute', "$dir/target.npy"], ['relative', 'target.npy']) {
	my ($what, $to) = @$_;
	spew("$dir/target.npy", 'old');
	unlink "$dir/link.npy", "$dir/link2.npy";
	symlink $to, "$dir/link.npy";
	symlink 'link.npy', "$dir/link2.npy";
	is(mxcheck(@quant, '-o', "$dir/link2.npy"), 0, "a file is written through $what links")
		or diag $err;
	is(slurp("$dir/target.npy"), $codes, '  and has the bytes');
	ok(-l "$dir/link.npy" && -l "$dir/link2.npy", '  and the links stay');
}
unlink "$dir/target.npy";
is(mxcheck(@quant, '-o', "$dir/link2.npy"), 0, 'a link to a missing file creates the file') or diag $err;
is(-e "$dir/target.npy" && slurp("$dir/target.npy"), $codes, '  with the bytes');
unlink "$dir/link.npy";
symlink 'link2.npy', "$dir/link.npy";
is(mxcheck(@quant, '-o', "$dir/link.npy"), 2, 'links in a circle are refused');
ok(-l "$dir/link.npy", '  and stay');

# ---- devices ----

symlink '/dev/full', "$dir/full.npy";
spew($file, 'old');
is(mxcheck(@quant, '-o', $file, '--scales', "$dir/full.npy"), 2, 'a link to /dev/full fails');
like($err, qr/full\.npy: cannot be written: No space left on device/, '  for that reason');
is(slurp($file), 'old', '  and the other file is not replaced');
ok(-l "$dir/full.npy" && -c '/dev/full', '  and both the link and the device stay');
SKIP: {
	my $node = "$dir/null.npy";
	skip 'no device node can be made here', 3
		if run('mknod', $node, 'c', 1, 3) || run('sh', '-c', ": >'$node'");
	my $was = kind($node);
	is(mxcheck(@quant, '-o', $node), 0, 'a device is written') or diag $err;
	is(kind($node), $was, '  and stays a device');
	is(mxcheck('dequant', '--format', 'E2M1', '1', '-o', $node) . kind($node), "0$was",
		'  by dequant, too') or diag $err;
}

# ---- files that are already open, such as /dev/stdout: replacing them would be wrong ----

my $stdout = "$dir/stdout";
symlink '/proc/self/fd/1', $stdout;
is(run('sh', '-c', '"$@" | cat', 'sh', $program, @quant, '-o', $stdout) . $out, "0$codes",
	'the name of standard output writes to its pipe');
run('sh', '-c', '{ printf before; "$@"; } >"$0"', $file, $program, @quant, '-o', $stdout);
is(slurp($file), "before$codes", 'an open file is not replaced, and keeps its contents')
	or diag $err;

# ---- FIFOs ----

sub through_fifo {
	my ($fifo, @command) = @_;
	my $reader = fork // die $!;
	if (!$reader) {
		alarm 20;
		spew("$fifo.read", slurp($fifo));
		POSIX::_exit(0);
	}
	is(mxcheck(@command), 0, "$command[0]: a FIFO is written") or diag $err;
	ok(-p $fifo, '  and stays one') or kill 'KILL', $reader;
	waitpid $reader, 0;
	return -e "$fifo.read" ? slurp("$fifo.read") : '';
}

mkfifo("$dir/fifo.npy", 0600);
is(through_fifo("$dir/fifo.npy", @quant, '-o', "$dir/fifo.npy"), $codes,
	'  and its reader has the bytes');
mkfifo("$dir/scales.fifo", 0600);
is(through_fifo("$dir/scales.fifo", @quant, '-o', "$dir/o.npy", '--scales', "$dir/scales.fifo"),
	$scales, '  of --scales, too');
my @run = ('--device', 'emu', '--save', "$dir/saved", 'gemm/mxfp4_f32/1x1x32/exact');
is(mxcheck(@run), 0, '--save writes') or diag $err;
my ($c) = glob "$dir/saved/gemm/mxfp4_f32/1x1x32/exact/C.npy";
my $saved = slurp($c);
unlink $c;
mkfifo($c, 0600);
is(through_fifo($c, @run), $saved, '  of --save, too');

is_deeply([ temporaries($dir), temporaries("$dir/saved/gemm/mxfp4_f32/1x1x32/exact") ], [],
	'no temporary file is left');
done_testing();
