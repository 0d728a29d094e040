/* The profiles that --profile names: of profiles.def, and of files that mxcheck probe wrote. */
#ifndef MX_PROFILE_LIST_H
#define MX_PROFILE_LIST_H

#include "../../oracle/probe/profile_file.h"
#include "explain.h"

enum { MX_PROFILE_FILES = 8 };

struct mx_profile_list {
	const mx_profile *profile[MX_ELEMENT_PROFILES];
	size_t n;
	struct mx_profile_file *file[MX_PROFILE_FILES];
	size_t files;
};

/* text: "block32,h200.yaml:mma_m16n8k16_f16,h100.yaml"; NULL: all of profiles.def. */
int mx_profile_list_make(struct mx_profile_list *l, const char *text, struct mx_error *err);
void mx_profile_list_free(struct mx_profile_list *l);

/* The device on which a profile was measured; "" for those of profiles.def. */
const char *mx_profile_list_device(const struct mx_profile_list *l, const mx_profile *p);

#endif
