#!/usr/bin/perl
# Mutants of a kernel: harmful ones are flagged, harmless ones are listed with the reason.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $status, $out, $err, $dir);

my $llvm = llvm();

# Makes a kernel from text, and its case: workgroups of 128, the address of OUT in s[2:3], 4 * lane in
# v1.
sub assemble {
	my ($name, $text) = @_;
	my $source = spew("$dir/$name.s", <<"END");
	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.text
	.globl $name
	.p2align 8
	.type $name,\@function
$name:
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
$text
.Lend:
	.size $name, .Lend-$name
	.rodata
	.p2align 6
	.amdhsa_kernel $name
		.amdhsa_group_segment_fixed_size 512
		.amdhsa_kernarg_size 8
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 8
		.amdhsa_accum_offset 8
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx950
amdhsa.kernels:
  - .name: $name
    .symbol: $name.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 512
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 8
    .agpr_count: 0
    .max_flat_workgroup_size: 128
    .args:
      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
...
	.end_amdgpu_metadata
END
	run("$llvm/llvm-mc", '-triple=amdgcn-amd-amdhsa', '-mcpu=gfx950', '-filetype=obj', $source, '-o', "$dir/$name.o") == 0
		and run("$llvm/ld.lld", '-shared', "$dir/$name.o", '-o', "$dir/$name.co") == 0
		or BAIL_OUT($err);
	return spew("$dir/$name.yaml", <<"END");
name: $name
code: $name.co
kernel: $name
grid: ["M"]
block: [128]
buffers:
  - {name: OUT, role: none, type: u32, rows: 4, cols: 128}
kernarg:
  - {offset: 0, type: ptr, value: OUT}
verdict: {judge: none}
runs:
  - {M: 1, N: 1, K: 32, regime: exact, tags: [quick]}
END
}

# One wave writes LDS and the other reads it, after a wait and a barrier. The last wait of the kernel
# guards nothing.
my $small = assemble('small', <<'END');
	v_xor_b32_e32 v2, 0x100, v1
	v_add_u32_e32 v3, 7, v0
	s_nop 3
	ds_write_b32 v1, v3
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v4, v2
	s_waitcnt vmcnt(0) lgkmcnt(0)
	global_store_dword v1, v4, s[2:3]
	s_waitcnt vmcnt(0)
	s_nop 7
	s_endpgm
	s_waitcnt vmcnt(0)
	s_endpgm
END

is(mxcheck('run', '--case', $small, '--race', 50), 0, 'the kernel itself passes')
	or diag $out, $err;
is(mxcheck('mutate', '--case', $small, '-v'), 1, 'one of its mutants survives')
	or diag $out, $err;
like($out, qr/^flagged     small\+0x\S+ s_barrier: s_barrier -> s_nop 0; by /m,
	'without its barrier it is flagged');
like($out, qr/^flagged .* lgkmcnt\(0\): lgkmcnt\(0\) -> lgkmcnt\(1\)/m, 'a weaker wait before it is flagged too');
like($out, qr/^flagged .* vmcnt\(0\) lgkmcnt\(0\): lgkmcnt\(0\) -> lgkmcnt\(15\)/m,
	'and so is one that waits for nothing');
like($out, qr/^equivalent .* vmcnt\(0\) lgkmcnt\(0\): vmcnt\(0\) -> vmcnt\(1\); no more is ever in flight here/m,
	'a wait with nothing in flight is listed as such');
like($out, qr/^equivalent .* vmcnt\(0\): vmcnt\(0\) -> vmcnt\(63\); its order is proved, and the bytes are the same$/m,
	'a wait at the end guards nothing');
like($out, qr/^not reached .* vmcnt\(0\) -> vmcnt\(1\)$/m, 'code after the end is not reached');
like($out, qr/^survived    small\+0x\S+ s_nop 3: s_nop 3 -> s_nop $_;/m,
	"a nop that brings dependent instructions nearer, to $_, survives")
	for 2, 0;
like($out, qr/^equivalent  small\+0x\S+ s_nop 7: s_nop 7 -> s_nop $_; dependent instructions/m,
	"one before the end, to $_, is equivalent")
	for 6, 0;
# Parts of the equivalent ones that are 0 are left out.
sub counts {
	my ($all, $parts, $rest) = $out =~
		/mutants of small in 1 run: (\d+ flagged, 0 by a note alone, \d+ equivalent) \(\d+ % of those reached: (.*)\), (.* 2 survived, \d+ not reached)$/m;
	my ($proved, $scheduled) = map { ($parts // '') =~ /(\d+) $_/ ? $1 : undef } 'proved', 'under extreme schedules';
	return ($all, $rest, $proved, $scheduled);
}
my @proved = counts();
ok($proved[2] && !defined $proved[3], 'and all are counted') or diag $out;

# Without a proof, or where schedules are asked for, the schedules run.
for ([ '--race', 3 ], [ '--no-analysis', '--race', 20 ]) {
	mxcheck('mutate', '--case', $small, '-v', @$_);
	like($out, qr/^equivalent .* vmcnt\(0\): vmcnt\(0\) -> vmcnt\(63\); .* earliest and latest: same bytes in \d+ runs/m,
		"@$_: the wait at the end is judged by schedules");
	my @run = counts();
	ok(!defined $run[2] && $run[3] == $proved[2], '  and so are all that were proved');
	is_deeply([ @run[0, 1] ], [ @proved[0, 1] ], '  with the same result') or diag $out;
}

# ---- notes ----

# The original has a note of each kind: these flag no mutant and do not fail the original. Only LLVM
# requires the nop before v_addc_co_u32.
my $notes = assemble('notes', <<'END');
	v_readfirstlane_b32 s4, v1
	v_mov_b32_e32 v2, 0x43ff8000
	v_cvt_pk_u8_f32 v3, v2, 0, v1
	v_mov_b32_e32 v4, 1
	v_cmp_lt_u32_e32 vcc, v4, v0
	s_nop 1
	v_addc_co_u32_e32 v5, vcc, v3, v4, vcc
	s_waitcnt lgkmcnt(0)
	global_store_dword v1, v5, s[2:3]
	s_waitcnt vmcnt(0)
	s_endpgm
END
is(mxcheck('run', '--notes', '--case', $notes), 0, 'a kernel that has notes passes') or diag $out, $err;
like($out, qr/^ +assumed: [^;]*; [^;]*; workgroup 0,0,0 wave 0 lane 0, and again\n/m, '  with each by itself') or diag $out;
is(mxcheck('mutate', '--case', $notes, '-v'), 0, 'so does its original') or diag $out, $err;
like($out, qr/^noted       notes\+(0x\w+) s_nop 1: s_nop 1 -> s_nop 0; by a note alone, wait-states-note: notes\+0x\w+ v_addc/m,
	'a mutant with only a note is listed apart');
like($out, qr/^flagged .* lgkmcnt\(0\) -> lgkmcnt\($_\); by race-register: .* global_store_dword/m,
	"a weaker needed wait, to $_, is flagged by a finding")
	for 1, 15;
like($out, qr/^equivalent .* vmcnt\(0\) -> vmcnt\($_\); its order is proved/m,
	"a wait that is not needed, to $_, is equivalent")
	for 1, 63;
unlike($out, qr/readfirstlane|cvt_pk/, '  notes of the original flag nothing');
like($out, qr/: 2 flagged, 1 by a note alone, 2 equivalent .*, 0 not judged, 0 survived, 0 not reached$/m, 'and all are counted');
is(mxcheck('mutate', '--case', $notes, '-v', '--no-analysis'), 1, 'without rules of wait states');
like($out, qr/^survived .* s_nop 1 -> s_nop 0;/m, '  that nop survives');

# Rules require more wait states than the original has, and a mutant has fewer.
my $short = assemble('short', <<'END');
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[4:7], v[2:3], v[2:3], 0
	s_nop 3
	v_mov_b32_e32 v5, v4
	global_store_dword v1, v5, s[2:3]
	s_endpgm
END
is(mxcheck('mutate', '--case', $short, '-v'), 0, 'of an original that lacks wait states') or diag $out, $err;
like($out, qr/^flagged .* s_nop 3 -> s_nop $_; by wait-states: .*: @{[$_ + 1]} wait states? between them, \d+ needed/m,
	"  a mutant with s_nop $_ lacks more, and is flagged") for 2, 0;

my $failing = assemble('failing', <<'END');
	global_store_dword v1, v0, s[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_endpgm
END
is(mxcheck('mutate', '--case', $failing), 2, 'a kernel that faults under some schedule is refused');
like($err, qr/failing\S*: the kernel itself fails under seed \d+: .* write of 4 bytes at /, '  and the fault is printed');

# ---- a kernel with findings ----

# The sum reads v5 too early: a finding, and other bytes under other schedules. The exchange through
# LDS is right.
my $early = assemble('early', <<'END');
	v_xor_b32_e32 v2, 0x100, v1
	s_waitcnt lgkmcnt(0)
	global_store_dword v1, v0, s[2:3]
	s_waitcnt vmcnt(0)
	global_load_dword v5, v1, s[2:3]
	v_add_u32_e32 v6, v5, v0
	s_waitcnt vmcnt(0)
	ds_write_b32 v1, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v4, v2
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v6, v6, v4
	global_store_dword v1, v6, s[2:3] offset:512
	s_endpgm
END
is(mxcheck('mutate', '--case', $early, '-v'), 0, 'mutants of a kernel with findings are judged') or diag $out, $err;
like($out, qr/^flagged .* s_barrier -> s_nop 0; by race-lds: /m, '  by a finding that the original lacks');
unlike($out, qr/^flagged .* by race-register: early\+0x\w+ v_add_u32_e32 v6, v5, v0 .* reads v5 /m, '  and not by its own');
like($out, qr/^not judged .* vmcnt\(0\) -> vmcnt\(63\); the original has findings, and its bytes are wrong or vary/m,
	'  or by bytes that vary');
like($out, qr/^early\S*: the original has \d+ findings; a mutant is flagged by one that it lacks$/m, '  which the end of the report says');

# ---- mutants of s_nop ----

my $nops = assemble('nops', <<'END');
	s_nop 7
	s_nop 7
	s_waitcnt lgkmcnt(0)
	global_store_dword v1, v0, s[2:3]
	s_endpgm
END
is(mxcheck('mutate', '--case', $nops), 0, 'where most mutants are of s_nop');
like($out, qr/^2 mutants of nops .*\n4 mutants of nops are left out; --nops runs them$/m, '  they are left out');
is($err, '', '  and there is no progress without a terminal');
mxcheck('mutate', '--case', $nops, '--nops', '--progress');
like($out, qr/^6 mutants of nops /m, '  --nops runs them');
like($err, qr/^1 of 6 mutants, \d+:\d\d:\d\d to go\n.*^6 of 6 mutants, 0:00:00 to go\n\z/ms, '--progress says how long it takes');

# ---- mutants that bytes cannot judge ----

# A store of agent scope may be a flag. The emulator makes the stores of a wave appear in order,
# whether the wave waits or not.
my $release = assemble('release', <<'END');
	s_waitcnt lgkmcnt(0)
	global_store_dword v1, v0, s[2:3]
	s_waitcnt vmcnt(0)
	global_store_dword v1, v0, s[2:3] offset:512 sc1
	global_store_dword v1, v0, s[2:3] offset:1024
	s_waitcnt vmcnt(0)
	s_nop 0
	s_waitcnt vmcnt(0)
	global_store_dword v1, v0, s[2:3] offset:512 sc1
	s_endpgm
END
is(mxcheck('mutate', '--case', $release), 0, 'waits before flags pass') or diag $out, $err;
my @unjudged = $out =~ /^not judged  release\+(0x\w+) s_waitcnt vmcnt\(0\): vmcnt\(0\) -> vmcnt\((\d+)\); \+(0x\w+) publishes/mg;
is(@unjudged, 6, 'a single wait before a flag is not judged by bytes') or diag $out;
is(hex($unjudged[$_ + 2] // 0) - hex($unjudged[$_] // 0), 4, '  and the line names the store') for 0, 3;
is(scalar(() = $out =~ /^equivalent  release\S+ s_waitcnt vmcnt/mg), 4, 'each of two waits is judged');
like($out, qr/, 2 not judged, 0 survived/, 'and they are counted apart');

is(mxcheck('mutate', '--case', $small, '--device', 'hip') != 0, 1, 'a real device runs no mutants');

# ---- our kernels ----

# A wait before the atomic that takes the next tile. Volatile scratch is not a flag.
my %unjudged = (mxfp8_persistent => 1);

# Mutants by result: "PC TEXT" of nops, and the number of all.
sub fates {
	my %n = map { $_ => [ $out =~ /^$_ +\S+?\+(0x\S+ s_nop \d+: s_nop \d+ -> s_nop \d+)/mg ] }
		qw(flagged noted equivalent survived);
	my %all;
	@all{qw(mutants flagged noted equivalent unjudged survived missed)} = $out =~
		/^(\d+) mutants of .*: (\d+) flagged, (\d+) by a note alone, (\d+) equiv.* (\d+) not judged, (\d+) survived, (\d+) not reached$/m;
	return (\%n, \%all);
}

sub none_survives {
	my ($name, @runs) = @_;
	my $ended = mxcheck('mutate', '-v', is_long() ? ('--race', 20) : (), @runs); # past proofs, too
	my ($nops, $all) = fates();
	ok($ended == 0 && $all->{flagged} && !$all->{survived} && !$all->{missed},
		"$name: of @{[$all->{mutants} // 0]} mutants none survives, and all are reached")
		or diag $out, $err;
	is($all->{unjudged}, $unjudged{$name} // 0, '  and all are judged, except waits before atomics');
	diag "$name: ", join ', ', map { "$all->{$_} $_" } qw(flagged noted equivalent unjudged) if is_long();
	return unless @{ $nops->{flagged} };
	# The margin must not clear a nop that the rules flag; it may clear one with only a note.
	mxcheck('mutate', '--no-analysis', '-v', @runs);
	my ($alone) = fates();
	my %noted = map { $_ => 1 } @{ $nops->{noted} };
	is_deeply([ grep { !$noted{$_} } @{ $alone->{survived} } ], $nops->{flagged},
		'  its nops that the rules flag survive without them');
}

my %shipped = (
	mxfp8_asm         => ['foreign/mxfp8_asm'],
	mxfp4_preshuffled => ['foreign/mxfp4_preshuffled'],
);
%shipped = (
	%shipped,
	(map { $_ => ["foreign/$_"] } qw(mxfp4_opencl mxfp6_scratch mxfp8_grouped mxfp8_wgrad)),
	(map { $_ => ["gemm/$_"] } qw(mxfp4_splitk mxfp4_splitk2 mxfp4_splitk4)),
	(map { $_ => ["gemm/$_"] } qw(mxfp8_f32 mxfp8_scratch)),
	mxfp8_persistent => [ map { "gemm/mxfp8_persistent/$_" } qw(64x64x256/general 97x130x128/general 1x1x32/exact) ],
	mxfp4_f32  => [ map { "gemm/mxfp4_f32/$_/general" } qw(64x64x256 128x128x1024) ],
	mxfp4_bf16 => [ 'gemm/mxfp4_bf16/128x128x256/exact', 'gemm/mxfp4_bf16/13x31x1120/general' ],
) if is_long();
none_survives($_, @{ $shipped{$_} }) for sort keys %shipped;

done_testing();
