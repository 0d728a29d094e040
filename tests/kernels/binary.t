#!/usr/bin/perl
# The code of our kernels: the broken twins differ from the correct kernel as documented, and the
# kernels use the intended instructions.
use strict;
use warnings;
use Test::More;
require './tests/ci/gate.pl';
our ($build, $dir, $out, $err);

my $llvm = llvm();
my @kernels = qw(mxfp4_gemm_f32 mxfp4_gemm_bf16);
my @files   = ('gemm/mxfp4_gemm.co', map { s{^kernels/(.*)\.c$}{$1.co}r }
	grep { slurp($_) =~ m{^#include "../gemm/mxfp4_gemm.c"}m } glob 'kernels/broken/*.c');

# file => kernel => its lines of llvm-objdump; those of all kernels are ''
my %listing;
sub read_listings {
	run("$llvm/llvm-objdump", '-d', '--no-show-raw-insn', @_) == 0 or BAIL_OUT("@_: $err");
	my ($file, $kernel);
	for my $line (split /\n/, $out) {
		$file = $1 if $line =~ /^(\S+):\s+file format/;
		$kernel = $1 if $line =~ /^[0-9a-f]+ <(.*)>:/;
		push @{ $listing{$file}{$_} }, $line for $line =~ /^\s+[a-z]/ ? ('', $kernel) : ();
	}
}

# The lines of a kernel, or of all, in the order of the code.
sub listing {
	my ($co, $kernel) = @_;
	my $file = -e $co ? $co : "$build/kernels/$co";
	read_listings(glob("$build/kernels/gemm/mx*.co"), grep { !m{/gemm/} } map { "$build/kernels/$_" } @files) if !%listing; # most that are asked for
	read_listings($file) if !$listing{$file};
	return @{ $listing{$file}{ $kernel // '' } // BAIL_OUT("$co has no " . ($kernel // 'code')) };
}

# Their instructions.
sub disassemble { return map { m{^\s+([a-z]\w+.*?)\s*(?://.*)?$} ? $1 : () } listing(@_) }

# One word for each instruction that synchronises or is ordered so; repeated words once.
#   load (to LDS)  vmcnt(n)  barrier  read (from LDS)  lgkmcnt(n)  mfma  setprio(n)
sub skeleton {
	my @words = map {
		/^s_waitcnt/                 ? /(\w+cnt\(\d+\))/g
			: /^buffer_load.* lds$/  ? 'load'
			: /^s_barrier/           ? 'barrier'
			: /^ds_read/             ? 'read'
			: /^v_mfma/              ? 'mfma'
			: /^s_setprio (\d)/      ? "setprio($1)"
			: ()
	} @_;
	my $last = '';
	return join ' ', grep { my $new = $_ ne $last; $last = $_; $new } @words;
}

# The synchronisation between loads to LDS and the reads, and from there to the next barrier.
sub steps {
	return skeleton(grep { !/^v_mfma/ } @_) =~ /load ((?:(?!load)\S+ )*?read) ((?:\S+ )*?barrier)/g;
}

my %code;
for my $co (@files) {
	for my $kernel (@kernels) {
		my @code = disassemble($co, $kernel);
		$code{"$co $kernel"} = \@code;
		my @to_lds = grep { /^buffer_load.* lds$/ } @code;
		my @mfma   = grep { /^v_mfma/ } @code;
		is(scalar(grep { !/^buffer_load_dwordx4 / } @to_lds) . ' of ' . @to_lds, '0 of 24',
			"$co $kernel: every load to LDS loads 16 bytes a lane");
		is(scalar(grep { !/^v_mfma_scale_f32_16x16x128_f8f6f4 .*cbsz:4 blgp:4/ } @mfma) . ' of '
			. @mfma, '0 of 64', "$co $kernel: every MFMA is a scaled one, of two FP4 operands");
		is_deeply([ grep { /^scratch_|^buffer_.* off, s\[0:3\]/ } @code ], [],
			"$co $kernel: no instruction touches scratch");
	}
	run("$llvm/llvm-readelf", '--notes', "$build/kernels/$co");
	is_deeply([ $out =~ /(\.(?:private_segment_fixed_size|[sv]gpr_spill_count): +[1-9]\d*)/g ], [],
		"$co: no kernel spills or has scratch");
}

# ---- the pipeline ----

# Between loads and reads, and from there to the next barrier.
my @pipelines = (
	[ 'gemm/mxfp4_gemm.co',            'vmcnt(16) barrier read',  'lgkmcnt(0) barrier' ],
	[ 'broken/barrier_before_wait.co', 'vmcnt(16) barrier read',  'barrier' ],
	[ 'broken/loose_wait.co',          'vmcnt(17) barrier read',  'lgkmcnt(0) barrier' ],
	[ 'broken/wrong_counter.co',       'lgkmcnt(0) barrier read', qr/\blgkmcnt\(0\) .*barrier$/ ],
);
for my $kernel (@kernels) {
	for (@pipelines) {
		my ($co, $before, $after) = @$_;
		my @steps = steps(@{ $code{"$co $kernel"} });
		is(@steps / 2, 2, "$co $kernel: the loop has two steps, for two buffers of LDS");
		while (my ($b, $a) = splice @steps, 0, 2) {
			is($b, $before, "$co $kernel: the synchronisation before the reads");
			ref $after ? like($a, $after, 'and after them') : is($a, $after, 'and after them');
		}
	}
}

# The number of MFMAs that read registers of a pending read of LDS.
sub lifted {
	my ($n, @pending) = (0);
	for (@_) {
		push @pending, [ $1 .. $2 ] if /^ds_read_b128 v\[(\d+):(\d+)\]/;
		splice @pending, 0, @pending - $1 if /^s_waitcnt .*lgkmcnt\((\d+)\)/ && $1 < @pending;
		next unless /^v_mfma\S+ \S+ v\[(\d+):(\d+)\], v\[(\d+):(\d+)\]/;
		my %read = map { $_ => 1 } $1 .. $2, $3 .. $4;
		$n++ if grep { $read{$_} } map { @$_ } @pending;
	}
	return $n;
}

for my $kernel (@kernels) {
	is(lifted(@{ $code{"$_ $kernel"} }), 0, "$_ $kernel: no MFMA moves above the wait for its operands")
		for map { $_->[0] } @pipelines;
	cmp_ok(lifted(@{ $code{"broken/unnamed_fragments.co $kernel"} }), '>', 1,
		"broken/unnamed_fragments.co $kernel: several do");
}

# ---- reads that the compiler merges ----

# Reads of scales, the last before the second barrier, and the number that the wait leaves in flight.
sub scales {
	my @code = disassemble(shift, 'mxfp8_gemm_f32');
	my ($reads, $left) = (0);
	for (@code) {
		$reads = 0 if /^s_barrier|^ds_read_b128/;
		$reads++ if /^ds_read/ && !/b128/;
		$left = $1, last if $reads && /^s_waitcnt lgkmcnt\((\d+)\)/;
	}
	return ($reads, $left);
}

is_deeply([ scales('gemm/mxfp8_gemm.co') ], [ 4, 4 ], 'mxfp8_gemm: 4 reads of scales, all allowed in flight');
is_deeply([ scales('broken/merged_reads.co') ], [ 2, 8 ], 'merged_reads: 2 reads, and 8 allowed in flight');

# The same source at -O3, and at -O3 without merged reads: 8, as the wait assumes.
for ([ 3, 2 ], [ 0, 8, '-fno-slp-vectorize', '-mllvm', '-amdgpu-load-store-vectorizer=0',
	'-Xclang', '-target-feature', '-Xclang', '-load-store-opt' ]) {
	my ($status, $reads, @options) = @$_;
	my $co = compile_with('kernels/broken/merged_reads.c', "$dir/merged$reads.co", '-O3', @options);
	is_deeply([ scales($co) ], [ $reads, 8 ], "merged_reads at -O3 @options: $reads reads");
	is(mxcheck('run', '--case', 'cases/gemm/mxfp8_f32.yaml', '--co', $co, '*/64x64x512/*'), $status,
		$status ? 'which is a race' : 'which is right') or diag $out, $err;
}

# ---- ping-pong: the clusters of two steps, which are the loop's body ----

# The code of loops without loops inside: from the target of each branch back to it.
sub loops {
	my (@code, @at, @loops);
	for (listing(@_)) {
		next unless m{^\s+([a-z]\w+.*?)\s*// (\w+):};
		push @code, $1;
		push @at, hex $2;
		next unless $1 =~ /^s_c?branch\w* (\d+)/ && $1 > 0x7fff;
		my $target = $at[-1] + 4 + 4 * ($1 - 0x10000);
		push @loops, [ @code[ grep { $at[$_] >= $target } 0 .. $#code ] ];
	}
	return @loops;
}

my @memory = ('read load vmcnt(8) lgkmcnt(0) barrier', 'read load read load vmcnt(14) lgkmcnt(0) barrier');
my @late   = map { s/(vmcnt\S+) (.*)/$2 $1/r } @memory;
my $matrix = 'setprio(1) mfma setprio(0)';
my %loop = (
	'gemm/mxfp4_pingpong.co'    => join(' ', map { "$_ $matrix barrier" } @memory, @memory),
	'broken/late_wait.co'       => join(' ', map { "$_ $matrix barrier" } @late, @late),
	'broken/missing_barrier.co' => join(' ', map { "$_ $matrix" } @memory, @memory),
);
for my $co (sort keys %loop) {
	for my $kernel (qw(mxfp4_pingpong_f32 mxfp4_pingpong_bf16)) {
		my @code = disassemble($co, $kernel);
		my ($loop) = loops($co, $kernel);
		is(skeleton(@$loop), $loop{$co}, "$co $kernel: the clusters of two steps");
		is(scalar(grep { /^s_barrier/ } @code[ grep { $code[ $_ - 1 ] =~ /^s_cbranch/ } 1 .. $#code ]), 2,
			"$co $kernel: the first barrier of one group and the last of the other are conditional");
		is(scalar(grep { /^scratch_|^buffer_.* off, s\[0:3\]/ } @code), 0,
			"$co $kernel: no instruction touches scratch");
	}
}

# ---- ping-pong and pipelined: the body of the loop, two tiles of K ----

# MFMA of the loop and their cycles, the least share of MFMA in it and at K = 2048, and the waits and
# barriers of a tile.
# The pipelined ones wait for B and scales, for the next A, and once for all waves.
sub tile { return "vmcnt($_[0]) lgkmcnt(0) vmcnt($_[1]) lgkmcnt(0) barrier" }
my $clusters = 'vmcnt(8) lgkmcnt(0) barrier vmcnt(14) lgkmcnt(0) barrier';
my @production = (
	[ mxfp4_pingpong  => [qw(mxfp4_pingpong_f32 mxfp4_pingpong_bf16)], 128, 2048, 50, 40, $clusters ],
	[ mxfp4_pipelined => [qw(mxfp4_pipelined_f32 mxfp4_pipelined_bf16 mxfp4_masked_f32 mxfp4_masked_bf16)], 256, 4096, 50, 40, tile(8, 26) ],
	[ a8w4_pipelined  => [qw(a8w4_pipelined_f32 a8w4_pipelined_bf16 a8w4_masked_f32 a8w4_masked_bf16)], 256, 8192, 50, 35, tile(0, 18) ],
	[ mxfp6_pipelined => [qw(mxfp6_pipelined_f32 mxfp6_pipelined_bf16)], 256, 4096, 50, 35, tile(0, 26) ],
	[ mxfp6_pipelined => [qw(mxfp6_masked_f32 mxfp6_masked_bf16)], 256, 4096, 50, 33, tile(0, 26) ],
);
for my $of (@production) {
	my ($co, $kernels, $products, $cycles, $in_loop, $least, $waits) = @$of;
	for my $kernel (is_long() ? @$kernels : $$kernels[0]) {
		my $case = "gemm/$kernel";
		my ($loop) = loops("gemm/$co.co", $kernel);
		my $mfma = grep { /^v_mfma/ } @$loop;
		is($mfma, $products, "$kernel: the loop multiplies two tiles");
		cmp_ok(100 * $mfma / @$loop, '>=', $in_loop, "$kernel: $in_loop % of the loop's instructions are MFMA");
		cmp_ok(scalar(grep { /^v_(?!mfma)/ } @$loop), '<=', 8, "$kernel: few other vector instructions: addresses in LDS");
		is(skeleton(grep { /^s_waitcnt vmcnt|^s_barrier/ } @$loop), join(' ', ($waits) x 2), "$kernel: the waits and barriers of a tile");
		mxcheck('run', '--case', "cases/$case.yaml", '-v', '--no-analysis', '--shape', '256,256,2048', '--regime', 'exact', $case);
		my ($share) = $out =~ /wave instructions, ([\d.]+) % MFMA/ or diag $out, $err;
		like($out, qr/^ *loop .*, $products MFMA .* passes of MFMA $cycles cycles: bound by MFMA$/m, "$kernel: its loop is bound by MFMA");
		cmp_ok($share, '>=', $least, "$kernel: $least % of the instructions at K = 2048 are MFMA");
	}
}

# ---- hunts ----

# `make check-nightly` hunts in the runs tagged race.
my %hunted = map { my $case = slurp($_); $case =~ /tags: \[.*race\]/ ? map { $_ => 1 } $case =~ /^[ -]*kernel: *(\w+)/mg : () } glob 'cases/*/*.yaml';
my @ours = map { run("$build/mxcheck", 'lint', $_); $out =~ /^kernel (\w+):/mg }
	grep { !m{/(?:broken|corunners|probe|foreign)/} } glob "$build/kernels/*/*.co";
is_deeply([ grep { !$hunted{$_} } @ours ], [], 'each of ' . @ours . ' kernels has a run tagged race');

# ---- the table of kernels/README.md ----

SKIP: {
	skip 'MXCHECK_LONG is not set', 1 unless is_long();
	my ($table, $clang) = slurp('kernels/README.md') =~ /^`make kernel-report` .* clang (\d+)\..*?^(\| kernel .*?)\n\n/ms ? ($2, $1) : ();
	run("$llvm/clang", '--version');
	skip "the table is of clang $clang", 1 unless $out =~ /clang version $clang\./;
	run($^X, 'kernels/report.pl', $build, $llvm) == 0 or diag $err;
	is($out, "$table\n", 'the table of kernels/README.md is that of kernel-report');
}

# ---- epilogues: the code after the last MFMA ----

sub epilogue {
	my @code = @{ $code{ $_[0] } };
	my ($last) = grep { $code[$_] =~ /^v_mfma/ } reverse 0 .. $#code;
	return @code[ $last + 1 .. $#code ];
}

# To nearest even: the bit above the cut, v_bfe_u32 x, 16, 1, is added with 0x7fff.
sub rounds { return scalar grep { /^v_bfe_u32 .*, 16, 1$/ } epilogue($_[0]) }

is(rounds('gemm/mxfp4_gemm.co mxfp4_gemm_bf16'), 64, 'the bf16 epilogue rounds each of 64 elements');
is(rounds('broken/bf16_truncate.co mxfp4_gemm_bf16'), 0, 'the epilogue of bf16_truncate rounds none');

# The output's num_records is rows * N * size. With rows fixed at 128 it is N shifted, no product.
sub products { return scalar grep { /^s_mul_i32/ } epilogue($_[0]) }

for my $kernel (@kernels) {
	is(products("gemm/mxfp4_gemm.co $kernel") - products("broken/store_past_m.co $kernel"), 1,
		"$kernel of store_past_m has one product less: the rows left do not bound its output");
}

# A column past N is stored past the buffer's end, by a select for each element.
sub selects { return scalar grep { /^v_cndmask/ } epilogue($_[0]) }

for my $kernel (@kernels) {
	is(selects("gemm/mxfp4_gemm.co $kernel") - selects("broken/store_past_n.co $kernel"), 64,
		"$kernel of store_past_n lacks the selects that exclude columns past N");
}

# ---- split-K ----

for my $co ('gemm/mxfp4_splitk.co', 'broken/splitk_lost.co', 'broken/splitk_doubled.co') {
	my @code = disassemble($co, 'mxfp4_splitk_bf16');
	is(scalar(grep { /^v_mfma_scale_f32_16x16x128_f8f6f4 .*cbsz:4 blgp:4/ } @code), 1,
		"$co: one scaled MFMA of two FP4 operands");
	ok(scalar(grep { /^global_atomic_pk_add_bf16 / } @code), "$co: packed bf16 atomics");
	is(scalar(grep { /^(?:global|flat|buffer)_store/ } @code), 0, "$co: and no stores");
}

my @code = disassemble('broken/splitk_stored.co', 'mxfp4_splitk_bf16');
is(scalar(grep { /atomic/ } @code), 0, 'broken/splitk_stored.co: no atomics');
is(scalar(grep { /^global_store_dword / } @code), 2, 'broken/splitk_stored.co: stores instead');

# ---- wait states ----

# The fewest wait states between an instruction and the next one that matches.
sub states {
	my ($first, $second, @code) = @_;
	my ($states, $least);
	for (@code) {
		$least = $states if /$second/ && defined $states && (!defined $least || $states < $least);
		$states = undef if /$second/;
		$states += /^s_nop (\d+)/ ? $1 + 1 : 1 if defined $states;
		$states = 0 if /$first/;
	}
	return $least;
}

my @wait_states = ([ 'foreign/mxfp8_asm.co', 2, 12 ], [ 'broken/early_scale.co', 0, 12 ],
	[ 'broken/early_store.co', 2, 6 ]);
for (@wait_states) {
	my ($co, $multiply, $store) = @$_;
	my @code = disassemble($co);
	is(states(qr/^v_lshrrev_b32_e32 v\d+, v10/, qr/^v_mfma/, @code), $multiply,
		"$co: $multiply wait states from a scale to its MFMA");
	is(states(qr/^v_mfma/, qr/^buffer_store/, @code), $store, "and $store from an MFMA to the store");
}

# ---- persistent kernels ----

# The code with the target of each s_branch inlined, because blocks have any order.
sub with_branches {
	my @code = @_;
	my ($base) = map { $_->{at} } @code;
	my %index = map { $code[$_]{at} - $base => $_ } 0 .. $#code;
	return map { $_->{text} =~ /^s_branch/ ? @code[ $index{ $_->{to} } .. $#code ] : $_ } @code;
}

# The loop: two steps, each of 12 loads, a wait that leaves them, 4 MFMAs; those of the first may
# be among the loads of the second. The result is the number of operations that the wait after the
# loop leaves in flight before the tile is stored.
sub persistent {
	my @code = map {
		m{^\s+([a-z]\w+.*?)\s*// (\w+):.*?(?:<\w+(?:\+(0x\w+))?>)?$}
			? { text => $1, at => hex $2, to => hex($3 // 0) } : ()
	} listing(shift, 'mxfp8_persistent');
	my @words = map {
		/^buffer_load/ ? 'load' : /^s_waitcnt .*(vmcnt\(\d+\))/ ? $1 : /^v_mfma/ ? 'mfma'
			: /^buffer_store/ ? 'store' : ()
	} map { $_->{text} } with_branches(@code);
	my $text = join ' ', @words;
	return $text =~ /(?:load ){12}vmcnt\(12\) (?:load |mfma ){16}vmcnt\(12\) (?:mfma ){4}((?:vmcnt\(\d+\) )?)store/
		? $1 : 'no pipeline';
}

# The barriers after lgkmcnt(0), of all barriers.
sub wave_sync {
	my @code = disassemble(shift, 'mxfp8_persistent');
	my @at = grep { $code[$_] eq 's_barrier' } 0 .. $#code;
	return scalar(grep { $code[ $_ - 1 ] eq 's_waitcnt lgkmcnt(0)' } @at) . ' of ' . @at;
}

for ([ 'gemm/mxfp8_persistent.co', 'vmcnt(0) ', 3 ], [ 'broken/dead_load.co', '', 3 ],
	[ 'broken/reused_slot.co', 'vmcnt(0) ', 2 ]) {
	my ($co, $drain, $barriers) = @$_;
	is(persistent($co), $drain, "$co: after the pipeline the last loads are "
		. ($drain ? 'waited for' : 'left in flight'));
	is(wave_sync($co), "$barriers of $barriers", "$co: $barriers barriers, each after lgkmcnt(0)");
	is(scalar(grep { /^global_atomic_add .* sc0$/ } disassemble($co, 'mxfp8_persistent')), 1,
		"$co: one atomic, which returns");
}

# ---- addresses from scratch ----

# Loads to LDS between the reload of an address and its use in the loop, and the wait there.
sub reloads {
	my ($loads, $wait, $register, @found);
	for (disassemble(shift, 'mxfp8_scratch')) {
		($register, $loads) = ($1, 0) if /^scratch_load_dword (v\d+)/;
		$loads++ if /^buffer_load.* lds$/;
		$wait = $1 if /^s_waitcnt .*vmcnt\((\d+)\)/;
		push @found, "$loads $wait" if $register && /^v_readfirstlane_b32 s\d+, $register$/;
	}
	return "@found";
}

is(reloads('gemm/mxfp8_scratch.co'), '12 0', 'mxfp8_scratch: the wait before the use of the address leaves nothing in flight');
is(reloads('broken/stale_address.co'), '12 12', 'stale_address: it leaves the later loads to LDS in flight');

# ---- the 256x256 tile of MXFP8 ----

# The innermost loop with MFMA: from the target of a backward branch to the branch.
sub inner_loop {
	my ($co, $kernel) = @_;
	my (%at, @code, @loop);
	for (listing($co, $kernel)) {
		my ($text, $address) = m{^\s+(\S.*?)\s*// ([0-9A-F]+):} or next;
		$at{ hex $address } = @code;
		push @code, $text;
		my ($to) = /<\Q$kernel\E\+0x([0-9a-f]+)>$/ or next;
		my $first = $at{ hex($to) + (sort { $a <=> $b } keys %at)[0] };
		next if !defined $first || (@loop && @loop <= @code - $first);
		my @body = @code[$first .. $#code];
		@loop = @body if grep { /^v_mfma/ } @body;
	}
	return @loop;
}

# Of a loop: MFMA, vector ALU instructions, all.
sub shares {
	my $mfma = grep { /^v_mfma/ } @_;
	return ($mfma, scalar(grep { /^v_(?!mfma)/ } @_), scalar @_);
}

for (map { [ 'gemm/mxfp8_grouped.co', $_ ] } qw(mxfp8_grouped_bf16 mxfp8_grouped_f16 mxfp8_grouped_e5m2 mxfp8_grouped_gradient)) {
	my ($co, $kernel) = @$_;
	my ($mfma, $valu, $all) = shares(inner_loop($co, $kernel));
	cmp_ok(2 * $mfma, '>=', $all, "$kernel: $mfma of $all instructions of its loop are MFMA");
	cmp_ok(2 * $valu, '<=', $mfma, "  and $valu other vector instructions");
}

# The accumulators have fixed AGPRs, which the compiler must not use for anything else.
sub accumulators {
	my %n;
	/^v_accvgpr_(\w+?)_b32/ && $n{$1}++ for disassemble(@_);
	return join ', ', map { "$_ $n{$_}" } sort keys %n;
}
is(accumulators('gemm/mxfp8_grouped.co', 'mxfp8_grouped_bf16'), 'read 256', 'mxfp8_grouped: each accumulator is read once');
is(accumulators('gemm/mxfp8_wgrad.co', 'mxfp8_wgrad_bf16'), 'read 256, write 256', 'mxfp8_wgrad: and cleared once');

# ---- alpha, beta and bias ----

# For a lane's 16 elements: rounded products, fused ones with C, sums with the bias; loads of C, and
# whether a branch may skip them; loads of a bias for each of two columns.
sub terms {
	my %n;
	for (disassemble(shift, 'mxfp8_epilogue')) {
		$n{$2} += $1 ? 2 : 1 if /^v_(pk_)?(mul|fma|fmac|add)_f32/;
		$n{$1}++ if /^(buffer_load_(?:ushort|dword)|scratch|s_cbranch_vcc)/ && !/dwordx4/;
	}
	my $fused = ($n{fma} // 0) + ($n{fmac} // 0);
	return "$n{mul} $fused $n{add}, C $n{buffer_load_ushort}" . ($n{s_cbranch_vcc} ? ' or none' : '')
		. ', bias ' . ($n{buffer_load_dword} // 0) . ($n{scratch} ? ' scratch' : '');
}

is(terms('gemm/mxfp8_epilogue.co'), '16 16 16, C 16 or none, bias 2', 'mxfp8_epilogue: each step once');
is(terms('broken/zero_times_c.co'), '16 16 16, C 16, bias 2', 'zero_times_c: C is read in any case');
is(terms('broken/bias_of_rows.co'), '16 16 16, C 16 or none, bias 0', 'bias_of_rows: no bias by column');

done_testing();
