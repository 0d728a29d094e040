/* hipDeviceProp_t of HIP 6 and 7.
 *
 * Debian has the headers of HIP 5, which have another layout. Programs that were built with newer
 * ones get this one, by hipGetDevicePropertiesR0600. Offsets follow ROCm 6's hip_runtime_api.h. */
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
	int device_overlap, multi_processor_count, kernel_exec_timeout_enabled, integrated;
	int can_map_host_memory, compute_mode;
	int textures_and_surfaces[40]; /* their largest sizes */
	size_t surface_alignment;
	int concurrent_kernels, ecc_enabled, pci_bus_id, pci_device_id, pci_domain_id, tcc_driver;
	int async_engine_count, unified_addressing, memory_clock_rate, memory_bus_width;
	int l2_cache_size, persisting_l2_cache_max_size, max_threads_per_multi_processor;
	int stream_priorities_supported, global_l1_cache_supported, local_l1_cache_supported;
	size_t shared_mem_per_multiprocessor;
	int regs_per_multiprocessor, managed_memory, is_multi_gpu_board, multi_gpu_board_group_id;
	int host_native_atomic_supported, single_to_double_precision_perf_ratio;
	int pageable_memory_access, concurrent_managed_access, compute_preemption_supported;
	int can_use_host_pointer_for_registered_mem, cooperative_launch;
	int cooperative_multi_device_launch;
	size_t shared_mem_per_block_optin;
	int pageable_memory_access_uses_host_page_tables, direct_managed_mem_access_from_host;
	int max_blocks_per_multi_processor, access_policy_max_window_size;
	size_t reserved_shared_mem_per_block;
	int host_register_supported, sparse_array_supported, host_register_read_only_supported;
	int timeline_semaphore_interop_supported, memory_pools_supported, gpu_direct_rdma_supported;
	unsigned gpu_direct_rdma_flush_writes_options;
	int gpu_direct_rdma_writes_ordering;
	unsigned memory_pool_supported_handle_types;
	int deferred_mapping_array_supported, ipc_event_supported, cluster_launch;
	int unified_function_pointers;
	int reserved[63], hip_reserved[32];
	char gcn_arch_name[256];
	size_t max_shared_memory_per_multi_processor;
	int clock_instruction_rate;
	unsigned arch; /* hipDeviceArch_t: a bit for each feature */
	unsigned *hdp_mem_flush_cntl, *hdp_reg_flush_cntl;
	int cooperative_multi_device_unmatched_func, cooperative_multi_device_unmatched_grid_dim;
	int cooperative_multi_device_unmatched_block_dim;
	int cooperative_multi_device_unmatched_shared_mem;
	int is_large_bar, asic_revision;
};

_Static_assert(offsetof(struct mx_props_r0600, total_global_mem) == 288, "R0600 layout");
_Static_assert(offsetof(struct mx_props_r0600, multi_processor_count) == 388, "R0600 layout");
_Static_assert(offsetof(struct mx_props_r0600, gcn_arch_name) == 1160, "R0600 layout");
_Static_assert(sizeof(struct mx_props_r0600) == 1472, "R0600 layout");

#endif
