/* Buffer resource descriptors, of vector and of scalar memory. */
#ifndef MX_BUFFER_DESCRIPTOR_H
#define MX_BUFFER_DESCRIPTOR_H

#include "../machine/wave.h"

struct mx_buffer_descriptor {
	uint64_t base, num_records;
	uint32_t stride, word3;
	unsigned index_stride;
	bool swizzle, add_tid, unbound;
	bool has_records; /* of gfx1250, with a stride: the range is in records, without an index,
	                     too */
};

/* Reads the descriptor of an instruction; false, with a finding, if it is not supported. */
bool mx_read_buffer_descriptor(struct mx_wave *w, const struct mx_inst *in, struct mx_buffer_descriptor *d);

#endif
