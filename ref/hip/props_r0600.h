/* The hipDeviceProp_t of HIP 6 and newer: the members that this program reads.
 *
 * Debian has the headers of HIP 5, which have another layout. Newer runtimes fill this one through
 * hipGetDevicePropertiesR0600. Offsets follow ROCm 6's hip_runtime_api.h. */
#ifndef MX_PROPS_R0600_H
#define MX_PROPS_R0600_H

#include <stddef.h>

struct mx_props_r0600 {
	char name[256];
	char uuid[16];
	char luid[8];
	unsigned luid_device_node_mask;
	size_t total_global_mem, shared_mem_per_block;
	int regs_per_block, warp_size;
	size_t mem_pitch;
	int max_threads_per_block, max_threads_dim[3], max_grid_size[3], clock_rate;
	size_t total_const_mem;
	int major, minor;
	size_t texture_alignment, texture_pitch_alignment;
	int device_overlap, multi_processor_count;
	char not_read_here[768];
	char gcn_arch_name[256];
	char rest[56];
};

_Static_assert(offsetof(struct mx_props_r0600, total_global_mem) == 288, "R0600 layout");
_Static_assert(offsetof(struct mx_props_r0600, multi_processor_count) == 388, "R0600 layout");
_Static_assert(offsetof(struct mx_props_r0600, gcn_arch_name) == 1160, "R0600 layout");
_Static_assert(sizeof(struct mx_props_r0600) == 1472, "R0600 layout");

#endif
