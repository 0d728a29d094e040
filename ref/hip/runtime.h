/* Internal interfaces of the emulated HIP runtime. */
#ifndef MX_RUNTIME_H
#define MX_RUNTIME_H

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "../codeobject/codeobject.h"
#include "hip7.h"
#include "mxhip.h"
#include "stream_clock.h"

enum {
	MX_COMPUTE_UNITS = 256,
	MX_MOST_DEVICES = 16,
	MX_HIP_VERSION = 70000000, /* 7.0.0: what programs of today ask for */
};

#define MX_DEVICE_BYTES (288ull << 30)

/* The number of devices, and the calling thread's current one. */
int mx_devices(void);
int mx_device(void);

/* hipErrorInvalidDevice if there is no such device. */
hipError_t mx_device_check(int device);

/* The one context of a device. */
hipCtx_t mx_primary_context(int device);

/* Whether a device may access another one's memory. */
bool mx_has_access(int device, int peer);

uint32_t mx_hip_stack_bytes(void); /* hipLimitStackSize */

/* Sets the thread's last error; every HIP function returns through this. */
hipError_t mx_hip_return(hipError_t e);

/* The same with a reason for mxhipErrorDetail. */
__attribute__((format(printf, 2, 3))) hipError_t mx_hip_fail(hipError_t e, const char *format, ...);

/* A number that the environment gives; 0 if it gives none. */
uint64_t mx_hip_number(const char *name);

/* Prints the variables MXHIP_... that nothing reads. */
void mx_hip_check_environment(void);

/* Keeps an error of enqueued work, with its text, for the next synchronising call of any thread, or
 * of this one. */
void mx_hip_defer(hipError_t e, const char *text);
void mx_hip_defer_own(hipError_t e, const char *text);
/* The error of this thread's last call was that of enqueued work: keeps it so, and restores the one
 * before. */
void mx_hip_defer_failure(hipError_t e, hipError_t before);
hipError_t mx_hip_synchronise(void);
hipError_t mx_hip_deferred(void); /* the same error, which stays */

/* ---- handles.c ---- */

enum mx_handle {
	MX_STREAM,
	MX_EVENT,
	MX_MODULE,
	MX_FUNCTION,
	MX_GRAPH,
	MX_GRAPH_NODE,
	MX_GRAPH_EXEC,
	MX_POOL,
	MX_MEMORY, /* hipMemCreate */
	MX_RTC_PROGRAM,
	MX_RTC_LINK,
	MX_USER_OBJECT,
};

/* Makes a handle live; false if host memory is short. */
bool mx_handle_add(enum mx_handle kind, const void *p);
/* Whether p is a live handle of this kind. p is not followed. */
bool mx_handle_is(enum mx_handle kind, const void *p);
/* Ends a handle; false if it is not live, so that it is freed once. */
bool mx_handle_remove(enum mx_handle kind, const void *p);

/* ---- memory.c ---- */

enum mx_memory_kind {
	MX_DEVICE_MEMORY,
	MX_HOST_MEMORY,       /* hipHostMalloc */
	MX_MANAGED_MEMORY,    /* hipMallocManaged */
	MX_REGISTERED_MEMORY, /* the program's own, by hipHostRegister */
	MX_IMPORTED_MEMORY,   /* of another process, by hipIpcOpenMemHandle */
	MX_VIRTUAL_MEMORY,    /* mapped with hipMemMap */
	MX_GRAPH_MEMORY,      /* that launches of a graph allocate */
};

/* Of memory that nodes of graphs allocate. Its address is the same in each launch. */
struct mx_graph_use {
	unsigned nodes; /* that allocate it; the address is kept while there are any */
	bool has_free;  /* a node frees it */
	bool taken;     /* it will be allocated after all work that is enqueued */
	bool present;   /* it is allocated */
};

struct mx_allocation {
	enum mx_memory_kind kind;
	int device;                /* that has it, if it is device memory; or -1: all */
	unsigned flags;            /* of the call that made it */
	uint32_t devices, writers; /* virtual memory, and that of a pool: a bit for each (other)
	                              device that has access; that may write virtual memory */
	bool internal;    /* no call of the program made it: arguments of a launch and the like */
	bool until_reset; /* hipDeviceReset of its device frees it */
	bool synchronous; /* the host waits for copies of it without a stream, as it asked for */
	void *pool;       /* that it comes from, or NULL */
	void *base;
	size_t bytes;
	pthread_t thread; /* that made it */
	int file;         /* that has its bytes, if processes share it; or 0 */
	uint64_t inode;   /* of imported memory: its file, and how often it is open */
	unsigned opened;
	uint32_t id;      /* which no other allocation of the process has */
	uint64_t version; /* of its bytes and states, if only calls and launches change them:
	                     another number after each change; or 0 */
	struct mx_graph_use graph;
};

/* Zeroed, page-aligned memory of this kind, with its byte states (all 0); NULL if there is no
 * memory. */
void *mx_hip_allocate(size_t bytes, struct mx_allocation of);
bool mx_hip_release(void *p);
void mx_hip_release_device(int device); /* all that lives until a reset */

/* Device memory at an address has changed in another way than by mx_hip_mark and
 * mx_hip_copy_states. */
void mx_hip_changed(uint64_t address);

/* Makes memory of the program device memory, all of it written; and ends that. Registering fails if
 * a part of it is device memory. */
hipError_t mx_hip_register(void *p, size_t bytes, unsigned flags);
bool mx_hip_unregister(void *p);

/* Puts the device memory into which p points into a file, which *a describes: the file's number, 0
 * if there is no such memory or no file. It is closed when the memory is freed. */
int mx_hip_share(const void *p, struct mx_allocation *a);

/* Memory that another process shares, from its file; NULL if there is no memory, or if the file
 * does not have that many bytes. The same memory has the same address, until each import has ended.
 */
void *mx_hip_import(int file, size_t bytes);
bool mx_hip_end_import(void *p);

/* Makes mapped memory an allocation, with its states; and ends that of all in [from, to). The
 * mapping stays. */
bool mx_hip_show(void *p, size_t bytes, void *states, struct mx_allocation a);
void mx_hip_hide_range(uint64_t from, uint64_t to);

/* What happens to memory of graphs: a node has it or has it no more, another one frees it; work
 * that will allocate or free it is enqueued; it does so. Freed memory is cleared. */
enum mx_graph_step {
	MX_GRAPH_KEEP,
	MX_GRAPH_DROP,
	MX_GRAPH_FREE_NODE,
	MX_GRAPH_TAKE,
	MX_GRAPH_GIVE,
	MX_GRAPH_ALLOCATE,
	MX_GRAPH_FREE,
};

/* False if p is no such memory, or the step has no effect. */
bool mx_hip_graph_step(void *p, enum mx_graph_step step);

/* What p points into; false if it is no device memory. */
bool mx_hip_about(const void *p, struct mx_allocation *a);

/* Whether an address is in memory that no call of the program made. */
bool mx_hip_is_internal(uint64_t address);

/* Bytes that are taken from a pool; or, if it is NULL, of a device, in whole pages. */
size_t mx_hip_allocated(const void *pool, int device);

/* The allocations of a pool that ends have none then. */
void mx_hip_leave_pool(const void *pool);

/* Lets the host wait for copies of the memory into which p points, or not. False if p is no device
 * memory. */
bool mx_hip_set_synchronous(const void *p, bool synchronous);

/* Gives these devices, by bits, access to all memory of a pool, and no other ones. */
void mx_hip_set_access(const void *pool, uint32_t devices);

/* The same of an allocation of a launch: a small mapping is kept for an allocation of as many pages
 * that would be in its place. */
void mx_hip_retire(void *p);

/* Marks bytes of device memory; false if they are not inside one allocation. */
bool mx_hip_mark(uint64_t address, size_t bytes, uint8_t state);

/* A value of 4 or 8 bytes, aligned; false if it is not in an allocation. */
bool mx_hip_load(const void *p, unsigned bytes, uint64_t *value);

bool mx_hip_is_allocation(const void *p, size_t bytes);
bool mx_hip_is_writable(const void *p, size_t bytes); /* the same, and not read-only */
bool mx_hip_is_absent(const void *p);                 /* memory of a graph that is not allocated */

/* Copies the states of copied bytes; false if `to` is not inside one allocation. */
bool mx_hip_copy_states(uint64_t to, const void *from, size_t bytes);

/* The live allocations that a device may access, or those of this thread, sorted; free() the
 * regions. False if host memory is short. */
bool mx_hip_snapshot(bool own, int device, struct mx_memory *m);

/* ---- pool.c ---- */

/* An address for memory of graphs, which one node has; NULL if there is none. And what a launch
 * does: memory that an earlier launch has left is freed before. */
void *mx_pool_reserve(int device, size_t bytes);
void mx_pool_allocate(void *p);

/* ---- virtual.c ---- */

/* Memory may be mapped at several addresses. A number for the byte that is mapped at an address,
 * which the byte has at each of them, and the end of the mapping; 0 if none is. And an address of
 * it; the number itself if it has none. */
uint64_t mx_virtual_place(uint64_t at, uint64_t *end);
uint64_t mx_virtual_address(uint64_t place);

/* Whether some memory may have several addresses now. */
bool mx_virtual_is_mapped_twice(void);

/* ---- advice.c ---- */

/* Forgets the advice about memory. */
void mx_advice_forget(const void *p, size_t bytes);

/* ---- load.c ---- */

struct mx_function {
	struct ihipModule_t *module;
	unsigned wave_size; /* lanes */
	char *name;
	struct mx_kernel kernel;
	uint64_t descriptor; /* its address */
	struct mx_kernel_arg *args;
	size_t n_args;
	uint32_t kernarg_bytes, max_workgroup;
	uint32_t required[3]; /* reqd_workgroup_size; 0: any */
	uint32_t cluster[3];  /* cluster_dims; 0: any */
	bool dynamic_stack, uniform;
	/* hipFuncSetAttribute: bytes of dynamic LDS, plus 1, or 0 for all; percent, or -1 */
	atomic_int dynamic_lds, carveout;
};

struct mx_symbol {
	char *name;
	uint64_t offset, size; /* in the image */
};

/* A code object in device memory. */
struct ihipModule_t {
	int device;
	uint8_t *image;
	size_t image_bytes;
	struct mx_program *program;
	struct mx_function *functions;
	size_t n_functions;
	struct mx_symbol *symbols;
	size_t n_symbols;
	struct mx_printf_format *formats;
	size_t n_formats;
	uint8_t *elf; /* the code object, if the program is watched; or NULL */
	size_t elf_bytes;
	char file[32];   /* that has it; "": none yet */
	uint8_t *loaded; /* the image as it was loaded, if launches are recorded; or NULL */
};

/* Loads a code object or bundle to a device; bytes: as for mx_codeobject_open. After a failure
 * *module is unchanged. */
hipError_t mx_module_load(const void *image, size_t bytes, int device,
                          struct ihipModule_t **module);
void mx_module_free(struct ihipModule_t *m);

/* ---- module.c ---- */

/* A kernel or variable of a module by name: hipErrorNotFound, with a list of the kernels. */
hipError_t mx_module_function(const struct ihipModule_t *m, const char *name,
                              const struct mx_function **f);
hipError_t mx_module_variable(const struct ihipModule_t *m, const char *name, uint8_t **address,
                              size_t *bytes);

/* hipErrorInvalidHandle if f is not a kernel of a loaded module. f is not followed. */
hipError_t mx_function_check(const struct mx_function *f);

/* ---- occupancy.c ---- */

/* hipFuncSetAttribute of a kernel. */
hipError_t mx_function_set(const struct mx_function *f, hipFuncAttribute what, int value);

/* ---- kernarg.c, launch.c ---- */

/* The shape of a launch. */
struct mx_shape {
	uint32_t grid[3], block[3]; /* workgroups; work-items of a workgroup */
	uint32_t partial[3]; /* work-items of the last workgroup of an axis, if fewer; or 0 */
	uint32_t dynamic_lds;
	bool cooperative;    /* all workgroups are resident at once */
	bool any_order;      /* it may overlap with earlier work of its stream */
	uint32_t cluster[3]; /* workgroups of a cluster, or 0: as the kernel has them */
};

/* The axes of a launch [assumed: 1 for a grid that is 1 high and deep]. */
unsigned mx_shape_axes(const struct mx_shape *s);

/* Device memory that a launch's kernel uses: arguments, dispatch packet, queue, what the barrier of
 * a grid uses, what it prints; and the buffer by which it calls the host. Those that it does not
 * use are NULL. */
struct mx_segment {
	uint8_t *kernarg, *dispatch, *queue, *grid, *printf;
	struct mx_hostcall *hostcall;
	size_t given, declared; /* bytes of arguments, if fewer were given than declared; or 0 */
};

/* Builds it from either of HIP's two forms of arguments. scratch_bytes: of a work-item. */
hipError_t mx_segment_new(const struct mx_function *f, const struct mx_shape *s,
                          uint32_t scratch_bytes, void **params, void **extra,
                          struct mx_segment *segment);
void mx_segment_free(struct mx_segment *segment);

/* A copy of the arguments of a later launch. */
struct mx_arguments {
	uint8_t *bytes;
	void **params; /* NULL: `bytes` has the packed form */
	size_t size;
};
hipError_t mx_arguments_copy(const struct mx_function *f, void **params, void **extra,
                             struct mx_arguments *to);
void mx_arguments_free(struct mx_arguments *a);

/* The form of `extra`, of arguments without params. */
void mx_arguments_packed(const struct mx_arguments *a, void *extra[5]);

/* ---- options.c, launch.c ---- */

/* Sets a launch's fields from this thread's options; and the number of threads, 0: any; whether
 * launches may access the memory of this thread alone; where the results go, NULL: to the thread's
 * report; and whether the thread has set any. */
void mx_options_apply(struct mx_launch *launch);

/* Sets the profiles of MXHIP_PROFILE, for launches without options. */
void mx_environment_arithmetic(struct mx_launch *launch);
unsigned mx_options_threads(void);
bool mx_options_own_memory(void);
struct mx_report *mx_options_report(void);
bool mx_options_are_set(void);

/* Whether this thread's options have no effect, because it runs the work of others; returns what
 * was so before. */
bool mx_options_suspend(bool suspended);

/* Checks a launch's shape, and runs it. */
hipError_t mx_launch_check(const struct mx_function *f, const struct mx_shape *s);
hipError_t mx_launch(const struct mx_function *f, const struct mx_shape *s, void **params,
                     void **extra);

/* Waves of a workgroup; waves and workgroups of a kernel that a compute unit can hold. */
unsigned mx_waves_of(const struct mx_function *f, const struct mx_shape *s);
unsigned mx_waves_fit(const struct mx_kernel *k);
unsigned mx_groups_fit(const struct mx_kernel *k, unsigned waves, uint32_t dynamic_lds);

/* ---- copy.c ---- */

/* A copy of rows, and of planes of them; 0 planes count as 1. */
struct mx_copy {
	void *to;
	const void *from;
	size_t bytes, rows, to_pitch, from_pitch;
	size_t planes, to_plane, from_plane; /* bytes from one plane to the next */
	hipMemcpyKind kind;
	bool waits;   /* the call ends when the copy is over: it needs no memory of its own */
	void *staged; /* host memory of the copy's own, which is freed with it; or NULL */
};

/* The copy of a box, which begins at a position in pitched memory on either side. */
hipError_t mx_hip_copy_of_box(const hipMemcpy3DParms *p, struct mx_copy *c);
/* HIP's driver API has another form of it. */
hipError_t mx_hip_box_of(const HIP_MEMCPY3D *d, hipMemcpy3DParms *p);

hipError_t mx_hip_copy_check(const struct mx_copy *c);
hipError_t mx_hip_copy(const struct mx_copy *c);

/* Ends a call that copies or sets, from NULL, without Async: its work is over. The host has waited
 * for it unless it is of one device's memory. */
hipError_t mx_hip_waited(hipError_t e, hipStream_t stream, const void *to, const void *from);

/* Copies what a copy reads of pageable host memory, so that the program may change it. */
hipError_t mx_hip_copy_stage(struct mx_copy *c);

/* Rows of `width` elements of 1, 2 or 4 bytes; a height of 0 counts as 1. */
hipError_t mx_hip_set_check(const hipMemsetParams *p);
hipError_t mx_hip_set(const hipMemsetParams *p);

/* ---- stream.c, capture.c ---- */

/* A capture, of the stream in which it began and of those that joined it. */
struct mx_capture {
	struct ihipGraph *graph; /* receives their work */
	bool is_given;           /* by the program, and so its own */
	uint64_t id;
	hipStreamCaptureMode mode;
	pthread_t thread;                  /* that began it */
	const struct ihipStream_t *origin; /* in which it began */
	bool invalid;                      /* a call broke its rules: it ends with an error */
};

/* Nodes on which the next one depends: of a captured stream, or at a record in one. */
struct mx_front {
	struct hipGraphNode **nodes;
	size_t n;
};

struct ihipStream_t {
	int device;
	unsigned number;               /* from 1 in the process; legacy streams have 0 */
	struct mx_stream_clock clock;  /* of all its work that has run */
	struct mx_stream_clock before; /* of what comes before a launch in any order */
	unsigned branches;             /* such launches since */
	unsigned flags;
	int priority;
	int sync_policy;                           /* hipSynchronizationPolicy; 0: the default */
	uint32_t units_off[MX_COMPUTE_UNITS / 32]; /* compute units that its mask leaves out */
	struct mx_capture *capture;                /* that receives its work, or NULL */
	struct mx_front front;
	struct ihipStream_t *other;    /* next in the list of all streams */
	struct mx_piece *first, *last; /* enqueued work (queue.c) */
};

/* In memory that processes share: the number of records, and the last one that is over. */
struct mx_shared_event {
	uint64_t recorded, complete;
};

struct ihipEvent_t {
	int device;
	bool recorded, timed;
	const struct ihipStream_t *stream; /* of its last record, and that piece; or NULL */
	uint64_t seq;
	struct timespec at;
	struct mx_stream_clock clock; /* of the record clock_seq */
	uint64_t clock_seq;
	uint64_t capture_id;            /* of the stream in which it was recorded, or 0 */
	struct mx_shared_event *shared; /* of an event of several processes, or NULL */
	struct mx_front front;
};

/* A new event; with a shared part that another process has made, or NULL. */
hipError_t mx_event_new(unsigned flags, struct mx_shared_event *shared, hipEvent_t *event);

/* Adds nodes to a front; false if host memory is short. And empties it. */
bool mx_front_add(struct mx_front *front, struct hipGraphNode *const *nodes, size_t n);
void mx_front_clear(struct mx_front *front);

/* Ends a capture, and frees its graph. */
void mx_capture_abandon(struct mx_capture *capture);

/* Lets a stream depend on what a captured event's stream had captured. A stream that is not
 * captured joins the capture. */
hipError_t mx_capture_join(struct ihipStream_t *stream, struct mx_capture *capture,
                           const struct ihipEvent_t *event);

/* hipErrorStreamCaptureUnsupported, and the end of captures, if a call of this thread is unsafe
 * during them [HIP, hipStreamCaptureMode]. */
hipError_t mx_capture_check_unsafe(void);

/* The same for a wait for a device, which is unsafe in all modes. */
hipError_t mx_capture_check_device(void);

/* The same if a stream is captured; and hipErrorStreamCaptureImplicit if it is the legacy stream
 * and a blocking stream is captured. */
hipError_t mx_capture_check_wait(struct ihipStream_t *stream);

/* Checks work and enqueues it, or adds it to the graph that captures the stream. */
hipError_t mx_stream_launch(hipStream_t stream, const struct mx_function *f,
                            const struct mx_shape *s, void **params, void **extra);
hipError_t mx_stream_copy(hipStream_t stream, const struct mx_copy *c);
hipError_t mx_stream_set(hipStream_t stream, const hipMemsetParams *p);
hipError_t mx_stream_free(hipStream_t stream, void *p);
hipError_t mx_stream_allocate(struct ihipStream_t *stream, int device, size_t bytes, void **p);

/* Copies without order among them. *failed, if not NULL, is the first one that is wrong. */
hipError_t mx_stream_copies(hipStream_t stream, const struct mx_copy *list, size_t n,
                            size_t *failed);

/* Lets a watched program know that memory is the stream's from here on. */
hipError_t mx_stream_allocated(struct ihipStream_t *stream, void *p, size_t bytes);

/* ---- stream.c ---- */

/* hipStreamLegacy of HIP 6.2. HIP 5's headers do not name it. */
#define MX_LEGACY_STREAM ((hipStream_t)1)

/* The stream of a handle: also of the default ones, 0, hipStreamLegacy and hipStreamPerThread.
 * hipErrorContextIsDestroyed if there is none, as in AMD's runtime. */
hipError_t mx_stream_of(hipStream_t handle, struct ihipStream_t **stream);

/* hipStreamSynchronize. If it does not tell the host, work that is enqueued later has no order with
 * that of the stream. */
hipError_t mx_stream_synchronise(hipStream_t stream, bool tells_host);

/* Its device; the current one if there is no such stream. */
int mx_stream_device(hipStream_t handle);

/* ---- register.c ---- */

/* The kernel of a host symbol on a device, and its variable on the current one. */
hipError_t mx_function_of(const void *host, int device, const struct mx_function **f);
hipError_t mx_variable_of(const void *host, uint8_t **address, size_t *bytes);

/* The address of [offset, offset + bytes) of a variable. wrong: the kind of a copy in the other
 * direction. */
hipError_t mx_part_of_variable(const void *symbol, size_t offset, size_t bytes, hipMemcpyKind kind,
                               hipMemcpyKind wrong, uint8_t **p);

#endif
