/* The initial state of a wave of gfx950: what the kernel descriptor requests and the hardware sets
 * up [ISA 3.13; LLVM "Initial Kernel Execution State"]. User SGPRs are the same on gfx1250. */
#include "../encoding/gfx950.h"
#include "../machine/device_memory.h"
#include "../machine/registers.h"
#include "../schedule/clusters.h"
#include "../memory/scratch.h"
#include "launch.h"

/* Bits of KERNEL_CODE_PROPERTIES, in the order of their SGPRs [LLVM "Kernel Descriptor"]. */
enum {
	PRIVATE_SEGMENT_BUFFER = 1 << 0,
	DISPATCH_PTR = 1 << 1,
	QUEUE_PTR = 1 << 2,
	KERNARG_SEGMENT_PTR = 1 << 3,
	DISPATCH_ID = 1 << 4,
	FLAT_SCRATCH_INIT = 1 << 5,
	PRIVATE_SEGMENT_SIZE = 1 << 6,
	WAVE32 = 1 << 10,
	DYNAMIC_STACK = 1 << 11,
	KNOWN_PROPERTIES = 0x7f | WAVE32 | DYNAMIC_STACK,
};

enum { PRELOAD_SKIP = 256 }; /* bytes of code for firmware without kernarg preload */

/* Bits of the work-group info SGPR [LLVM "SGPR Register Set Up Order"]. */
#define FIRST_WAVE (1u << 31)

/* ---- SGPRs ---- */

static unsigned push(struct mx_wave *w, unsigned sgpr, uint32_t value) {
	mx_swrite(w, sgpr, value, 0);
	return sgpr + 1;
}

static unsigned push64(struct mx_wave *w, unsigned sgpr, uint64_t value) {
	return push(w, push(w, sgpr, (uint32_t)value), (uint32_t)(value >> 32));
}

static unsigned push_kernarg_preload(struct mx_wave *w, unsigned sgpr) {
	const struct mx_launch *launch = w->group->run->launch;
	const struct mx_kernel *k = launch->kernel;
	for (unsigned i = 0; i < k->preload_dwords; i++) {
		uint64_t address = launch->kernarg + 4 * (k->preload_offset + i);
		uint32_t unwritten, v = 0;
		if (mx_memory_check(w, NULL, -1, address, 4, false))
			v = mx_memory_read(w, NULL, -1, address, 4, &unwritten);
		mx_check_given(w, NULL, address, 4);
		sgpr = push(w, sgpr, v);
		if (w->wanted & MX_WATCH_PRELOAD)
			mx_watch_preload(w, address, 4);
	}
	return sgpr;
}

void mx_start_user_sgprs(struct mx_wave *w) {
	const struct mx_launch *l = w->group->run->launch;
	const struct mx_kernel *k = l->kernel;
	unsigned sgpr = 0;
	w->pc = k->entry - mx_program_base(l->program) + (k->preload_dwords ? PRELOAD_SKIP : 0);
	if (k->properties & DISPATCH_PTR)
		sgpr = push64(w, sgpr, l->dispatch);
	if (k->properties & QUEUE_PTR)
		sgpr = push64(w, sgpr, l->queue);
	if (k->properties & KERNARG_SEGMENT_PTR)
		sgpr = push64(w, sgpr, l->kernarg);
	if (k->properties & DISPATCH_ID)
		sgpr = push64(w, sgpr, l->dispatch_id);
	if (k->properties & PRIVATE_SEGMENT_SIZE)
		sgpr = push(w, sgpr, k->scratch_bytes);
	push_kernarg_preload(w, sgpr);
}

static void push_system_sgprs(struct mx_wave *w) {
	const struct mx_kernel *k = w->group->run->launch->kernel;
	unsigned sgpr = k->user_sgprs;
	for (unsigned i = 0; i < 3; i++)
		if (k->workgroup_id[i])
			sgpr = push(w, sgpr, w->group->id[i]);
	if (k->workgroup_info)
		push(w, sgpr, (w->index ? 0 : FIRST_WAVE) | w->group->n_waves);
	for (unsigned i = MX_TTMP0; i < MX_M0; i++)
		push(w, i, 0);
}

/* FLAT_SCRATCH is only an address that no global access can reach [assumed]. */
enum { FLAT_SCRATCH_BASE = 3 << 16 };

void mx_gfx950_start(struct mx_wave *w) {
	w->mode = w->group->run->launch->kernel->mode;
	mx_start_user_sgprs(w);
	push_system_sgprs(w);
	mx_start_lanes(w);
	mx_swrite64(w, MX_FLAT_SCRATCH, (uint64_t)FLAT_SCRATCH_BASE << 32, 0);
}

/* ---- unsupported state ---- */

/* SGPRs that the kernel's properties and preload occupy. */
static unsigned sgprs_set_up(const struct mx_kernel *k) {
	static const uint8_t size[] = { 4, 2, 2, 2, 2, 2, 1 };
	unsigned n = k->preload_dwords;
	for (unsigned i = 0; i < sizeof size; i++)
		n += k->properties >> i & 1 ? size[i] : 0;
	return n;
}

const char *mx_unsupported_user_sgprs(const struct mx_launch *l) {
	const struct mx_kernel *k = l->kernel;
	bool waves_of_32 = mx_program_isa(l->program)->wave_size == 32;
	if (k->properties & (PRIVATE_SEGMENT_BUFFER | FLAT_SCRATCH_INIT))
		return "SGPRs for a private segment buffer or FLAT_SCRATCH, which the hardware "
		       "sets up by itself";
	if (!!(k->properties & WAVE32) != waves_of_32)
		return waves_of_32 ? "waves of 64: gfx1250 has waves of 32"
		                   : "wave32: gfx950 has waves of 64";
	if (k->properties & ~KNOWN_PROPERTIES)
		return "a reserved kernel property";
	if (sgprs_set_up(k) > k->user_sgprs)
		return "more user SGPRs set up than the descriptor counts";
	if ((k->properties & DISPATCH_PTR && !l->dispatch) ||
	    (k->properties & QUEUE_PTR && !l->queue))
		return "a dispatch packet or queue in a launch that has none";
	return NULL;
}

const char *mx_gfx950_unsupported(const struct mx_launch *l) {
	const struct mx_kernel *k = l->kernel;
	const char *sgprs = mx_unsupported_user_sgprs(l);
	if (sgprs)
		return sgprs;
	if (mx_cluster_size(l) > 1)
		return "clusters of workgroups";
	if (k->tg_split && k->lds_bytes + l->dynamic_lds)
		return "TG_SPLIT with LDS";
	if (k->scratch_bytes > MX_SCRATCH_MAX)
		return "more than 131056 bytes of scratch for a work-item";
	return k->lds_bytes + l->dynamic_lds > MX_LDS_MAX ? "more than 160 KiB of LDS" : NULL;
}
