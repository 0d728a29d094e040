/* Devices: loading a HIP runtime, and the properties of a device. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../ref/codeobject/codeobject.h"
#include "../../ref/hip/props_r0600.h"
#include "hip_runtime.h"

#define DRIVER "/dev/kfd" /* the device file of AMD's driver */
#define DRIVER_VERSION                                                                             \
	"/sys/module/amdgpu/version" /* a driver that is not of the kernel has one                 \
	                              */

int mx_why(struct mx_why *why, const char *format, ...) {
	va_list ap;
	va_start(ap, format);
	vsnprintf(why->text, sizeof why->text, format, ap);
	va_end(ap);
	return -1;
}

/* ---- libraries ---- */

bool mx_emulator_find(char path[PATH_MAX]) {
	static const char *const places[] = { "libmxhip.so", "../lib/libmxhip.so" };
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	exe[n > 0 ? n : 0] = 0;
	char *slash = strrchr(exe, '/');
	if (slash)
		*slash = 0;
	for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++)
		if ((size_t)snprintf(path, PATH_MAX, "%s/%s", exe, places[i]) < PATH_MAX &&
		    !access(path, R_OK))
			return true;
	return false;
}

/* If it is nowhere near the program, the loader searches. The functions that it calls are looked up
 * at their first call: most runs call a quarter of them. */
static void *open_emulator(char file[256]) {
	char path[PATH_MAX];
	void *library = mx_emulator_find(path) ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
	snprintf(file, 256, "libmxhip.so");
	return library ? library : dlopen("libmxhip.so", RTLD_LAZY | RTLD_LOCAL);
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

/* A function of C++ before HIP 6. */
static void *find_launch_items(void *library) {
	void *f = dlsym(library, "hipExtModuleLaunchKernel");
	return f ? f
	         : dlsym(library, "_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12"
	                          "ihipStream_tPPvS4_P11ihipEvent_tS6_j");
}

static int find_functions(struct mx_hip *h, const char *file, struct mx_why *why) {
#define HIP(name)                                                                                  \
	if (!(*(void **)&h->name = dlsym(h->library, #name)))                                      \
		return mx_why(why, "%s has no " #name, file);
#include "hip_functions.def"
#undef HIP
	*(void **)&h->launch_items = find_launch_items(h->library);
	*(void **)&h->launch_config = dlsym(h->library, "hipDrvLaunchKernelEx");
	*(void **)&h->properties_r0600 = dlsym(h->library, "hipGetDevicePropertiesR0600");
	return 0;
}

/* ---- the emulator's own API ---- */

/* Another runtime lacks these functions. */
static const struct mx_emu *find_emu(void *library) {
	static struct mx_emu emu;
	if (!dlsym(library, "mxhipSetLaunchOptions"))
		return NULL;
	*(void **)&emu.set_architecture = dlsym(library, "mxhipSetArchitecture");
	*(void **)&emu.set_launch_options = dlsym(library, "mxhipSetLaunchOptions");
	*(void **)&emu.mark = dlsym(library, "mxhipMark");
	*(void **)&emu.poison = dlsym(library, "mxhipPoison");
	*(void **)&emu.states = dlsym(library, "mxhipStatesOf");
	*(void **)&emu.version = dlsym(library, "mxhipVersion");
	*(void **)&emu.report = dlsym(library, "mxhipReport");
	*(void **)&emu.error_detail = dlsym(library, "mxhipErrorDetail");
	*(void **)&emu.op_count = dlsym(library, "mxhipOpCount");
	*(void **)&emu.op_name = dlsym(library, "mxhipOpName");
	return &emu;
}

/* ---- errors ---- */

int mx_hip_error(const struct mx_device *d, hipError_t e, const char *what, struct mx_why *why) {
	const char *detail = d->emu ? d->emu->error_detail() : "";
	const char *text = d->hip->hipGetErrorString(e), *name = d->hip->hipGetErrorName(e);
	if (detail[0])
		return mx_why(why, "%s: %s", what, detail);
	if (!strcmp(text, name)) /* HIP 5 has no texts */
		return mx_why(why, "%s: %s", what, name);
	return mx_why(why, "%s: %s (%s)", what, text, name);
}

/* ---- opening ---- */

static void set_properties(struct mx_device *d, const char *product, const char *arch,
                           int compute_units, int wave_size) {
	snprintf(d->product, sizeof d->product, "%.255s", product);
	snprintf(d->arch, sizeof d->arch, "%.63s", arch);
	d->arch[strcspn(d->arch, ":")] = 0; /* without target features */
	d->compute_units = (unsigned)compute_units;
	d->wave_size = (unsigned)wave_size;
}

/* HIP 6 and newer use another layout than Debian's headers. */
static hipError_t read_properties(struct mx_device *d) {
	struct mx_props_r0600 p;
	hipDeviceProp_t old;
	hipError_t e = d->hip->properties_r0600 ? d->hip->properties_r0600(&p, d->ordinal)
	                                        : d->hip->hipGetDeviceProperties(&old, d->ordinal);
	if (e == hipSuccess && d->hip->properties_r0600)
		set_properties(d, p.name, p.gcn_arch_name, p.multi_processor_count, p.warp_size);
	else if (e == hipSuccess)
		set_properties(d, old.name, old.gcnArchName, old.multiProcessorCount, old.warpSize);
	return e;
}

/* The version of the driver alone, or that of the kernel that it is part of. */
static void read_module(char *text, size_t room) {
	struct utsname host;
	char version[64] = "";
	FILE *f = fopen(DRIVER_VERSION, "r");
	if (f && !fgets(version, sizeof version, f))
		version[0] = 0;
	if (f)
		fclose(f);
	version[strcspn(version, "\n")] = 0;
	if (version[0])
		snprintf(text, room, ", amdgpu %s", version);
	else if (!access(DRIVER, F_OK) && !uname(&host))
		snprintf(text, room, ", amdgpu of Linux %.60s", host.release);
}

/* A runtime encodes its version as major * 10^7 + minor * 10^5 + patch. */
static void read_driver(struct mx_device *d) {
	char module[96] = "";
	int version = 0, core = 0, memory = 0;
	d->hip->hipRuntimeGetVersion(&version);
	d->hip->hipDeviceGetAttribute(&core, hipDeviceAttributeClockRate, d->ordinal);
	d->hip->hipDeviceGetAttribute(&memory, hipDeviceAttributeMemoryClockRate, d->ordinal);
	d->core_mhz = core > 0 ? (unsigned)core / 1000 : 0;
	d->memory_mhz = memory > 0 ? (unsigned)memory / 1000 : 0;
	read_module(module, sizeof module);
	snprintf(d->driver, sizeof d->driver, "HIP %d.%d.%d%s", version / 10000000,
	         version / 100000 % 100, version % 100000, module);
}

char *mx_device_text(const struct mx_device *d, char *text, size_t room) {
	char core[32] = "", memory[32] = "";
	if (d->core_mhz)
		snprintf(core, sizeof core, "; core %u MHz", d->core_mhz);
	if (d->memory_mhz)
		snprintf(memory, sizeof memory, "%s memory %u MHz", d->core_mhz ? "," : ";",
		         d->memory_mhz);
	snprintf(text, room, "%s%s%s%s%s", d->product, d->driver[0] ? "; " : "", d->driver, core,
	         memory);
	return text;
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
		return mx_why(why, "the runtime has %d device%s", n, n == 1 ? "" : "s"), 1;
	if ((e = read_properties(d)) != hipSuccess)
		return absent(d, why, e, "hipGetDeviceProperties");
	if (!d->emu)
		read_driver(d);
	if (!d->emu && strcmp(d->arch, "gfx950"))
		return mx_why(why, "the device is a %.32s, not a gfx950", d->arch), 1;
	return 0;
}

/* Makes the emulator a device of an architecture, in the runtime and for this program's own reader
 * of code objects. 1: it lacks that. */
static int become(struct mx_device *d, const char *name, struct mx_why *why) {
	if (d->emu->set_architecture(name))
		return mx_why(why, "the emulator has no %.32s", name), 1;
	mx_architecture_choose(mx_architecture_by_name(name));
	read_properties(d);
	return 0;
}

int mx_device_follow(struct mx_device *d, const char *path, struct mx_why *why) {
	const char *name = d->follows ? mx_file_architecture(path) : NULL;
	return name && strcmp(name, d->arch) ? become(d, name, why) : 0;
}

/* The architecture that the emulated device is to have: ARCH of "emu:ARCH"; of "emu" what
 * MXHIP_ARCH names; NULL: that of the code. */
static const char *wished_arch(const char *name) {
	return name[3] == ':' ? name + 4 : getenv("MXHIP_ARCH");
}

static int open_named(const char *name, struct mx_device **device, struct mx_why *why) {
	bool emulated = !strncmp(name, "emu", 3);
	const char *arch = emulated ? wished_arch(name) : NULL;
	struct mx_device *d = calloc(1, sizeof *d);
	struct mx_hip *h = calloc(1, sizeof *h);
	if (!d || !h) {
		free(d);
		free(h);
		return mx_why(why, "out of memory");
	}
	d->hip = h;
	d->ordinal = emulated || !name[3] ? 0 : atoi(name + 4);
	d->follows = emulated && !arch;
	h->library = emulated ? open_emulator(d->runtime) : open_amd(d->runtime);
	if (emulated)
		snprintf(d->name, sizeof d->name, "emu%s%s", arch ? ":" : "", arch ? arch : "");
	else
		snprintf(d->name, sizeof d->name, "hip:%d", d->ordinal);
	int status = h->library ? open_runtime(d, why) : (mx_why(why, "no %s", d->runtime), 1);
	if (!status && emulated)
		status = become(d, arch ? arch : mx_architecture_at(0)->name, why);
	if (status)
		mx_device_close(d);
	else
		*device = d;
	return status;
}

static bool is_device_name(const char *name) {
	if (!strcmp(name, "emu") || !strcmp(name, "emu:gfx950") || !strcmp(name, "emu:gfx1250") ||
	    !strcmp(name, "hip"))
		return true;
	size_t digits = strncmp(name, "hip:", 4) ? 0 : strspn(name + 4, "0123456789");
	return digits && digits < 4 && !name[4 + digits];
}

int mx_device_open(const char *name, struct mx_device **device, struct mx_why *why) {
	if (name && !is_device_name(name))
		return mx_why(why, "no device '%s': emu, emu:gfx950, emu:gfx1250, hip or hip:N",
		              name);
	if (name)
		return open_named(name, device, why);
	/* Without a driver ROCm's libraries, which take milliseconds to load, find no device. */
	if (!access(DRIVER, F_OK) && !open_named("hip", device, why))
		return 0;
	return open_named("emu", device, why);
}

/* What the other process answers. */
struct answer {
	int status;
	struct mx_device device;
	struct mx_why why;
};

static void answer(const char *name, int to) {
	struct answer a = { .status = -1 };
	struct mx_device *d = NULL;
	a.status = mx_device_open(name, &d, &a.why);
	if (d)
		a.device = *d;
	a.device.emu = NULL;
	a.device.hip = NULL;
	_exit(write(to, &a, sizeof a) != sizeof a);
}

int mx_device_describe(const char *name, struct mx_device **device, struct mx_why *why) {
	int ends[2];
	struct answer a;
	if (pipe2(ends, O_CLOEXEC))
		return mx_why(why, "pipe: %s", strerror(errno));
	pid_t child = fork();
	if (!child)
		answer(name, ends[1]);
	close(ends[1]);
	/* It fits into a pipe, and so comes whole. */
	bool came = child > 0 && read(ends[0], &a, sizeof a) == sizeof a;
	close(ends[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	if (!came)
		return mx_why(why, "device %s: the process that opened it ended",
		              name ? name : "hip");
	*why = a.why;
	if (a.status)
		return a.status;
	if (!(*device = malloc(sizeof **device)))
		return mx_why(why, "out of memory");
	**device = a.device;
	return 0;
}

int mx_device_find(const char *name, struct mx_device **device, struct mx_why *why) {
	bool emulated = name ? !strncmp(name, "emu", 3) : access(DRIVER, F_OK) != 0;
	int status = emulated ? mx_device_open(name ? name : "emu", device, why)
	                      : mx_device_describe(name, device, why);
	if (status || emulated || strcmp((*device)->name, "emu"))
		return status;
	mx_device_close(*device); /* the driver has no gfx950 */
	return mx_device_open("emu", device, why);
}

/* The library stays loaded: runtimes do not survive dlclose. */
void mx_device_close(struct mx_device *d) {
	if (!d)
		return;
	free(d->hip);
	free(d);
}
