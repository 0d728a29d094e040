#!/usr/bin/perl
# mxcheck exec: a HIP program as it is, with every launch watched.
use strict;
use warnings;
use Cwd 'abs_path';
use File::Temp 'tempdir';
use Test::More;
require './tests/files.pl';

my $build = abs_path($ENV{BUILD} || 'build');
my $llvm = llvm();
plan skip_all => 'no clang 20 or newer' unless $llvm && -x "$llvm/clang";
plan skip_all => 'libmxhip.so is built with sanitizers' if $ENV{SAN};

my $dir = tempdir(CLEANUP => 1);

# The program is linked with a library of the name that it would have on a machine with ROCm.
sub compile {
	my $hip = "$llvm/clang -x hip --offload-arch=gfx950 -nogpulib -nogpuinc -mprintf-kind=buffered -g -O1";
	symlink "$build/libmxhip.so", "$dir/libamdhip64.so";
	system("$hip --cuda-device-only --no-gpu-bundle-output tests/ci/watched.hip -o $dir/code") == 0 or return 0;
	spew("$dir/bundle", hip_bundle(slurp("$dir/code")));
	return system("$hip --cuda-host-only -Xclang -fcuda-include-gpubinary -Xclang $dir/bundle " .
			"-c tests/ci/watched.hip -o $dir/watched.o") == 0 &&
		system("cc $dir/watched.o -L$dir -lamdhip64 -o $dir/watched") == 0;
}

my ($said, $status);
sub exec_with {
	my ($command) = @_;
	$said = `$build/mxcheck exec $command 2>&1`;
	$status = $? >> 8;
}

ok(compile(), 'a HIP program is compiled and linked') or BAIL_OUT('no program');
my %line;
my $number = 0;
for (split /\n/, slurp('tests/ci/watched.hip')) {
	$number++;
	$line{$1} = $number if m{/\* the line of the (\w+)};
}

exec_with("-- $dir/watched right");
is($status, 0, 'a correct program exits with 0');
like($said, qr/^right: equal\nsum \d+\nexec: 3 launches, 3 watched, 3 proved; 0 findings\n\z/, 'nothing is found in it');

exec_with("-- $dir/watched seven");
is($status, 7, 'the exit status of the program goes first');

exec_with("-- $dir/watched no_barrier");
is($status, 3, 'without a barrier the exit status is 3');
like($said, qr/^no_barrier<<<\(1,1,1\), \(256,1,1\)>>>, launch 1 and 2 more\n +race-lds: /m,
	'the race has kernel, grid and launches');
like($said, qr/ +at \S*watched\.hip:(?:$line{race}|@{[$line{race} - 1]})$/m, 'and its source line');
like($said, qr/^exec: 3 launches, 3 watched, 0 proved; 3 findings$/m, 'with what follows from it, three findings of three launches');

exec_with("-- $dir/watched uninitialised");
is($status, 3, 'an uninitialised store exits with 3');
like($said, qr/ uninitialised: .*\n +at \S*watched\.hip:$line{uninitialised}$/m, 'it has its source line');

exec_with("-- $dir/watched past_its_end");
is($status, 4, 'a read of nothing exits with 4');
like($said, qr/ fault: .*global_load.*\n +at \S*watched\.hip:$line{read}$/m, 'it has its source line');
like($said, qr/^past_its_end: an error$/m, 'and the program gets the error');

exec_with("-- $dir/watched crash");
is($status, 128 + 11, 'the signal that ends a program is in the status');
like($said, qr/^no_barrier<<<.*, launch 1\n +race-lds: /m, 'what was found before it is printed');
like($said, qr/^exec: .*1 process ended without a summary, and its launches are not counted$/m, 'as is said');

exec_with("--race 40 -- $dir/watched no_barrier");
like($said, qr/^no_barrier<<<.*\n +differs: \d+ bytes, the first at 0x\w+: 0x\w\w, and 0x\w\w under seed \d+$/m,
	'repetitions under other schedules find another result');
my ($repeated) = $said =~ /^(sum \d+)$/m;
exec_with("-- $dir/watched no_barrier");
is($repeated, $said =~ /^(sum \d+)$/m && $1, 'the program gets the result of the first run');
exec_with("--race 5 -- $dir/watched adds");
like($said, qr/^exec: 3 launches, 3 watched, 3 proved, 15 repetitions; 0 findings$/m,
	'a kernel that adds to memory begins each repetition with the memory before it');

exec_with("--filter 'no_such*' -- $dir/watched no_barrier");
like("$status $said", qr/^2 .*^exec: 3 launches, 0 watched, 0 proved; 0 findings\nmxcheck exec: nothing was watched: --filter no_such\* fits no kernel$/ms,
	'kernels that the filter leaves out are not watched; without any other that is an error');
exec_with("--first 2 -- $dir/watched right");
like($said, qr/^exec: 3 launches, 2 watched, 2 proved/m, 'nor are launches after the first ones');

exec_with("--keep $dir/kept -- $dir/watched no_barrier");
my $first = $said =~ s/^no_barrier: .*\nsum .*\n//r;
ok(-e glob("$dir/kept/*.journal"), 'the journal can be kept');
exec_with("--read $dir/kept");
is("$status $said", "3 $first", 'and printed again');
exec_with("--keep $dir/kept -- $dir/watched right");
is("$status $said", "2 mxcheck exec: --keep $dir/kept: the folder must be empty\n", 'it is not mixed with another');
mkdir "$dir/own";
my $plain = `MXHIP_WATCH=$dir/own LD_LIBRARY_PATH=$dir $dir/watched no_barrier 2>&1`;
exec_with("--read $dir/own");
is($status, 3, 'the environment alone watches, too');

exec_with("--race 3 -- $dir/watched says");
like($said, qr/^(work-item 0 of two: 6\.25\nwork-item 1 of two: 6\.25\nmore than 20\n4194296 bytes\n){3}says: equal\n/, 'the printf buffer is printed after the launch');
like($said, qr/ 9 repetitions; 0 findings$/m, 'and not when it is repeated');
exec_with("-- $dir/watched spoils");
like($said, qr/^spoils: equal\n/, 'a call that is longer than the buffer prints nothing');
exec_with("--race 3 --filter prints -- $build/tests/hip/hostcall_test.t");
is($status, 0, 'kernels that print: they print once, however often they run') or diag($said);
like($said, qr/^exec: \d+ launches, \d+ watched, \d+ proved, \d+ repetitions; 0 findings$/m, 'their calls of the host are no finding');
exec_with("--race 3 --filter calls -- $build/tests/hip/hostcall_test.t");
like($said, qr/, 6 repetitions, 6 not repeated: stopped, with malloc, or over 1 GiB of memory; 0 findings/m,
	'launches that use malloc are not repeated, others with a heap are');

exec_with("--race 1 -- $build/tests/hip/threads_test.t");
is($status, 0, 'threads keep what they write while launches of others are repeated') or diag($said);
like($said, qr/^exec: 384 launches, 384 watched, 384 proved, 384 repetitions; 0 findings$/m, 'and each launch is');

# ---- profiles ----

# The sum that the program prints if each result is this f32.
sub sum_of {
	my $sum = 0;
	$sum = (31 * $sum + $_) & 0xFFFFFFFF for (unpack 'C4', pack 'f<', $_[0]) x 256;
	return "sum $sum";
}

my ($all, $own) = map { "$dir/$_.yaml" } qw(all own);
my $insn = 'v_mfma_f32_16x16x16_f16';
sub profile {
	my ($file, $name) = @_;
	spew($file, "device: GPU\ndriver: ''\ndate: ''\nprofiles:\n  - name: $name\n    questions: 9\n    random: 0\n    fields:\n" .
			join '', map { "      - {field: $$_[0], value: $$_[1], fidelity: measured, source: x}\n" } [ group => 16 ], [ fused => 1 ], [ align => 13 ]);
}
profile($own, $insn);
profile($all, 'wgmma');
my $exact = 2 + 2**-20;
for ([ '', $exact ], [ '--profile cdna3_half', $exact ], [ "--profile $own", 2 ], [ "--profile $all:wgmma", 2 ]) {
	exec_with("$$_[0] -- $dir/watched matrix");
	like($said, qr/^@{[sum_of($$_[1])]}$/m, "matrix instructions, $$_[0]") or diag $said;
}
for ([ "--profile $all", "$all: no profile of an instruction of gfx950" ], [ '--profile none', "--profile: no profile 'none'" ], [ "--read $dir/kept --profile cdna3", 'it runs nothing' ]) {
	exec_with($$_[0] . ($$_[0] =~ /read/ ? '' : " -- $dir/watched matrix"));
	ok($status == 2 && $said =~ /^mxcheck exec: [^\n]*\Q$$_[1]\E/, "  $$_[1]") or diag $said;
}
exec_with("--keep $dir/listed --profile $own -- $dir/watched matrix");
is(slurp("$dir/listed/profiles"), "# measured on GPU\n$insn group=16 parts=1 fused=1 align=13\n", 'the list that the library reads');
for ([ 'named', 'cdna3_half', qr/profile: "cdna3_half"/ ], [ 'filed', "$all:wgmma", qr/profile: "profile\.yaml:wgmma"/ ], [ 'rows', $own, qr/profile: "profile\.yaml"/ ]) {
	my ($folder, $profile, $key) = @$_;
	exec_with("--record $dir/$folder --profile $profile -- $dir/watched matrix");
	my ($case) = grep { !/profile\.yaml$/ } glob "$dir/$folder/*.yaml";
	like(slurp($case), $key, "a recorded case has the profile: $folder");
	is(system("$build/mxcheck run --case $case >$dir/replayed 2>&1"), 0, '  and its bytes by it') or diag slurp("$dir/replayed");
}
sub alone { return scalar `MXHIP_PROFILE=$_[0] LD_LIBRARY_PATH=$dir $dir/watched matrix 2>&1` }
is(alone("$dir/listed/profiles"), "matrix: equal\n@{[sum_of(2)]}\n", '  without the command, too');
is(alone('cdna3_half'), "matrix: equal\n@{[sum_of($exact)]}\n", '  or a name');
for ([ "v_mfma_none group=16\n", 'it names no matrix instruction of gfx950' ], [ "\n# *\n$insn group=x\n", 'it is no profile', 3 ], [ "$insn groups=16\n", 'it is no profile' ], [ "* align=50\n", 'it is no profile' ], [ "v_mfma_f32_16x16x4_f32 group=4 align=24 dot=24 acc=24\n", 'its instruction cannot have it' ]) {
	spew("$dir/list", $$_[0]);
	is(alone("$dir/list"), "libmxhip: ignored: MXHIP_PROFILE: $dir/list:@{[$$_[2] // 1]}: $$_[1]\nmatrix: equal\n@{[sum_of($exact)]}\n", "  $$_[1]");
}
like(alone("$dir/absent"), qr/^libmxhip: ignored: MXHIP_PROFILE: \S*: No such file/, '  no file');

# ---- streams ----

my $streams = "$build/tests/hip/stream_races_test.t";
exec_with("-- $streams recorded_too_early");
is($status, 3, 'two streams that access the same bytes without order exit with 3');
like($said, qr/^add<<<\(1,1,1\), \(1,1,1\)>>>, launch 2, in stream 2\n      race-streams: writes 4 bytes at offset 0 of the allocation at 0x\w+, which add<<<.*>>>, launch 1, in stream 1 writes: .*\nexec: 2 launches, 2 watched, 2 proved; 1 finding\n/,
	'both launches are named');
exec_with("-- $streams event");
is($status, 0, 'with order they are no finding') or diag($said);
exec_with("-- $build/tests/hip/errors_test.t");
like($said, qr/^exec: 3 launches, 3 watched, .*; 1 process ended without a summary/m, 'child processes are counted apart');

exec_with("-- $build/tests/hip/rtc_test.t");
like($said, qr/^exec: 5 launches, 5 watched, 4 proved; 0 findings$/m,
	'kernels that hiprtc compiles, one with atomics whose results it stores');

# Nothing unloads a module at the end.
spew("$dir/leaves.c", <<"END");
int hipModuleLoad(void **, const char *), hipModuleGetFunction(void **, void *, const char *), usleep(unsigned);
int hipModuleLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
int hipMalloc(void **, unsigned long), hipMemset(void *, int, unsigned long);
int main(void) {
	void *module, *slow, *buffer;
	int n = 600000;
	hipMalloc(&buffer, 4096);
	hipMemset(buffer, 0, 4096);
	hipModuleLoad(&module, "$dir/code");
	hipModuleGetFunction(&slow, module, "_Z4slowPfPKfi");
	for (int i = 0; i < 2; i++)
		hipModuleLaunchKernel(slow, 1, 1, 1, 64, 1, 1, 0, 0, (void *[]){ &buffer, &buffer, &n }, 0);
	usleep(20000);
	return 0;
}
END
system("cc $dir/leaves.c -L$dir -lamdhip64 -o $dir/leaves");
exec_with("-- $dir/leaves");
like($said, qr/^exec: 2 launches, 2 watched, 2 proved; 0 findings$/m, 'a program that ends while a kernel runs waits for it and those after it');

# ---- recorded launches ----

exec_with("--record $dir/recorded --first 2 -- $dir/watched adds");
like($said, qr{^recorded: 2 launches in \Q$dir\E/recorded\nexec: 3 launches, 2 watched}m, 'launches are recorded as cases');
my @cases = glob("$dir/recorded/*.yaml");
my $replayed = `$build/mxcheck run --case $cases[1] 2>&1`;
is($?, 0, 'mxcheck run replays one') or diag($replayed);
like($replayed, qr/^pass .* bytes 1024\/1024 .*\n +order: proved/m, 'to the bit');
like(slurp($cases[1]), qr/\n  - \{offset: 0, type: ptr, value: B\d\}\n  - \{offset: 8, type: ptr, value: B\d\}\n  - \{offset: 16, type: u32, value: 256\}\n/,
	'arguments have their values');
my ($after) = glob("$dir/recorded/*-2.B*.after.npy");
my $bytes = slurp($after);
spew($after, substr($bytes, 0, -1) . chr(1 ^ ord substr $bytes, -1));
like(scalar `$build/mxcheck run --case $cases[1] 2>&1`, qr/^FAIL .* bytes 1023\/1024 /m, 'it compares with the memory after the launch');
like(scalar `$build/mxcheck mutate --case $cases[0] 2>&1`, qr/^\d+ mutants of _Z4adds\w+ in 1 run: \d+ flagged/m, 'mxcheck mutate takes it');

exec_with("--record $dir/stopped --first 1 -- $dir/watched past_its_end");
like(scalar `$build/mxcheck run --case $dir/stopped/*.yaml 2>&1`, qr/ fault: .*global_load/, 'a launch that stops, too');
exec_with("--record $dir/plain --first 1 -- $dir/watched plain");
is(scalar `$build/mxcheck run --case $dir/plain/*.yaml 2>&1 >$dir/report`, "no arguments\n", 'one without arguments; it prints to standard error');
like(slurp("$dir/report"), qr/^pass /m, 'and passes');
exec_with("--record $dir/linked --first 1 -- $dir/watched linked");
my ($linked) = glob("$dir/linked/*.yaml");
like(slurp($linked), qr/\npointers:\n(  - \{in: B\d, at: \d+, value: B\d \+ \d+\}\n){2}verdict/, 'addresses in memory are recorded');
$replayed = `$build/mxcheck run --case $linked 2>&1`;
like($replayed, qr/^pass .* bytes 1072\/1072 /m, 'and replayed') or diag($replayed);
spew($linked, slurp($linked) =~ s/(value: B\d) \+ 24/$1 + 0/r);
like(scalar `$build/mxcheck run --case $linked 2>&1`, qr/^FAIL /m, 'the kernel follows them');
exec_with("--record $dir/hidden -- $dir/watched hidden");
like($said, qr/^recorded: 0 launches in .*; 3 not: hidden, launch 1: it uses memory to which nothing points$/m,
	'a launch that no case describes is counted, with the reason');
is(scalar(my @none = glob("$dir/hidden/*.{yaml,npy}")), 0, 'and leaves no files');

{
	local $ENV{MXHIP_DEVICES} = 17;
	exec_with("-- $dir/watched right");
	like($said, qr/^libmxhip: MXHIP_DEVICES: 16 of 17 devices$/m, 'more devices than there may be');
}

{
	local $ENV{MXHIP_SEDE} = 3;
	local $ENV{MXHIP_DEVICES} = 'two';
	local $ENV{MXHIP_ON_FAULT} = 'stop';
	exec_with("-- $dir/watched right");
	is(join('; ', $said =~ /^libmxhip: ignored: (.*)$/mg),
		"MXHIP_DEVICES: 'two' is not a number; MXHIP_SEDE: no such variable; MXHIP_ON_FAULT: 'stop' is not abort",
		'variables that are misspelt, each named once');
}
$plain = `MXHIP_SEED=first MXHIP_WATCH=$dir/seeded LD_LIBRARY_PATH=$dir $dir/watched right 2>&1`;
is(scalar(() = $plain =~ /^libmxhip: ignored: MXHIP_SEED: 'first' is not a number$/mg), 1,
	'a variable that is read twice, named once');

{
	local $ENV{MXHIP_ARCH} = 'gfx1250';
	exec_with("-- sh -c '$dir/watched right; exit 0'");
	like("$status $said", qr/^2 .*^mxcheck exec: nothing was watched: no launch, and a code object was not loaded: bundle has no code for gfx1250, only: .*gfx950\n\z/ms,
		'a program whose code is for another device, which it ignores');
}

exec_with('-- /bin/true');
is("$status $said", "2 mxcheck exec: nothing was watched: the program did not start the HIP runtime, or not this one\n",
	'a program without our runtime');
for ([ '-- /no/such/program', 2, '/no/such/program: No such file or directory' ],
	[ '-- /etc/passwd', 2, '/etc/passwd: Permission denied' ],
	[ '--race many -- /bin/true', 2, '--race many: not a number' ],
	[ '/bin/true', 2, '/bin/true: the program comes after --' ],
	[ '', 2, 'no program after --; see mxcheck exec --help' ],
	[ "--read $dir/own --race 3", 2, '--read prints a journal; it runs nothing' ],
	[ "--record $dir/recorded -- /bin/true", 2, "--record $dir/recorded: the folder must be empty" ],
	[ "--record $dir/watched -- /bin/true", 2, "--record $dir/watched: no folder" ],
	[ "--record $dir/a --keep $dir/b -- /bin/true", 2, '--record keeps what --keep does; give one of them' ],
	[ "--read $dir/none", 2, "--read $dir/none: no folder" ],
	[ '--sead 3 -- /bin/true', 2, '--sead: no such option; see mxcheck exec --help' ]) {
	my ($command, $want, $text) = @$_;
	exec_with($command);
	is($status, $want, "$command: exit $want") or diag($said);
	is($said, "mxcheck exec: $text\n", "  $text");
}
done_testing;
