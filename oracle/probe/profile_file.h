/* A file of measured profiles, as mxcheck probe --out writes it. */
#ifndef MX_PROFILE_FILE_H
#define MX_PROFILE_FILE_H

#include "../../cases/case.h"

/* One field of family.def, with its evidence. */
struct mx_profile_field {
	char *field, *source;
	unsigned value;
	mx_fidelity fidelity;
};

struct mx_profile_row {
	char *name; /* of the instruction */
	unsigned questions;
	uint64_t random;
	struct mx_profile_field *fields;
	unsigned n_fields;
	mx_profile profile; /* made of the fields */
};

struct mx_profile_file {
	char *device, *driver, *date;
	struct mx_profile_row *profiles;
	unsigned n;
};

/* Reads a file; mx_profile_file_free() frees it, with the profiles' texts. */
int mx_profile_file_read(const char *path, struct mx_profile_file **f, struct mx_error *err);
void mx_profile_file_free(struct mx_profile_file *f);

#endif
