/* Buffer resource descriptors. Cache swizzle, user VM and NV do not affect the data. */
#include "buffer_descriptor.h"

#include "../machine/findings.h"
#include "../machine/registers.h"
#include "vmem.h"

/* [ISA table 48]; false: it is none of a buffer. */
static bool read_narrow(const struct mx_inst *in, const uint32_t *s, struct mx_buffer_descriptor *d) {
	bool wide_stride = s[3] >> 23 & 1 && !(in->op->flags & MX_FORMAT);
	*d = (struct mx_buffer_descriptor){
		.base = s[0] | (uint64_t)(s[1] & 0xffff) << 32,
		.stride = (s[1] >> 16 & 0x3fff) | (wide_stride ? s[3] >> 15 & 15 : 0) << 14,
		.num_records = s[2],
		.word3 = s[3],
		.index_stride = 8u << (s[3] >> 21 & 3),
		.swizzle = s[1] >> 31,
		.add_tid = s[3] >> 23 & 1,
		.unbound = !wide_stride && (s[3] >> 15 & 15) == 0, /* data format 0 */
	};
	if (d->unbound)
		d->num_records = 0;
	return !(s[3] >> 30);
}

/* gfx1250: base 56:0, num_records 101:57, stride 121:108 [LLVM lowerPointerAsRsrcIntrin]; bit 125
 * has the range in bytes though there is a stride [Triton BufferOpsEmitter]. The other bits must be
 * 0, and so must bit 125 of an access by index: no source at hand says what they do. */
static bool read_wide(const struct mx_inst *in, const uint32_t *s, struct mx_buffer_descriptor *d) {
	enum { NUM_RECORDS = 0x3f, STRIDE = 0x3fff << 12, IN_BYTES = 1 << 29 };
	*d = (struct mx_buffer_descriptor){
		.base = s[0] | (uint64_t)(s[1] & 0x1ffffff) << 32,
		.num_records =
			s[1] >> 25 | (uint64_t)s[2] << 7 | (uint64_t)(s[3] & NUM_RECORDS) << 39,
		.stride = (s[3] & STRIDE) >> 12,
		.word3 = s[3],
	};
	d->has_records = d->stride && !(s[3] & IN_BYTES);
	unsigned known = NUM_RECORDS | STRIDE | (in->mem.idxen ? 0 : IN_BYTES);
	return !(s[3] & ~known);
}

bool mx_read_buffer_descriptor(struct mx_wave *w, const struct mx_inst *in, struct mx_buffer_descriptor *d) {
	const uint32_t *s = w->s + mx_operand_at(in, MX_AT_BASE);
	bool wide = w->group->run->isa->wide_buffers;
	mx_check_scalars_written(w, in, mx_operand_at(in, MX_AT_BASE), 4);
	if (wide ? read_wide(in, s, d) : read_narrow(in, s, d))
		return true;
	struct mx_because narrow = MX_BECAUSE(BUFFER_TYPE, s[0], s[1], s[2], s[3]);
	struct mx_because other = MX_BECAUSE(BUFFER_BITS, s[0], s[1], s[2], s[3]);
	mx_find(w, in, MX_UNSUPPORTED, -1, 0, wide ? other : narrow);
	return false;
}
