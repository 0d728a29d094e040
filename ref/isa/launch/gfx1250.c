/* The instruction set of gfx1250: encodings, counters, barriers, and the start of a wave. What it
 * shares with gfx950 is elsewhere. */
#include "../alu/functions.h"
#include "../encoding/decode.h"
#include "../encoding/disasm.h"
#include "../encoding/gfx1250.h"
#include "../encoding/hwreg.h"
#include "../encoding/instruction_set.h"
#include "../machine/registers.h"
#include "../memory/together.h"
#include "../schedule/clusters.h"
#include "../waitstates/hazard.h"
#include "launch.h"

/* ---- the start of a wave ---- */

/* Sets the number of a workgroup's cluster in each dimension, and returns its place in the cluster:
 * its number 3:0, 7:4, 11:8, the last number 15:12, 19:16, 23:20, and that of all workgroups 27:24
 * [CDNA5 2.3.1]. Without a cluster the number is that of the workgroup. */
static uint32_t find_cluster(const struct mx_group *g, uint32_t id[3]) {
	const uint32_t *size = g->run->launch->cluster;
	uint32_t place = g->cluster ? (mx_cluster_size(g->run->launch) - 1) << 24 : 0;
	for (unsigned i = 0; i < 3; i++) {
		uint32_t n = g->cluster ? size[i] : 1;
		id[i] = g->id[i] / n;
		place |= g->id[i] % n << 4 * i | (n - 1) << (12 + 4 * i);
	}
	return place;
}

/* The number of the workgroup, its wave, and the place in a cluster, which is 0 without one [LLVM
 * "Initial Kernel Execution State": architected SGPRs]. */
static void start(struct mx_wave *w) {
	enum { TTMP6 = MX_TTMP0 + 6, TTMP7, TTMP8, TTMP9, WAVE_SHIFT = 25 };
	uint32_t id[3], in_cluster = find_cluster(w->group, id);
	w->mode = w->group->run->launch->kernel->mode;
	mx_start_user_sgprs(w);
	for (unsigned i = MX_TTMP0; i < MX_M0; i++)
		mx_swrite(w, i, 0, 0);
	mx_swrite(w, TTMP6, in_cluster, 0);
	mx_swrite(w, TTMP7, (id[1] & 0xffff) | id[2] << 16, 0);
	mx_swrite(w, TTMP8, w->index << WAVE_SHIFT, 0);
	mx_swrite(w, TTMP9, id[0], 0);
	mx_start_lanes(w);
}

static const char *unsupported_cluster(const struct mx_launch *l) {
	if (mx_cluster_size(l) > MX_CLUSTER_GROUPS)
		return "a cluster of more than 16 workgroups";
	for (unsigned i = 0; mx_cluster_size(l) > 1 && i < 3; i++)
		if (l->grid[i] % l->cluster[i])
			return "a grid that is not a whole number of clusters";
	return mx_cluster_size(l) == 1 || !l->n_workgroups || mx_clusters_are_whole(l)
	               ? NULL
	               : "a list of workgroups that has a part of a cluster";
}

static const char *unsupported(const struct mx_launch *l) {
	const char *sgprs = mx_unsupported_user_sgprs(l);
	if (sgprs)
		return sgprs;
	const char *cluster = unsupported_cluster(l);
	if (cluster)
		return cluster;
	return l->kernel->lds_bytes + l->dynamic_lds > MX_GFX1250_LDS ? "more than 320 KiB of LDS"
	                                                              : NULL;
}

/* ---- the set ---- */

#define COUNTER(name, most)                                                                        \
	{ name, most, "s_wait_" name, " ", "" }

const struct mx_isa mx_gfx1250 = {
	.name = "gfx1250",
	.wave_size = 32,
	.vgprs = MX_GFX1250_VGPRS,
	/* Loads return in order among themselves, so do stores, and LDS operations with the part in
	 * LDS of FLAT: LLVM waits for an LDS load before a FLAT one with dscnt 1
	 * [SIInsertWaitcnts]. Scalar loads return in any order. Asynchronous loads, and stores,
	 * count in order and land in any [ISA 10.8]; tensor operations are one queue [ISA
	 * 10.11.1]. */
	.n_counters = MX_GFX1250_COUNTERS,
	.counter = { [MX_COUNTER_LOAD] = COUNTER("loadcnt", MX_MOST_COUNT),
	             [MX_COUNTER_STORE] = COUNTER("storecnt", MX_MOST_COUNT),
	             [MX_COUNTER_DS] = COUNTER("dscnt", MX_MOST_COUNT),
	             [MX_COUNTER_KM] = COUNTER("kmcnt", MX_MOST_KM),
	             [MX_COUNTER_ASYNC] = COUNTER("asynccnt", MX_MOST_COUNT),
	             [MX_COUNTER_TENSOR] = COUNTER("tensorcnt", MX_MOST_COUNT) },
	.n_streams = MX_GFX1250_STREAMS,
	.stream = { [MX_STREAM_LOAD] = { MX_COUNTER_LOAD, MX_PATH_MEMORY, MX_IN_ORDER },
	            [MX_STREAM_STORE] = { MX_COUNTER_STORE, MX_PATH_MEMORY, MX_IN_ORDER },
	            [MX_STREAM_LDS] = { MX_COUNTER_DS, MX_PATH_LDS, MX_IN_ORDER },
	            [MX_STREAM_KM] = { MX_COUNTER_KM, MX_PATH_SCALAR, MX_ANY_ORDER },
	            [MX_STREAM_ASYNC_LOAD] = { MX_COUNTER_ASYNC, MX_PATH_ASYNC,
	                                       MX_COUNTED_IN_ORDER },
	            [MX_STREAM_ASYNC_STORE] = { MX_COUNTER_ASYNC, MX_PATH_ASYNC,
	                                        MX_COUNTED_IN_ORDER },
	            [MX_STREAM_TENSOR] = { MX_COUNTER_TENSOR, MX_PATH_ASYNC, MX_IN_ORDER } },
	/* The lane is in bits 56:52. LLVM takes an address for one of scratch if its upper half
	 * differs from the base in bits 25:0 alone [AMDGPULegalizerInfo], so bit 26 is set. */
	.scratch_high = 1 << 26 | MX_PRIVATE_APERTURE,
	.scratch_lane = 31 << 20,
	.wide_buffers = true,
	.l2_denormals = true,
	.split_barriers = true,
	.n_barriers = MX_GFX1250_BARRIERS,
	.cluster_barrier = MX_BARRIER_CLUSTER,
	.barrier = "s_barrier_signal, s_barrier_wait",
	.arrival = "s_barrier_signal",
	.wait_with = mx_gfx1250_wait_with,
	.nop = { "s_nop", 0xbf800000 },
	.matrix = "WMMA",
	.settled_hwregs = 1ull << MX_HW_MODE | 1ull << MX_HW_IB_STS2,
	.settled_ttmps = 1 << 6 | 1 << 7 | 1 << 8 | 1 << 9,
	.sched_mode = MX_HW_SCHED_MODE,
	.release_message = 3, /* MSG_DEALLOC_VGPRS */
	.start = start,
	.read_hwreg = mx_gfx1250_read_hwreg,
	.write_hwreg = mx_gfx1250_write_hwreg,
	.unsupported = unsupported,
	.ops = mx_gfx1250_ops,
	.n_ops = MX_OPS,
	.encodings = &mx_gfx1250_encodings,
	.decode = mx_gfx1250_decode,
	.rebank = mx_gfx1250_rebank,
	.banks_set = mx_gfx1250_banks_set,
	.disassemble = mx_gfx1250_disassemble,
	.banks_after = mx_gfx1250_banks_after,
	.handlers = mx_all_handlers,
	.access_of = mx_access_of,
	.land_access = mx_access_land,
	.hazards = &mx_gfx1250_hazards,
};
