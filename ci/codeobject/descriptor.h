/* What a kernel descriptor says of resources, for those who only look at a code object. */
#ifndef MX_KERNEL_RESOURCES_H
#define MX_KERNEL_RESOURCES_H

#include "codefile.h"

enum { MX_LDS_MOST = 160 * 1024 }; /* bytes that a workgroup can have */

struct mx_resources {
	uint32_t lds_bytes, scratch_bytes; /* of a workgroup, of a work-item */
	unsigned vgprs, agprs;             /* allocated */
};

/* Those of the kernel NAME, from the symbol NAME.kd; false if there is none. */
bool mx_resources_of(const struct mx_codefile *f, const char *kernel, struct mx_resources *r);

#endif
