/* Devices: HIP runtimes, loaded at run time and used through the public C API only.
 *
 *   "emu"          libmxhip.so, the emulator of this program: a device of the architecture that
 *                  the code is for, one at a time; it begins as a gfx950
 *   "emu:gfx1250"  the same, of this architecture alone; or "emu:gfx950". "emu" is one of them if
 *                  the environment variable MXHIP_ARCH names it
 *   "hip:N"        AMD's libamdhip64.so, device N ("hip" is "hip:0")
 *
 * Every kernel is launched through this interface, on either device. Functions of the emulator only
 * are in mx_device.emu, which is NULL on a real device.
 *
 * Functions return 0, or -1 with one line in why->text. Several threads may use an mx_device; a
 * module or a buffer belongs to the thread that made it. If a device is lost, the functions that
 * free do nothing on it, and the process ends by _exit. */
#ifndef MX_DEVICE_H
#define MX_DEVICE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../ref/hip/mxhip.h" /* only for types of options, findings and counts */

struct mx_why {
	char text[1024];
};

/* The emulator's own API; see ref/hip/mxhip.h. */
struct mx_emu {
	int (*set_architecture)(const char *name);
	int (*set_launch_options)(const struct mxhipLaunchOptions *options);
	bool (*mark)(void *address, size_t bytes, uint8_t state);
	bool (*poison)(void *address, size_t bytes, uint8_t value);
	const uint8_t *(*states)(const void *address, size_t bytes);
	uint64_t (*version)(const void *address, size_t bytes);
	const struct mx_report *(*report)(void);
	const char *(*error_detail)(void);
	size_t (*op_count)(void);
	const char *(*op_name)(size_t i);
};

struct mx_hip; /* the functions of a HIP runtime */

struct mx_device {
	char name[16];                 /* "emu", "emu:gfx1250", "hip:0" */
	char arch[64];                 /* reported by the device */
	bool follows;                  /* "emu": its architecture is that of the code */
	char runtime[256];             /* file name of the HIP runtime */
	char product[256];             /* its own name: "AMD Instinct MI355X" */
	char driver[128];              /* of a real device: "HIP 7.0.51831, amdgpu 6.14.14" */
	unsigned core_mhz, memory_mhz; /* its highest clocks; 0: not known */
	const struct mx_emu *emu;
	struct mx_hip *hip;
	int ordinal;
	unsigned compute_units, wave_size;
	unsigned threads; /* of the emulator, shared by all launches; 0: its default */
	bool lost; /* a launch did not end: nothing can be freed, and exit handlers would wait */
};

/* Opens a device. name NULL: "hip" if a gfx950 is present, else "emu". Returns 1, with the reason,
 * if the device is absent: no runtime, no GPU, or a GPU that is not a gfx950; -1 if the name is not
 * a device name. */
int mx_device_open(const char *name, struct mx_device **device, struct mx_why *why);
void mx_device_close(struct mx_device *d);

/* The same in another process: *device describes the device and can do nothing. Runtimes of real
 * devices do not survive a fork, so that this process may still fork. */
int mx_device_describe(const char *name, struct mx_device **device, struct mx_why *why);

/* Opens the emulator, or describes a real device. name: as in mx_device_open. */
int mx_device_find(const char *name, struct mx_device **device, struct mx_why *why);

/* The path of libmxhip.so: in the program's folder, or in ../lib if both are installed. False: in
 * neither. */
bool mx_emulator_find(char path[PATH_MAX]);

/* "AMD Instinct MI355X; HIP 7.0.51831, amdgpu 6.14.14; core 2400 MHz, memory 2000 MHz", without
 * what is not known. Returns text. */
char *mx_device_text(const struct mx_device *d, char *text, size_t room);

/* The architecture that a code object file is for; of a bundle, the first that the emulator has.
 * NULL: one that it lacks, or no such file. */
const char *mx_file_architecture(const char *path);

/* Makes "emu" a device of the architecture of a code object file, if there is one; it must have no
 * module and no other thread may use it. Other devices, and files that cannot be read, change
 * nothing: loading them fails. */
int mx_device_follow(struct mx_device *d, const char *path, struct mx_why *why);

/* A kernel of a code object file. */
struct mx_module;
int mx_module_load(struct mx_device *d, const char *path, const char *kernel, struct mx_module **m,
                   struct mx_why *why);
void mx_module_unload(struct mx_module *m);

/* Device memory. */
int mx_device_alloc(struct mx_device *d, size_t bytes, void **p, struct mx_why *why);
void mx_device_free(struct mx_device *d, void *p);
int mx_device_upload(struct mx_device *d, void *to, const void *from, size_t bytes,
                     struct mx_why *why);
int mx_device_download(struct mx_device *d, void *to, const void *from, size_t bytes,
                       struct mx_why *why);

/* Launches and waits: workgroups, work-items of a workgroup, bytes of dynamic LDS, workgroups of a
 * cluster (at most one: clusters as the kernel's metadata has them). */
struct mx_geometry {
	uint32_t grid[3], block[3], lds, cluster[3];
};

/* The surroundings of a launch, or of a sequence of launches. */
struct mx_around {
	struct mx_corunners *corunners;            /* see vary.h; NULL: none */
	uint64_t seed;                             /* seed of the corunners */
	double time_out;                           /* seconds; 0: none */
	void (*before)(void *context, unsigned i); /* called before launch i; or NULL */
	void *context;
};

/* One launch of a sequence. */
struct mx_work {
	struct mx_module *module;
	struct mx_geometry geometry;
	const void *kernarg;
	size_t bytes;
};

/* The end of a launch; below 0 it did not begin, because of the caller's arguments. */
enum {
	MX_LAUNCH_DONE,
	MX_LAUNCH_FAILED, /* a fault of the device or the kernel, or an instruction that the
	                     emulator lacks */
	MX_LAUNCH_LATE,   /* no end within around->time_out: the device is lost */
};
int mx_module_launch(struct mx_module *m, const struct mx_geometry *g, const void *kernarg,
                     size_t bytes, const struct mx_around *around, struct mx_why *why);

/* The same for n launches in one stream, in order. A launch that fails on the emulator is the last
 * one. */
int mx_sequence_launch(const struct mx_work *w, unsigned n, const struct mx_around *around,
                       struct mx_why *why);

/* Whether a code object file has a kernel; false, too, if the file cannot be read. */
bool mx_file_has_kernel(const char *path, const char *kernel);

#endif
