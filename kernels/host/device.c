/* Devices: loading a HIP runtime, and the properties of a device. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../ref/hip/props_r0600.h"
#include "hip_runtime.h"

#define DRIVER "/dev/kfd" /* the device file of AMD's driver */

int mx_why(struct mx_why *why, const char *format, ...) {
	va_list ap;
	va_start(ap, format);
	vsnprintf(why->text, sizeof why->text, format, ap);
	va_end(ap);
	return -1;
}

/* ---- libraries ---- */

/* libmxhip.so is in the program's folder, in ../lib if both are installed, or in the loader's
 * search path. */
static void *open_emulator(char file[256]) {
	static const char *const paths[] = { "libmxhip.so", "../lib/libmxhip.so" };
	char path[PATH_MAX + 32];
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
	path[n > 0 ? n : 0] = 0;
	char *slash = strrchr(path, '/');
	void *library = NULL;
	snprintf(file, 256, "libmxhip.so");
	for (size_t i = 0; !library && i < sizeof paths / sizeof *paths; i++) {
		strcpy(slash ? slash + 1 : path, paths[i]);
		library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	return library ? library : dlopen("libmxhip.so", RTLD_NOW | RTLD_LOCAL);
}

static void *open_amd(char file[256]) {
	static const char *const names[] = {
		"libamdhip64.so.7",
		"libamdhip64.so.6",
		"libamdhip64.so.5",
		"libamdhip64.so",
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
		snprintf(file, 256, "%s", names[i]);
		if (library)
			return library;
	}
	return NULL;
}

static int find_functions(struct mx_hip *h, const char *file, struct mx_why *why) {
#define HIP(name)                                                                                  \
	if (!(*(void **)&h->name = dlsym(h->library, #name)))                                      \
		return mx_why(why, "%s has no " #name, file);
#include "hip_functions.def"
#undef HIP
	*(void **)&h->properties_r0600 = dlsym(h->library, "hipGetDevicePropertiesR0600");
	return 0;
}

/* ---- the emulator's own API ---- */

static const struct mx_emu *find_emu(void *library) {
	static struct mx_emu emu;
	*(void **)&emu.set_launch_options = dlsym(library, "mxhipSetLaunchOptions");
	*(void **)&emu.mark = dlsym(library, "mxhipMark");
	*(void **)&emu.states = dlsym(library, "mxhipStates");
	*(void **)&emu.report = dlsym(library, "mxhipReport");
	*(void **)&emu.error_detail = dlsym(library, "mxhipErrorDetail");
	*(void **)&emu.op_count = dlsym(library, "mxhipOpCount");
	*(void **)&emu.op_name = dlsym(library, "mxhipOpName");
	return emu.set_launch_options ? &emu : NULL;
}

/* ---- errors ---- */

int mx_hip_error(const struct mx_device *d, hipError_t e, const char *what, struct mx_why *why) {
	const char *detail = d->emu ? d->emu->error_detail() : "";
	if (detail[0])
		return mx_why(why, "%s: %s", what, detail);
	return mx_why(why, "%s: %s (%s)", what, d->hip->hipGetErrorString(e),
	              d->hip->hipGetErrorName(e));
}

/* ---- opening ---- */

/* HIP 6 and newer use another layout than Debian's headers. */
static hipError_t read_properties(struct mx_device *d) {
	char arch[256] = "";
	hipError_t e;
	if (d->hip->properties_r0600) {
		struct mx_props_r0600 p;
		e = d->hip->properties_r0600(&p, d->ordinal);
		if (e == hipSuccess)
			snprintf(arch, sizeof arch, "%.255s", p.gcn_arch_name);
		d->compute_units = e == hipSuccess ? (unsigned)p.multi_processor_count : 0;
	} else {
		hipDeviceProp_t p;
		e = d->hip->hipGetDeviceProperties(&p, d->ordinal);
		if (e == hipSuccess)
			snprintf(arch, sizeof arch, "%.255s", p.gcnArchName);
		d->compute_units = e == hipSuccess ? (unsigned)p.multiProcessorCount : 0;
	}
	arch[strcspn(arch, ":")] = 0; /* without target features */
	snprintf(d->arch, sizeof d->arch, "%.63s", arch);
	return e;
}

/* Adds that the driver's device file is missing: this is the usual reason, and runtimes do not name
 * it. */
static int absent(struct mx_device *d, struct mx_why *why, hipError_t e, const char *what) {
	struct mx_why runtime_error;
	mx_hip_error(d, e, what, &runtime_error);
	mx_why(why, "%s: %.800s%s", d->runtime, runtime_error.text,
	       access(DRIVER, F_OK) ? "; no AMD GPU driver here (" DRIVER ")" : "");
	return 1;
}

static int open_runtime(struct mx_device *d, struct mx_why *why) {
	struct mx_hip *h = d->hip;
	int n = 0;
	hipError_t e;
	if (find_functions(h, d->runtime, why))
		return 1;
	d->emu = find_emu(h->library);
	if ((e = h->hipInit(0)) != hipSuccess)
		return absent(d, why, e, "hipInit");
	if ((e = h->hipGetDeviceCount(&n)) != hipSuccess)
		return absent(d, why, e, "hipGetDeviceCount");
	if (d->ordinal >= n)
		return mx_why(why, "the runtime has %d devices", n), 1;
	if ((e = read_properties(d)) != hipSuccess)
		return absent(d, why, e, "hipGetDeviceProperties");
	if (strcmp(d->arch, "gfx950"))
		return mx_why(why, "the device is a %.32s, not a gfx950", d->arch), 1;
	return 0;
}

static int open_named(const char *name, struct mx_device **device, struct mx_why *why) {
	bool emulated = !strcmp(name, "emu");
	struct mx_device *d = calloc(1, sizeof *d);
	struct mx_hip *h = calloc(1, sizeof *h);
	if (!d || !h) {
		free(d);
		free(h);
		return mx_why(why, "out of memory");
	}
	d->hip = h;
	d->ordinal = emulated || !name[3] ? 0 : atoi(name + 4);
	h->library = emulated ? open_emulator(d->runtime) : open_amd(d->runtime);
	snprintf(d->name, sizeof d->name, emulated ? "emu" : "hip:%d", d->ordinal);
	int status = h->library ? open_runtime(d, why) : (mx_why(why, "no %s", d->runtime), 1);
	if (status)
		mx_device_close(d);
	else
		*device = d;
	return status;
}

static bool is_device_name(const char *name) {
	if (!strcmp(name, "emu") || !strcmp(name, "hip"))
		return true;
	size_t digits = strncmp(name, "hip:", 4) ? 0 : strspn(name + 4, "0123456789");
	return digits && digits < 4 && !name[4 + digits];
}

int mx_device_open(const char *name, struct mx_device **device, struct mx_why *why) {
	if (name && !is_device_name(name))
		return mx_why(why, "no device '%s': emu, hip or hip:N", name);
	if (name)
		return open_named(name, device, why);
	/* Without a driver ROCm's libraries, which take milliseconds to load, find no device. */
	if (!access(DRIVER, F_OK) && !open_named("hip", device, why))
		return 0;
	return open_named("emu", device, why);
}

/* The library stays loaded: runtimes do not survive dlclose. */
void mx_device_close(struct mx_device *d) {
	if (!d)
		return;
	free(d->hip);
	free(d);
}
