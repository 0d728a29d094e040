/* What the metadata of a code object says of a kernel's spills. */
#ifndef MX_KERNEL_METADATA_H
#define MX_KERNEL_METADATA_H

#include "codefile.h"

struct mx_spills {
	uint64_t vgprs, sgprs; /* registers that the compiler kept elsewhere, somewhere */
};

/* Those of the kernel NAME; false where the metadata does not tell. */
bool mx_spills_of(const struct mx_codefile *f, const char *kernel, struct mx_spills *s);

#endif
