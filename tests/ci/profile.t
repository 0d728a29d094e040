#!/usr/bin/perl
# --profile FILE: profiles that mxcheck probe measured, in the emulator, the judges and the reports.
# The device is tests/kernels/slow_hip.c, with a hidden member of the family.
use strict;
use warnings;
use JSON::PP;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

my $insn    = 'v_mfma_scale_f32_16x16x128_f8f6f4_E2M1_E2M1';
my $general = 'gemm/mxfp4_f32/33x128x512/general';
my $exact   = 'gemm/mxfp4_f32/128x128x288/exact';
my $mxfp8   = 'gemm/mxfp8_f32/65x63x288/exact';

# A file with the rows [name, fields].
sub profiles {
	my ($file, @rows) = @_;
	my $text = "device: GPU\ndriver: '7'\ndate: '2026-11-23'\nprofiles:\n";
	for (@rows) {
		my ($name, %fields) = @$_;
		$text .= "  - name: $name\n    questions: 9\n    random: 0\n    fields:\n";
		$text .= "      - {field: $_, value: $fields{$_}, fidelity: measured, source: x}\n" for sort keys %fields;
	}
	return spew("$dir/$file", $text);
}

# ---- a device with a hidden member ----

sub measured {
	my ($member) = @_;
	local $ENV{SLOW_HIP_MEMBER} = $member;
	my $file = "$dir/measured.yaml";
	is(mxcheck('probe', '--device', 'hip', '--insn', $insn, '--dots', 500, '--out', $file), 0, "probe: $member") or diag $out, $err;
	is(mxcheck('--device', 'hip', '--profile', $file, $general, $exact), 0, '  its profile has the bits of the device') or diag $out, $err;
	like($out, qr/^numbers rest on: .*profile $insn \(measured on mxcheck emulated gfx950; HIP 7[^;]*; core 2400 MHz[^;]*MHz, \d+-\d+-\d+; \d+ of \d+ fields assumed\), K in order by 128/m,
		'  and the report says where it is from');
	is(mxcheck('--device', 'hip', $general), 1, '  the assumed one has not') or diag $out, $err;
	my @both = ('--jobs', 1, '--device', 'hip,emu', '--profile', $file);
	is(mxcheck(@both, $general), 0, '  the emulator has them too') or diag $out, $err;
	like($out, qr/^      outputs as on emu$/m, '  so the devices agree');
	delete $ENV{SLOW_HIP_MEMBER};
	is(mxcheck(@both, $general), 1, '  another device fails, which an assumed profile would only note') or diag $out, $err;
	like($out, qr/^      wrong-bits: .*\n      devices-differ: emu is as the reference, the device is not: /m, '  with numbers that are wrong and differ') or diag $out;
	like($out, qr/^      reproduce: .* --profile '\Q$file\E' /m, '  the command to repeat it has the profile');
}

# make check-hw with one instruction, one case and one rule.
sub check_hw {
	my ($case) = @_;
	mkdir "$dir/hw";
	my $real = abs_path($mxcheck);
	spew("$dir/hw/mxcheck", "#!/bin/sh\ncase \"\$*\" in\n*--assumptions*) exec $real \"\$@\" --rules TRANSPOSE ;;\n" .
		"probe*) exec $real \"\$@\" --insn $insn --dots 500 ;;\n*) exec $real \"\$@\" '$case' ;;\nesac\n");
	chmod 0755, "$dir/hw/mxcheck";
	return run('ci/package/check-hw.sh', "$dir/hw");
}

SKIP: {
	skip 'there is an AMD GPU driver here', 1 if -e '/dev/kfd';
	skip 'a runtime without sanitizers does not load into one with them', 1 if $ENV{SAN};
	make_slow_hip();
	local $ENV{LD_LIBRARY_PATH} = join ':', $dir, $ENV{LD_LIBRARY_PATH} // ();
	measured('group=128,fused=1,align=25,round=1,zero=1');
	measured('group=16,parts=2,align=20,join=22,dot=26,acc=24,drop=25,cut=1') if is_long();
	local $ENV{SLOW_HIP_MEMBER} = 'group=128'; # inferred in a third of the time
	is(mxcheck('--device', 'hip', $general), 1, 'a device that has not the assumed profile either') or diag $out, $err;
	is(check_hw($general), 0, 'make check-hw judges the cases by the profiles that it measured') or diag $out, $err;
	ok(-s "$dir/hw/$_", "  and leaves $_") for 'gfx950.yaml', 'gfx950-assumptions.yaml';
	if (is_long()) {
		is(check_hw('gemm/mxfp8_f32/64x64x512/general'), 1, '  a case that fails') or diag $out, $err;
		like($out, qr/random dots, 0 wrong.*^FAIL .*^1 rule asked/ms, '  keeps nothing from being asked') or diag $out, $err;
	}
}

# ---- the emulator and each judge ----

my %narrow = (group => 32, fused => 1, align => 13, round => 1, bits => 13);
my $file   = profiles('narrow.yaml', [ $insn, %narrow ], ['v_mfma_i32_16x16x64_i8', over => 0]);
my $name   = "$file:$insn";
for ([ $general, $exact ], ['gemm/mxfp4_splitk2/*'], ['gemm/mxfp4_f32/1x1x32/exact']) {
	is(mxcheck('--device', 'emu', '--profile', $file, @$_), 0, "--profile FILE: @$_") or diag $out, $err;
}
is(mxcheck('--device', 'emu', '--profile', $name, $mxfp8, 'gemm/mxfp8_epilogue/13x31x1120/general'), 0, '--profile FILE:NAME: all instructions') or diag $out, $err;
mxcheck('--device', 'emu', '--profile', $name, 'gemm/mxfp8_grouped_bf16/3x32x384*');
like($out, qr/^pass .*each group: profile $insn \(measured on GPU, 7, 2026-11-23\), K in order by 128; NaN/m, '  groups as well');
is(mxcheck('--device', 'emu', '--profile', $name, '--json', "$dir/r.jsonl", $exact), 0, 'data of the exact regime');
my (undef, $run) = map { decode_json($_) } split /\n/, slurp("$dir/r.jsonl");
like($run->{numbers}{basis}, qr/^profile $insn /, '  are not exact under 13 bits, and judged by the profile');
my $wide = profiles('wide.yaml', [ $insn, %narrow, align => 25, bits => 0 ]);
mxcheck('--device', 'emu', '--profile', $wide, $exact);
like($out, qr/^pass .*\[exact regime: any order of K/m, '  with 25 bits they are');
is(mxcheck('--device', 'emu', '--profile', $file, '--race', 2, $general), 0, 'a hunt') or diag $out, $err;
my @mutate = ('mutate', '--device', 'emu', '--race', 1, 'foreign/mxfp8_asm/32x47x512/general', '--profile');
mxcheck(@mutate, profiles('sums.yaml', [ $insn =~ s/E2M1/E4M3/gr, group => 128 ]));
like($out, qr/^\d+ mutants of mxfp8_asm in 1 run: \d+ flagged, /m, 'mutate: the original is right') or diag $out, $err;
is(mxcheck(@mutate, "$file:none"), 2, '  with a profile that is there') or diag $out, $err;
is(mxcheck('fuzz', '--profile', $file, '--count', 1, '--device', 'emu', 'gemm/mxfp4_f32'), 0, 'fuzz') or diag $out, $err;
mxcheck('--device', 'emu', '--profile', 'cdna3', $general);
like($out, qr/^pass .*\[profile cdna3 \(assumed\)/m, 'a profile by its name');
mxcheck('--device', 'emu', '--profile', $name, 'foreign/mxfp4_opencl/16x9x160/general');
like($out, qr/^pass .*\[profile fma32 \(assumed\)/m, 'a product that no matrix instruction computes keeps its own');

# ---- an instruction that the file lacks ----

is(mxcheck('--device', 'emu', '--profile', $file, '--notes', 'gemm/mxfp8_f32/64x64x512/general'), 0, 'an instruction that the file lacks') or diag $out, $err;
like($out, qr/\[profile block32 \(assumed; \Q$file\E has none of v_mfma_scale_f32_16x16x128_f8f6f4_E4M3_E4M3\), K/, '  is assumed, and the basis says so');
like($out, qr/^      assumed: .*the profiles that it has for single instructions lack this one/m, '  as does a note');
mxcheck('--device', 'emu', '--profile', $file, 'gemm/mxfp8_f32/13x31x1120/general', 'gemm/mxfp4_f32/5x130x96/general', $mxfp8, $exact, 'foreign/mxfp4_opencl/5x7x64/exact');
like($out, qr/^assumptions: the numbers of 1 of 5 runs rest on an assumed profile \(block32\)/m, '  and counted at the end') or diag $out, $err;

# ---- operands of two formats ----

my @mixed = map { [ "v_mfma_scale_f32_16x16x128_f8f6f4_$$_[0]", group => $$_[1] ] }
	[ 'E2M1_E4M3', 32 ], [ 'E4M3_E2M1', 128 ], [ 'E4M3_E5M2', 32 ], [ 'E5M2_E4M3', 128 ], [ 'E2M3_E3M2', 128 ], [ 'E3M2_E2M3', 32 ];
my $mixed = profiles('mixed.yaml', @mixed);
is(mxcheck('--device', 'emu', '--assumptions', '--profile', $mixed, 'gemm/a8w4_pipelined_f32/33x80x1312/general', 'gemm/mxfp8_wgrad_bf16/*special',
	'gemm/mxfp8_grouped_gradient/64*special', 'gemm/mxfp6_pipelined_f32/33*general', 'foreign/mxfp6_scratch/*'), 0, 'operands of two formats') or diag $out, $err;
like($out, qr/profile v_mfma_scale_f32_16x16x128_f8f6f4_E2M1_E4M3 .*\(1 case\)/, '  in the order of the instruction');

# ---- in a case ----

sub case_with {
	my ($profile) = @_;
	return spew("$dir/case.yaml", slurp('cases/gemm/mxfp4_f32.yaml') =~ s/profile: block32/profile: "$profile"/r);
}
my @run = ('run', '--case', "$dir/case.yaml", '--co', "$build/kernels/gemm/mxfp4_gemm.co", '--device', 'emu');
for ('narrow.yaml', "narrow.yaml:$insn") {
	case_with($_);
	is(mxcheck(@run, '*/33x128x512/general'), 0, "profile: $_") or diag $out, $err;
	like($out, qr/^pass .*\[profile $insn \(measured on GPU/m, '  relative to the case');
}
my @cached = (@run, '--cache', "$dir/verdicts", '*/33x128x512/general');
mxcheck(@cached);
mxcheck(@cached);
like($out, qr/ cached$/m, '  its verdict is kept');
profiles('narrow.yaml', [ $insn, %narrow, align => 14 ]);
mxcheck(@cached);
unlike($out, qr/ cached$/m, '  until the file has another profile');
mxcheck(@cached, '--profile', $wide);
unlike($out, qr/ cached$/m, '  or --profile names another file');
like($out, qr/^pass .*\[profile $insn \(measured/m, '  which takes its place');
spew($wide, slurp($wide) . "# again\n");
mxcheck(@cached, '--profile', $wide);
unlike($out, qr/ cached$/m, '  whose bytes count');
my $journal = "$dir/journal";
is(mxcheck(@run, '--race', 3, '--resume', $journal, '*/1x1x32/exact'), 0, 'a journal of a hunt');
is(mxcheck(@run, '--race', 4, '--resume', $journal, '--profile', $wide, '*/1x1x32/exact'), 2, '  is of one profile') or diag $out, $err;

my @history = (@run, '--history', "$dir/history", '*/1x1x32/exact');
mxcheck(@history);
mxcheck(@history, '--profile', $wide);
mxcheck('report', "$dir/history", '--list');
like($out, qr/, seed 1: 1 run, .*\n.*, seed 1, profile \Q$wide\E: 1 run, /, 'a history has the profile');
for ([ [], $wide ], [ [ '--profile', '' ], '' ]) {
	mxcheck('report', "$dir/history", @{ $$_[0] });
	like($out, qr/: 1 entry on device emu with seed 1@{[ $$_[1] ? " and profile \Q$$_[1]\E" : '' ]}$/m, "  trends are of one: $$_[1]");
}

# ---- bad input ----

sub is_refused {
	my ($sentence, $want, @arguments) = @_;
	mxcheck(@arguments);
	ok($status == 2 && $err =~ /\A[^\n]*\Q$want\E[^\n]*\n\z/, "$sentence: $want") or diag "exit $status\n$out$err";
}
my $twice = profiles('twice.yaml', [ $insn, %narrow ], [ $insn, %narrow ]);
my $other = profiles('other.yaml', [ 'wgmma', %narrow ]);
for ([ 'no such file', "$dir/absent.yaml: No such file", "$dir/absent.yaml" ], [ 'no such name', 'no profile x', "$file:x" ],
	[ 'no such profile', "--profile: no profile 'block33'; there are block32, fused, ", 'block33' ], [ 'a name twice', "twice.yaml:14: profiles[1]: $insn is there twice", $twice ],
	[ 'integers', 'of integers', profiles('i8.yaml', [ 'v_mfma_i32_16x16x64_i8', over => 0 ]) . ':v_mfma_i32_16x16x64_i8' ],
	[ 'no instruction of gfx950', "no profile of an instruction of gfx950; give $other:NAME", $other ],
	[ 'no file of profiles', 'gemm/mxfp4_f32.yaml:', 'cases/gemm/mxfp4_f32.yaml' ]) {
	my ($sentence, $want, $profile) = @$_;
	is_refused($sentence, $want, '--profile', $profile, $general);
}
is_refused('mfma', 'is there twice', qw(mfma --format E4M3 --a 0x38 --b 0x38 --profile), $twice);
case_with('other.yaml');
mxcheck(@run, '*/33x128x512/general');
ok($status == 2 && $err =~ /other\.yaml: no profile of an instruction of gfx950/, 'a case whose file has no instruction of gfx950') or diag $out, $err;
profiles('other.yaml', [ 'v_mfma_f32_16x16x32_f16', %narrow ]);
mxcheck(@run, '*/33x128x512/general');
ok($status == 2 && "$out$err" =~ /verdict\.profile: other\.yaml has no profile of $insn/, '  or not that of its product') or diag $out, $err;

done_testing();
