#!/usr/bin/perl
# mxcheck init: the case file that it writes loads and runs; Triton's JSON beside the code object.
use strict;
use warnings;
use Test::More;
use File::Copy;
require './tests/ci/gate.pl';
our ($build, $dir, $status, $out, $err);

my $co = "$build/tests/ci/repack.gpu.co";
is(mxcheck('init', $co, 'copy_lines'), 0, 'a case file is written') or diag $err;
my $text = $out;
is_deeply([ $text =~ /^  - \{offset: (\d+, type: \w+, value: \w+)\}/mg ],
	[ '0, type: ptr, value: ARG0', '8, type: ptr, value: ARG1', map { "$_, type: i32, value: 0" } 16, 20, 24, 28, 32, 36 ],
	'with each argument by offset and type, hidden ones left out');
like($text, qr/^block: \[64\]/m, 'and its work-group size');
is(mxcheck('run', '--case', spew("$dir/case.yaml", $text), '--co', $co), 0, 'it runs as it is') or diag $out, $err;

is(mxcheck('init', $co), 2, 'one of several kernels is to be named');
is($err, "mxcheck init: $co: 3 kernels, name one of: shuffle, transpose, copy_lines\n", 'they are listed');
is(mxcheck('init', $co, 'shufle'), 2, 'a wrong name');
is($err, "mxcheck init: $co: no kernel shufle; it has: shuffle, transpose, copy_lines\n", 'lists them too');
$text =~ s/^kernel: .*/kernel: shufle/m;
mxcheck('run', '--case', spew("$dir/case.yaml", $text), '--co', $co);
like($err, qr/no kernel shufle in the code object; it has: shuffle, transpose, copy_lines$/m, 'and so does a run') or diag $err;

for ([ 1024, 'fill in `lds` if the launch adds dynamic LDS, at most 162816' ], [ 163840, 'all that a workgroup can have' ],
	[ 163840, 'fill in `lds` if the launch adds dynamic LDS, at most 163840', 'gfx1250' ]) {
	my ($bytes, $says, $arch) = @$_;
	my $kernel = "static __attribute__((address_space(3), loader_uninitialized)) volatile char lds[$bytes];\n"
		. "__attribute__((device_kernel)) void fills(__attribute__((address_space(1))) char *out) { lds[0] = 1; out[0] = lds[0]; }\n";
	mxcheck('init', compile(spew("$dir/lds.c", $kernel), "$dir/lds.co", $arch // 'gfx950'));
	like($out, qr/^# static LDS: $bytes bytes[;,] \Q$says\E$/m, "$bytes bytes of static LDS" . ($arch ? " of $arch" : '')) or diag $out, $err;
}

copy($co, "$dir/triton.hsaco") or die $!;
spew("$dir/triton.json", '{"hash": "0a", "target": {"backend": "hip", "arch": "gfx950", "warp_size": 64}, '
	. '"num_warps": 2, "warp_size": 64, "shared": 16384, "name": "shuffle"}');
is(mxcheck('init', "$dir/triton.hsaco", 'shuffle'), 0, 'a kernel of Triton');
ok($out =~ /^lds: 16384 /m && $out =~ /^block: \[128\]/m, 'has the LDS and the warps of the JSON beside it') or diag $out;
spew("$dir/triton.json", "{\"num_warps\": 2,\n\"shared\" 1}");
is(mxcheck('init', "$dir/triton.hsaco", 'shuffle'), 2, 'JSON that is wrong');
like($err, qr/\Amxcheck init: \S+triton\.json:2: not YAML: [^\n]+\n\z/, 'is refused with its line') or diag $err;
is(mxcheck('init', "$dir/none.co"), 2, 'a file that is absent');

my @foreign = glob '../shared/foreign/co/*.co';
SKIP: {
	skip 'no ../shared/foreign: kernels written by hand elsewhere', 1 if !@foreign;
	my @bad;
	for (@foreign) {
		push @bad, "$_: $err" if mxcheck('init', $_);
		spew("$dir/case.yaml", $out);
		push @bad, "$_: $err" if mxcheck('run', '--case', "$dir/case.yaml", '--list');
	}
	is_deeply(\@bad, [], 'case files of ' . @foreign . ' kernels load');
}
done_testing();
