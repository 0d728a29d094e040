/* The architecture of the device that loads code objects. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "codeobject.h"

static const struct mx_architecture known[] = {
	/* [ISA 2.2.1, 3.6.4] */
	{ "gfx950", "gfx950:sramecc+:xnack-", 160 * 1024, false, 8, 512, 8, 1280, UINT32_MAX },
	/* [LLVM AMDGPUBaseInfo]; TTMP7 has 16 bits for y and for z [CDNA5 ISA 2.3] */
	{ "gfx1250", "gfx1250", 320 * 1024, true, 16, 1024, 16, 0, 1 << 16 },
};
enum { KNOWN = sizeof known / sizeof *known };

static const struct mx_architecture *chosen = known;
static _Thread_local const struct mx_architecture *of_thread; /* instead of it */

const struct mx_architecture *mx_architecture_at(size_t i) {
	return i < KNOWN ? &known[i] : NULL;
}

const struct mx_architecture *mx_architecture_by_name(const char *name) {
	for (size_t i = 0; name && i < KNOWN; i++)
		if (!strcmp(known[i].name, name))
			return &known[i];
	return NULL;
}

static void choose(void) {
	const struct mx_architecture *a = mx_architecture_by_name(getenv("MXHIP_ARCH"));
	chosen = a ? a : known;
}

const struct mx_architecture *mx_architecture(void) {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, choose);
	return of_thread ? of_thread : chosen;
}

void mx_architecture_choose(const struct mx_architecture *a) {
	mx_architecture(); /* the environment chooses first */
	chosen = a;
}

void mx_architecture_of_thread(const struct mx_architecture *a) {
	of_thread = a;
}
