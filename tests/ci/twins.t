#!/usr/bin/perl
# Every broken twin is flagged for its bug; its correct twin passes the same command; the printed
# command reproduces the failure.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $mxcheck, $dir, $status, $out, $err);

# hunt: under this number of schedules, without analysis, outputs differ; 0: under 20 they do not.
# lacks: what is missing according to the finding. says: its diagnosis.
my @twins = (
	{ bug => 'N1', co => 'bf16_truncate', case => 'mxfp4_bf16', run => '256x256x512/general',
	  exit => 1, kinds => ['wrong-bits'] },
	{ bug => 'N1', co => 'bf16_truncate', case => 'mxfp4_bf16', run => '256x256x512/exact',
	  exit => 1, kinds => ['wrong-bits'] },
	{ bug => 'S1', co => 'barrier_before_wait', case => 'mxfp4_f32', run => '33x128x512/general',
	  exit => 3, kinds => ['race-lds-latency'], hunt => 20,
	  lacks => 'no s_waitcnt lgkmcnt\(\d+\) before its s_barrier.*; ordered only by latency' },
	{ bug => 'S2', co => 'stale_address', case => 'mxfp8_scratch', run => '64x64x256/general',
	  exit => 3, kinds => ['race-register'], hunt => 20, twin => 'mxfp8_scratch',
	  lacks => 'v_readfirstlane_b32 .* before scratch_load_dword .* writes it: no s_waitcnt vmcnt\(0\) between' },
	{ bug => 'S3', co => 'unnamed_fragments', case => 'mxfp4_f32', run => '64x64x256/general',
	  exit => 3, kinds => ['race-register'], hunt => 20,
	  lacks => 'v_mfma_.* reads v\d+ before ds_read_b128 .* writes it: no s_waitcnt lgkmcnt\(\d+\) between' },
	{ bug => 'S4', co => 'loose_wait', case => 'mxfp4_f32', run => '128x128x1024/general',
	  exit => 3, kinds => ['race-lds'], hunt => 20,
	  lacks => 'no s_waitcnt vmcnt\(16\) before its s_barrier' },
	{ bug => 'S5', co => 'late_wait', case => 'mxfp4_pingpong_f32', run => '64x256x512/general',
	  exit => 3, kinds => ['race-lds'], hunt => 20, twin => 'mxfp4_pingpong',
	  lacks => 'by buffer_load_dwordx4 .* lds .* of wave [4-7]: no s_waitcnt vmcnt\(\d+\) before its s_barrier' },
	{ bug => 'S6', co => 'dead_load', case => 'mxfp8_persistent', run => '64x64x256/general',
	  exit => 3, kinds => ['race-register'], hunt => 20, twin => 'mxfp8_persistent',
	  lacks => 'writes v\d+ before buffer_load_\w+ .* writes it: no s_waitcnt vmcnt\(\d+\) between' },
	{ bug => 'S7', co => 'missing_barrier', case => 'mxfp4_pingpong_f32', run => '64x256x512/general',
	  exit => 3, kinds => ['race-lds'], hunt => 20, twin => 'mxfp4_pingpong',
	  lacks => 'by buffer_load_dwordx4 .* lds .* of wave [0-3]: no s_waitcnt vmcnt and s_barrier between' },
	{ bug => 'S8', co => 'wrong_counter', case => 'mxfp4_f32', run => '64x64x256/general',
	  exit => 3, kinds => ['race-lds'], hunt => 20,
	  lacks => 'buffer_load_dwordx4 .* lds .*: no s_waitcnt vmcnt\(\d+\) before its s_barrier' },
	{ bug => 'S9', co => 'merged_reads', case => 'mxfp8_f32', run => '64x64x512/general',
	  exit => 3, kinds => ['race-lds'], hunt => 20, twin => 'mxfp8_gemm',
	  lacks => 'read by ds_read_b128 .*: no s_waitcnt lgkmcnt\([2-7]\) before its s_barrier' },
	{ bug => 'S10', co => 'reused_slot', case => 'mxfp8_persistent', run => '16x128x32/general',
	  exit => 3, kinds => ['race-lds'], hunt => 100, twin => 'mxfp8_persistent',
	  lacks => 'at LDS 0x0 that is (?:read|written) by ds_.* of wave \d: no s_barrier after' },
	{ bug => 'S11', co => 'splitk_stored', case => 'mxfp4_splitk4', run => '32x32x512/general',
	  exit => 3, kinds => ['race-global', 'outside-set'], hunt => 20, twin => 'mxfp4_splitk',
	  lacks => 'of wave \d: no s_waitcnt vmcnt and s_barrier between' },
	{ bug => 'S11', co => 'store_past_n', case => 'mxfp4_f32', run => '5x130x96/general',
	  exit => 3, kinds => ['race-global', 'wrong-bits'], hunt => 20,
	  lacks => 'of workgroup 0,0,0 wave \d: no order between workgroups; C\[\d+\]\[\d+\] \(byte \d+ of C\); workgroup 1,0,0 wave' },
	{ bug => 'S12', co => 'early_scale', room => 'foreign', case => 'mxfp8_asm',
	  run => '32x47x512/general', exit => 3, kinds => ['wait-states'], hunt => 0,
	  twin => 'mxfp8_asm', lacks => 'v_lshrrev_b32_e32 .* 2 needed \[ISA 7.6\]: s_nop \d is missing' },
	{ bug => 'S12', co => 'early_store', room => 'foreign', case => 'mxfp8_asm',
	  run => '32x47x512/general', exit => 3, kinds => ['wait-states'], hunt => 0,
	  twin => 'mxfp8_asm', lacks => 'v_mfma_.* 12 needed \[ISA 7.6\]: s_nop \d is missing' },
	{ bug => 'S1', co => 'ring_reads', case => 'mxfp4_masked_f32', run => '256x256x768/general',
	  exit => 3, kinds => ['race-register', 'race-lds-latency'], hunt => 20, twin => 'mxfp4_pipelined',
	  lacks => 'v_mfma_.* reads v\d+ before ds_read_b128 .* writes it: no s_waitcnt lgkmcnt\(\d+\) between' },
	{ bug => 'S1', co => 'ring_slot', case => 'mxfp4_masked_f32', run => '256x256x768/general',
	  exit => 3, kinds => ['race-lds'], hunt => 20, twin => 'mxfp4_pipelined',
	  lacks => 'written by buffer_load_dwordx4 .* lds .*: no s_waitcnt vmcnt\(\d+\) before its s_barrier' },
	{ bug => 'S4', co => 'ring_loose_wait', case => 'mxfp4_masked_f32', run => '256x256x768/general',
	  exit => 3, kinds => ['race-lds'], hunt => 20, twin => 'mxfp4_pipelined',
	  lacks => 'written by buffer_load_dwordx4 .* lds .*: no s_waitcnt vmcnt\(26\) before its s_barrier' },
	{ bug => 'S7', co => 'ring_barrier', case => 'mxfp4_masked_f32', run => '256x256x768/general',
	  exit => 3, kinds => ['race-lds'], hunt => 20, twin => 'mxfp4_pipelined',
	  lacks => 'written by buffer_load_dwordx4 .* lds .*: no s_waitcnt vmcnt and s_barrier between' },
	{ bug => 'A12', co => 'tile_past_m', case => 'mxfp4_pipelined_f32', run => '33x80x1312/general',
	  exit => 4, kinds => ['out-of-bounds-read', 'fault'], twin => 'mxfp4_pipelined' },
	{ bug => 'A13', co => 'scales_past_k', case => 'mxfp4_masked_f32', run => '256x256x768/special',
	  exit => 1, kinds => ['wrong-bits'], twin => 'mxfp4_pipelined',
	  says => 'as if padding or a scale byte of 0xFF were read' },
	{ bug => 'A14', co => 'few_tiles', case => 'mxfp4_pipelined_f32', run => '256x256x768/general',
	  exit => 1, kinds => ['wrong-bits'], twin => 'mxfp4_pipelined' },
	{ bug => 'N8', co => 'splitk_lost', case => 'mxfp4_splitk4', run => '32x32x512/general',
	  exit => 1, kinds => ['outside-set'], twin => 'mxfp4_splitk',
	  says => 'update of split 3 were lost' },
	{ bug => 'N8', co => 'splitk_doubled', case => 'mxfp4_splitk4', run => '32x32x512/general',
	  exit => 1, kinds => ['outside-set'], twin => 'mxfp4_splitk',
	  says => 'update of split 0 were done twice' },
	{ bug => 'epilogue:', co => 'bias_of_rows', case => 'mxfp8_epilogue', run => '65x63x288/exact',
	  exit => 1, kinds => ['wrong-bits'], twin => 'mxfp8_epilogue',
	  says => 'the bias of columns were one of rows' },
	{ bug => 'epilogue:', co => 'zero_times_c', case => 'mxfp8_epilogue0', run => '65x63x288/exact',
	  exit => 1, kinds => ['wrong-bits'], twin => 'mxfp8_epilogue',
	  says => 'C were read although beta is 0' },
	{ bug => 'A10', co => 'ragged_block', room => 'sequence', case => 'quantise_shuffle_gemm',
	  run => '45x70x416/general', exit => 3, kinds => ['uninitialised', 'not-written'],
	  twin => 'quantise/mxfp4_quantise' },
	{ bug => 'L2', co => 'scale_tiles', room => 'sequence', case => 'quantise_shuffle_gemm',
	  run => '45x70x416/general', exit => 3, kinds => ['race-global', 'wrong-bytes'],
	  twin => 'shuffle/scales' },
	{ bug => 'S4', co => 'tiled_loose_wait', room => 'tiling', case => 'iree_m128_n256_k256',
	  run => '129x255x544/general', exit => 3, kinds => ['race-lds'], hunt => 20,
	  twin => 'gemm_m128_n256_k256', lacks => 'no s_waitcnt vmcnt\(14\) before its s_barrier' },
	{ bug => 'L1', co => 'tiled_k_tiles', room => 'tiling', case => 'iree_m64_n128_k512',
	  run => '65x127x1056/general', exit => 3, kinds => ['race-global', 'wrong-bytes'],
	  twin => 'encode' },
	{ bug => 'L3', co => 'tiled_ragged_k', room => 'tiling', case => 'iree_m128_n256_k256',
	  run => '129x255x544/general', exit => 1, kinds => ['wrong-bytes', 'wrong-bits'],
	  twin => 'encode', lacks => 'A_TILES: .*\(padding of the layout\) is 0x\w+, must be 0x00' },
	{ bug => 'L3', co => 'tiled_fill', room => 'tiling', case => 'iree_m64_n128_k512',
	  run => '65x127x1056/general', exit => 1, kinds => ['wrong-bytes'], twin => 'encode',
	  lacks => 'SA_TILES: .*\(padding of the layout\) is 0x7f, must be 0x00' },
	{ bug => 'L4', co => 'tiled_order', room => 'tiling', case => 'iree_m128_n256_k256',
	  run => '129x255x544/general', exit => 1, kinds => ['wrong-bytes', 'wrong-bits'],
	  twin => 'encode', lacks => 'A_TILES: byte 16384 \(row 0, byte 128 of it\)' },
	{ bug => 'L5', co => 'tiled_scale_byte', room => 'tiling', case => 'iree_m64_n128_k512',
	  run => '65x127x1056/general', exit => 1, kinds => ['wrong-bits'],
	  twin => 'gemm_m64_n128_k512' },
	{ bug => 'L7', co => 'tiled_wave_scales', room => 'tiling', case => 'iree_m128_n256_k256',
	  run => '129x255x544/general', exit => 1, kinds => ['wrong-bits'],
	  twin => 'gemm_m128_n256_k256', says => 'a row of A had the scales of the row -64 from it' },
	{ bug => 'L7', co => 'tiled_scale_rows', room => 'tiling', case => 'iree_m64_n128_k512',
	  run => '65x127x1056/general', exit => 1, kinds => ['wrong-bytes', 'wrong-bits'],
	  twin => 'encode', lacks => 'SA_TILES: byte 0 ' },
	{ bug => 'L10', co => 'tiled_scale_order', room => 'tiling', case => 'iree_m128_n256_k256',
	  run => '129x255x544/general', exit => 1, kinds => ['wrong-bytes', 'wrong-bits'],
	  twin => 'encode', lacks => 'SA_TILES: byte 1 ' },
	{ bug => 'L11', co => 'tiled_nibbles', room => 'tiling', case => 'iree_m128_n256_k256',
	  run => '129x255x544/general', exit => 1, kinds => ['wrong-bytes'], twin => 'encode',
	  lacks => 'A_TILES: byte 0 ' },
	{ bug => 'N9', co => 'tiled_border', room => 'tiling', case => 'iree_m128_n256_k256',
	  run => '129x255x544/general', exit => 1, kinds => ['not-written'], twin => 'decode',
	  lacks => 'C: byte 960 \(row 0, byte 960 of it\)' },
	{ bug => 'A12', co => 'store_past_m', case => 'mxfp4_f32', run => '129x128x256/exact',
	  exit => 1, kinds => ['out-of-bounds-write', 'guard-changed'] },
	{ bug => 'A1', co => 'wrapped_bounds', case => 'mxfp4_f32', run => '33554560x16x256/exact',
	  exit => 1, kinds => ['wrong-bits'], lacks => 'C\[128\]\[0\] is 0x00000000',
	  says => 'as if nothing were added' },
	{ bug => 'A4', co => 'wrapped_loads', case => 'mxfp4_f32', run => '33554560x16x256/exact',
	  exit => 1, kinds => ['wrong-bits'], lacks => 'C\[33554432\]\[0\]' },
	{ bug => 'A4', co => 'wrapped_stores', case => 'mxfp4_f32', run => '33554560x16x256/exact',
	  exit => 1, kinds => ['not-written'], lacks => 'C\[33554432\]\[0\]' },
	{ bug => 'A5', co => 'dropped_stores', case => 'mxfp4_f32', run => '8388736x128x32/exact',
	  exit => 1, kinds => ['not-written'], lacks => 'C\[8388608\]\[0\]' },
);

sub judge {
	my ($t, $co, @options) = @_;
	my $case = ($t->{room} // 'gemm') . "/$t->{case}";
	return mxcheck('run', '--case', "cases/$case.yaml", '--co', $co, @options, "$case/$t->{run}");
}

sub is_flagged {
	my ($t, $sentence) = @_;
	my %found = map { $_ => 1 } kinds($out);
	my @missing = grep { !$found{$_} } @{ $t->{kinds} };
	is("$status @missing", "$t->{exit} ", "$sentence with @{$t->{kinds}}, exit $t->{exit}")
		or diag $out, $err;
}

# The findings with their locations, which are the same for the same data and schedule.
sub findings { return join '', $_[0] =~ /^ {6}(?!reproduce|race|diagnosis|pattern)[a-z-]+: .*\n/mg }

# A run that fails, and fails again with the command that it prints. Only the first hunt is repeated,
# because hunts take long.
my $hunts = 0;
sub fails_twice {
	my ($t, $name, $co, @options) = @_;
	judge($t, $co, @options);
	is_flagged($t, "$name fails");
	my $found = findings($out);
	like($out, qr/^ *$t->{kinds}[0]: .*$t->{lacks}/m, 'and names the missing wait or barrier') if $t->{lacks};
	like($out, qr/^ *diagnosis: .*$t->{says}/m, 'and has a diagnosis') if $t->{says};
	return if @options && $hunts++ && !is_long();
	my ($line) = $out =~ /^ *reproduce: (.*)$/m or return fail("$name prints a line that reproduces it");
	run('sh', '-c', $line);
	is_flagged($t, "$name, reproduced by the line it printed, fails");
	is(findings($out), $found, 'with the same findings') unless @options;
}

# Missing wait states leave the same bytes on the emulator, because its matrix instructions end before
# the next instruction begins.
sub hunt {
	my ($t, $name, $co, $twin) = @_;
	my @hunt = ('--race', $t->{hunt} || 20, '--no-analysis');
	if ($t->{hunt}) {
		fails_twice({ %$t, kinds => ['nondeterminism'], lacks => '' }, "$name, $t->{hunt} schedules,",
			$co, @hunt);
	} else {
		is(judge($t, $co, @hunt), 0, 'no schedule gives wrong numbers') or diag $out, $err;
	}
	is(judge($t, $twin, @hunt), 0, 'its correct twin passes them') or diag $out, $err;
}

# The short tier hunts for one of four twins.
my $nth = 0;
for my $t (@twins) {
	my $name = "$t->{bug} $t->{co} at $t->{run}";
	my $co = "$build/kernels/broken/$t->{co}.co";
	my $twin = $t->{twin} // 'mxfp4_gemm';
	$twin = "$build/kernels/" . ($twin =~ m{/} ? '' : ($t->{room} // 'gemm') . '/') . "$twin.co";
	fails_twice($t, $name, $co);
	is(judge($t, $twin), 0, 'its correct twin passes the same command') or diag $out, $err;
	hunt($t, $name, $co, $twin) if defined $t->{hunt} && ($nth++ % 4 == 0 || is_long());
}

# S2 is a bug only if scratch returns apart; else the same code is right.
my $in_order = spew("$dir/in_order.yaml", slurp('cases/gemm/mxfp8_scratch.yaml') =~ s/^assume: .*\n//mr);
my @stale = ('run', '--case', $in_order, '--co', "$build/kernels/broken/stale_address.co", '*/64x64x256/*');
is(mxcheck(@stale, '--race', 20), 0, 'stale_address passes if scratch returns in order')
	or diag $out, $err;
is(mxcheck(@stale, '--scratch-apart'), 3, 'and with --scratch-apart does not');
like($out, qr/^ *reproduce: .* --scratch-apart /m, 'and the reproducing command has the option');

# Atomics of several splits leave many results, all in the set.
is(mxcheck('--race', 200, 'gemm/mxfp4_splitk*'), 0, 'split-K passes under 200 schedules')
	or diag $out, $err;
my %distinct = $out =~ /^pass  (\S+).*?\n.*?, (\d+) distinct result/mg;
is($distinct{'gemm/mxfp4_splitk/32x32x512/general'}, 1, 'one split leaves one result');
is($distinct{'gemm/mxfp4_splitk2/32x32x512/general'}, 1, 'two splits too: a sum of two has no order');
cmp_ok($distinct{'gemm/mxfp4_splitk4/32x32x512/general'}, '>', 100, 'four leave many');

# A gate on SNR would not detect N1.
judge($twins[0], "$build/kernels/broken/bf16_truncate.co");
my ($snr) = $out =~ /snr deq ([\d.]+) dB/;
cmp_ok($snr // 0, '>', 45, 'bf16_truncate has an SNR above 45 dB');
like($out, qr/^ +ulp 0: \d+, 1: \d+; largest 1$/m, '  but errors of an ulp') or diag $out;

done_testing();
