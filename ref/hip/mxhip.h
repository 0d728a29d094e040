/* Extensions of libmxhip.so to the HIP API: launch options, findings, byte states.
 *
 * libmxhip.so is a HIP runtime with an emulated gfx950, or with several, by the environment
 * variable MXHIP_DEVICES=N. It has the names of the public C API, so a host program built for HIP
 * runs on it unchanged. Find these functions with dlsym: a runtime without them drives a real
 * device.
 *
 * Work is enqueued, as in HIP, and runs in a call that waits for it: one that synchronises, that
 * copies or frees memory at once, or that reads states or a report. A query runs one piece of work,
 * and a host function runs in the call that gives it. Streams run their work in order; among
 * streams without order the environment variable MXHIP_SEED=N chooses, and without it work runs as
 * it was enqueued. While the program makes no calls for 0.1 s, the runtime does its work. A thread
 * that has set options does its work at once, after all that is enqueued.
 *
 * If a launch stops at a fault or at something that is not implemented, the next synchronising call
 * reports it, as in HIP. Options belong to the calling thread.
 */
#ifndef MXHIP_H
#define MXHIP_H

#include "../isa/isa.h"

#define MXHIP_API __attribute__((visibility("default")))

/* Makes the devices ones of an architecture: "gfx950", "gfx1250". Only for a program without
 * modules, and without other threads that call the runtime. Returns a hipError_t: hipSuccess, or
 * hipErrorInvalidValue, which changes nothing: the emulator does not have it. */
MXHIP_API int mxhipSetArchitecture(const char *name);

/* ---- options of launches ---- */

/* Options of a thread's launches. A member that is 0 or NULL has its default, so
 * `{ .size = sizeof(struct mxhipLaunchOptions) }` sets all defaults.
 *
 * Versions: new members are appended. If the caller was compiled with fewer members, the others
 * have their defaults. If it has more, the extra members must be 0. */
struct mxhipLaunchOptions {
	/* The size of this struct when the caller was compiled: its version. A multiple of 8, at
	 * least 8. */
	size_t size;

	/* Chooses the schedule: the order of waves, and when memory operations land. The same seed
	 * gives the same schedule. Any value; default 0. */
	uint64_t seed;

	/* Instructions that a wave may issue before the launch ends with the finding MX_STUCK.
	 * Default: 2^33. */
	uint64_t instruction_limit;

	/* How matrix instructions accumulate: the name of a profile of mx_profile_by_name. The call
	 * does not keep the string. Default: the first profile that mx_profile_at lists. */
	const char *profile;

	/* Receives the events of each launch. Default: NULL, none. The object must stay valid until
	 * other options are set. */
	const struct mx_observer *observer;

	/* An explicit schedule, which replaces that of the seed. Default: NULL. It must stay valid
	 * until other options are set. */
	const struct mx_schedule *schedule;

	/* Receives the decisions of each launch's schedule, appended to its contents; the caller
	 * frees it with mx_schedule_free. Default: NULL, no recording. It must stay valid until
	 * other options are set. */
	struct mx_schedule *record;

	/* Optional analyses: MX_ANALYSE_..., or'ed. Default: none. */
	uint32_t analysis;

	/* Host threads for this launch together with all other running launches of the process.
	 * Bits, findings and counts do not depend on it. Default: one for each processor. */
	uint32_t threads;

	/* 1: scratch memory returns in an order of its own, apart from the rest of vmcnt. Default:
	 * in one order with the rest [ISA 4.4]. */
	uint32_t scratch_apart;

	/* 1: the waves of a workgroup may run on several compute units, and then share no L1.
	 * Default: they share one L1 [LLVM "Memory Model gfx942": tgsplit]. */
	uint32_t threadgroup_split;

	/* 1: range checks of buffers leave SOFFSET out, as the manual has it. Default: they include
	 * it, as LLVM and hardware reports have it. */
	uint32_t soffset_unchecked;

	/* Number of the launch in a sequence, from 0: explicit schedules name it. Default: 0. */
	uint32_t launch;

	/* Receives what each launch executes. Default: NULL. It must stay valid until other options
	 * are set. */
	struct mx_coverage *coverage;

	/* Only these workgroups of a launch run, on one thread: their indices x + grid.x (y +
	 * grid.y z), in ascending order, and their number. Default: all. They must stay valid until
	 * other options are set. A launch whose grid lacks one fails. */
	const uint64_t *workgroups;
	uint64_t n_workgroups;

	/* Receives the results of each launch, instead of mxhipReport; mx_report_free frees what
	 * was in it before. The error of such a launch is returned by this thread's next
	 * synchronising call, otherwise by that of any thread. Default: NULL. It must stay valid
	 * until other options are set. */
	struct mx_report *report;

	/* Seconds after which a launch ends with the finding MX_LATE. Default: none. */
	double time_limit;

	/* 1: to launches, memory that other threads have allocated does not exist. So a kernel with
	 * a wrong address has the same findings whatever other threads do. Default: 0. */
	uint64_t own_memory;

	/* How matrix instructions accumulate, instead of `profile`. It has a name. Default: NULL.
	 * It must stay valid until other options are set. */
	const mx_profile *arithmetic;

	/* How single matrix instructions accumulate, instead of both, and their number. The name of
	 * each is that of its instruction, for scaled ones with the formats of A and B:
	 * "v_mfma_f32_16x16x32_f16", "v_mfma_scale_f32_16x16x128_f8f6f4_E4M3_E2M1". A launch that
	 * executes another one on floating-point numbers of 16 bits or fewer has a note. Default:
	 * none. The list and the profiles must stay valid until other options are set. */
	const mx_profile *const *arithmetics;
	uint64_t n_arithmetics;

	/* 1: launches repeat each other, under other schedules, say. The thread keeps results of
	 * matrix instructions, and what the waves do, from one to the next. That makes them faster,
	 * and changes nothing else. Default: 0, for the keeping costs time. */
	uint64_t repeats;
};

/* Sets the options of the calling thread's launches from the next one on; NULL: defaults. Replaces
 * all earlier options. Returns a hipError_t: hipSuccess, or hipErrorInvalidValue, which changes
 * nothing: `size` is 0 or not a multiple of 8, a member that this version lacks is not 0,
 * `analysis` has an unknown bit, `workgroups` are not in ascending order, time_limit is not from 0
 * to 1e9, a member that is 0 or 1 has another value, there is no profile of that name,
 * `arithmetic` or one of `arithmetics` has no name or does not pass mx_profile_check, or one of
 * `arithmetics` has the name of no instruction, or of one that cannot have it.
 * mxhipErrorDetail has the reason. */
MXHIP_API int mxhipSetLaunchOptions(const struct mxhipLaunchOptions *options);

/* Runs what is enqueued. Findings and counts of the last launch without the option `report` that
 * this thread has run. Valid until its next such launch. */
MXHIP_API const struct mx_report *mxhipReport(void);

/* The reason of this thread's last failure, in one line; "" if there is none. */
MXHIP_API const char *mxhipErrorDetail(void);

/* Writes one line for a finding of mxhipReport, cut to `room` bytes: kernel, pc, instruction and
 * sentence. Returns `text`. */
MXHIP_API char *mxhipFindingText(const struct mx_finding *f, char *text, size_t room);

/* Names of the opcodes that struct mx_stats of mxhipReport counts, and of finding kinds. */
MXHIP_API size_t mxhipOpCount(void);
MXHIP_API const char *mxhipOpName(size_t i);
MXHIP_API const char *mxhipFindingName(mx_finding_kind k);

/* ---- bytes of device memory ---- */

/* Sets the state of bytes of device memory: 0 (unwritten), MX_WRITTEN or MX_GUARD. False if they
 * are not inside one allocation. */
MXHIP_API bool mxhipMark(void *address, size_t bytes, uint8_t state);

/* Fills bytes of device memory with a value, and sets their states to 0. False as above. */
MXHIP_API bool mxhipPoison(void *address, size_t bytes, uint8_t value);

/* Copies the states of bytes of device memory to `states`: 0, or MX_WRITTEN and MX_GUARD, or'ed.
 * A byte that was stored from an unwritten register is unwritten. False if the bytes are not inside
 * one allocation. */
MXHIP_API bool mxhipStates(const void *address, size_t bytes, uint8_t *states);

/* The same states where the emulator has them, or NULL. Launches and copies change them. */
MXHIP_API const uint8_t *mxhipStatesOf(const void *address, size_t bytes);

/* The version of an allocation: another number, never one of before, after each call and each
 * launch that may have changed its bytes or their states. 0: not known, for memory that hipMalloc
 * did not make or that processes share, or because the bytes are not inside one allocation. A host
 * program that writes through the address itself is not noticed. */
MXHIP_API uint64_t mxhipVersion(const void *address, size_t bytes);

#endif
