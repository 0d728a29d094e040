/* Devices: HIP runtimes, loaded at run time and used through the public C API alone.
 *
 *   "emu"    libmxhip.so, the emulated gfx950 beside this program
 *   "hip:N"  AMD's libamdhip64.so, device N ("hip" is "hip:0")
 *
 * Every kernel of every case is launched through here, on either. What only the
 * emulator offers is in mx_device.emu, which is NULL on a real device.
 *
 * Functions return 0, or -1 with one line in why->text. An mx_device may be used
 * from several threads; a module and a buffer belong to whoever made them. Where a
 * device is lost, what frees does nothing on it, and the process ends by _exit.
 */
#ifndef MX_DEVICE_H
#define MX_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../ref/hip/mxhip.h" /* types only: options, findings, counts */

struct mx_why {
	char text[1024];
};

/* The emulator's own API; see ref/hip/mxhip.h. */
struct mx_emu {
	int (*set_launch_options)(const struct mxhipLaunchOptions *options);
	bool (*mark)(void *address, size_t bytes, uint8_t state);
	bool (*states)(const void *address, size_t bytes, uint8_t *states);
	const struct mx_report *(*report)(void);
	const char *(*error_detail)(void);
	size_t (*op_count)(void);
	const char *(*op_name)(size_t i);
};

struct mx_hip; /* the functions of a HIP runtime */

struct mx_device {
	char name[16];     /* "emu", "hip:0" */
	char arch[64];     /* as the device reports it: "gfx950" */
	char runtime[256]; /* file name of the HIP runtime */
	const struct mx_emu *emu;
	struct mx_hip *hip;
	int ordinal;
	unsigned compute_units;
	unsigned threads; /* of the emulator, which all launches share; 0: as it likes */
	bool lost; /* a launch did not end: nothing can be freed, and exit handlers would wait */
};

/* Opens a device. name NULL: "hip" where a gfx950 is present, else "emu".
 * Returns 1, with the reason, where there is no such device: no runtime, no
 * GPU, or a GPU that is not a gfx950; -1 if the name is no device's. */
int mx_device_open(const char *name, struct mx_device **device, struct mx_why *why);
void mx_device_close(struct mx_device *d);

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

/* Launches and waits. */
struct mx_geometry {
	uint32_t grid[3], block[3], lds;
}; /* workgroups, work-items, dynamic LDS */

/* What a launch has around it. */
struct mx_around {
	struct mx_corunners *corunners; /* see vary.h; NULL: it has the device to itself */
	uint64_t seed;                  /* of what the corunners do */
	double time_out;                /* seconds; 0: none */
};

/* How a launch ends; below 0 it did not begin, for a fault of the caller's. */
enum {
	MX_LAUNCH_DONE,
	MX_LAUNCH_FAILED, /* a fault, an instruction that the emulator lacks: the device's or the
	                     kernel's */
	MX_LAUNCH_LATE,   /* not within around->time_out: the device is lost */
};
int mx_module_launch(struct mx_module *m, const struct mx_geometry *g, const void *kernarg,
                     size_t bytes, const struct mx_around *around, struct mx_why *why);

#endif
