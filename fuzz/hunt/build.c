/* The identity of this build of mxcheck. */
#define _GNU_SOURCE
#include "build.h"

#include <dlfcn.h>

#include "../../oracle/hash_file.h"

uint64_t mx_build_hash(const struct mx_device *d) {
	uint64_t h = mx_hash_file("/proc/self/exe", 0);
	Dl_info info;
	if (d->emu && dladdr(*(void *const *)&d->emu->set_launch_options, &info))
		h = mx_hash_file(info.dli_fname, h);
	return h;
}
