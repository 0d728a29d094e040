/* Loads into LDS [ISA 9.1.9, 10.3]. */
#include <string.h>

#include "../machine/device_memory.h"
#include "lds.h"
#include "together.h"
#include "vmem.h"

/* Bytes between the data of two lanes. */
static unsigned stride(const struct mx_inst *in) {
	return !(in->op->flags & MX_FORMAT) && in->op->d > 4 ? 16 : 4;
}

/* Data narrower than a dword is extended to a dword [ISA 12.15]. */
static unsigned dwords(const struct mx_inst *in) {
	return in->op->flags & MX_FORMAT ? 1 : mx_dwords(in->op->d);
}

static uint32_t datum(struct mx_wave *w, const struct mx_memop *m, unsigned lane, unsigned k,
                      uint32_t *unwritten) {
	return m->in->op->flags & MX_FORMAT ? mx_typed_first(w, m, lane, unwritten)
	                                    : mx_loaded(w, m, lane, k, unwritten);
}

uint32_t mx_lds_dma_place(const struct mx_memop *m, unsigned lane, unsigned *bytes) {
	*bytes = 4 * dwords(m->in);
	return m->lds + lane * stride(m->in);
}

/* Lanes outside the buffer write zeros (assumed: pipelined kernels rely on it), inactive lanes
 * write nothing [ISA 9.1.9]. */
static void land(struct mx_wave *w, struct mx_memop *m) {
	unsigned l;
	MX_FOR_LANES(l, m->exec)
	for (unsigned k = 0; k < dwords(m->in); k++) {
		uint32_t at = m->lds + l * stride(m->in) + 4 * k, unwritten;
		uint32_t v = datum(w, m, l, k, &unwritten);
		mx_lds_write(w, m->in, l, at, 4, v, unwritten);
	}
}

/* ---- all lanes together, with whole dwords ---- */

static const uint32_t zeros[4];

static const void *source(const struct mx_memop *m, unsigned lane) {
	return m->in_range >> lane & 1 ? mx_place(0, m->address[lane]) : zeros;
}

/* Every lane, without gaps in LDS. `bytes` is a constant where this is called. */
static inline __attribute__((always_inline)) void
copy_run(const struct mx_group *g, const struct mx_memop *m, unsigned bytes) {
	uint8_t *to = g->lds + m->lds;
	if (m->in_range == ~0ull)
		for (unsigned l = 0; l < MX_LANES; l++)
			memcpy(to + l * bytes, mx_place(0, m->address[l]), bytes);
	else
		for (unsigned l = 0; l < MX_LANES; l++)
			memcpy(to + l * bytes, source(m, l), bytes);
	if (mx_lds_is_clean(g, m->lds, m->lds + MX_LANES * bytes))
		return;
	memset(g->lds_unwritten + m->lds, 0, MX_LANES * bytes);
	mx_lds_changed(g, m->lds, m->lds + MX_LANES * bytes, false);
}

static void copy_lanes(const struct mx_group *g, const struct mx_memop *m) {
	unsigned l;
	MX_FOR_LANES(l, m->exec)
	mx_lds_copy(g, m->lds + l * stride(m->in), source(m, l), m->in->op->d);
}

static void land_together(struct mx_wave *w, struct mx_memop *m) {
	const struct mx_lane_bytes x = mx_lane_bytes_of(m);
	if (x.lanes && !mx_memory_is_written(w, &x)) {
		land(w, m);
		return;
	}
	if (x.bytes == 16 && m->exec == ~0ull)
		copy_run(w->group, m, 16);
	else if (x.bytes == 4 && m->exec == ~0ull)
		copy_run(w->group, m, 4);
	else
		copy_lanes(w->group, m);
	mx_count_together(w, MX_TOGETHER_LDS_DMA);
}

/* M0 is the LDS byte address of lane 0's data; the segments of FLAT ignore its two low bits. The
 * instruction offset is added to both addresses. */
void mx_prepare_lds(struct mx_wave *w, struct mx_memop *m) {
	const struct mx_inst *in = m->in;
	bool buffer = in->op->encoding == MX_MUBUF;
	m->lds = (w->s[MX_M0] & (buffer ? 0x3ffff : 0x3fffc)) + (uint32_t)in->imm;
	mx_check_scalars_written(w, in, MX_M0, 1);
	m->together &= m->exec && in->op->d % 4 == 0 &&
	               mx_lanes_may_be_together(w, m, MX_WATCH_LDS) && !(m->exec & m->scratch);
	if (m->exec) {
		unsigned last = 63 - (unsigned)__builtin_clzll(m->exec);
		m->together &= mx_lds_check(w, in, (int)last, m->lds + last * stride(in),
		                            4 * dwords(in), true);
	}
	m->land = m->together ? land_together : land;
}
