/* What libmxhip.so offers beyond the HIP API: options of launches, findings, byte states.
 *
 * libmxhip.so is a HIP runtime with one device, an emulated gfx950. It has the
 * public C API's names, so that a host program built for HIP runs on it as it
 * is. Found with dlsym; a runtime that lacks these functions is a real one.
 *
 * Work is done when it is enqueued: every call returns with its effect
 * complete, which HIP's stream order allows. A launch that stops at a fault or
 * at something not implemented reports it at the next synchronising call, as
 * HIP does. Options and reports belong to the calling thread.
 */
#ifndef MXHIP_H
#define MXHIP_H

#include "../isa/isa.h"

#define MXHIP_API __attribute__((visibility("default")))

/* ---- how launches run ---- */

/* How a thread's launches run. A member that is 0 or NULL has its default, so that
 * `{ .size = sizeof(struct mxhipLaunchOptions) }` asks for nothing but defaults.
 *
 * Versions: new members are appended. A caller that was compiled with fewer members has the
 * defaults of the others. A caller with more members is refused if one of those is not 0. */
struct mxhipLaunchOptions {
	/* Bytes of this struct, as the caller was compiled: its version. A multiple of 8. */
	size_t size;

	/* Chooses the schedule: the order of waves, and when memory operations land. One seed is
	 * one schedule. Any value; default 0. */
	uint64_t seed;

	/* Instructions that a wave may issue before the launch ends with the finding MX_STUCK.
	 * Default: 2^33. */
	uint64_t instruction_limit;

	/* How matrix instructions accumulate: the name of a profile of mx_profile_by_name, read by
	 * the call alone. Default: the first profile that mx_profile_at lists. */
	const char *profile;

	/* Gets the events of each launch. Default NULL: nothing does. What it points to must stay
	 * until other options are set. */
	const struct mx_observer *observer;

	/* The schedule itself, in place of the one that the seed chooses. Default NULL: the seed's.
	 * It must stay until other options are set. */
	const struct mx_schedule *schedule;

	/* Gets the decisions of each launch's schedule, added to what it holds; the caller frees it
	 * with mx_schedule_free. Default NULL: not recorded. It must stay until other options are
	 * set. */
	struct mx_schedule *record;

	/* What is analysed besides what always is: MX_ANALYSE_..., or'ed. Default: nothing. */
	uint32_t analysis;

	/* Host threads that this launch may use together with all other launches of the process
	 * that run at the same time. Bits, findings and counts do not depend on it. Default: one
	 * for each processor. */
	uint32_t threads;

	/* 1: scratch memory returns in an order of its own, apart from the rest of vmcnt. Default:
	 * in one order with it [ISA 4.4]. */
	uint32_t scratch_apart;

	/* 1: the waves of a workgroup may run on several compute units, and then share no L1.
	 * Default: they share one [LLVM "Memory Model gfx942": tgsplit]. */
	uint32_t threadgroup_split;
};

/* Sets the options of the calling thread's launches, from the next one on; NULL: defaults. What was
 * set before is replaced as a whole. Returns a hipError_t: hipSuccess, or hipErrorInvalidValue,
 * which changes nothing: `size` is no multiple of 8, a member that this version lacks is not 0,
 * `analysis` has an unknown bit, or there is no profile of that name. mxhipErrorDetail says which.
 */
MXHIP_API int mxhipSetLaunchOptions(const struct mxhipLaunchOptions *options);

/* What this thread's last launch left: findings and counts. Valid until its next launch. */
MXHIP_API const struct mx_report *mxhipReport(void);

/* Why this thread's last failing call failed, in one line; "" if there is nothing to add. */
MXHIP_API const char *mxhipErrorDetail(void);

/* One line for a finding of mxhipReport, cut at `room` bytes: kernel, pc, instruction, what
 * happened. Returns `text`. */
MXHIP_API char *mxhipFindingText(const struct mx_finding *f, char *text, size_t room);

/* Names of the rows that struct mx_stats counts, and of finding kinds. */
MXHIP_API size_t mxhipOpCount(void);
MXHIP_API const char *mxhipOpName(size_t i);
MXHIP_API const char *mxhipFindingName(mx_finding_kind k);

/* ---- bytes of device memory ---- */

/* Sets the state of bytes of device memory: 0 (never written), MX_WRITTEN or
 * MX_GUARD. False if they are not inside one allocation. */
MXHIP_API bool mxhipMark(void *address, size_t bytes, uint8_t state);

/* Copies the states of bytes of device memory to `states`: 0, or MX_WRITTEN and MX_GUARD, or'ed.
 * A byte that was stored from a register that was never written counts as never written. False if
 * the bytes are not inside one allocation. */
MXHIP_API bool mxhipStates(const void *address, size_t bytes, uint8_t *states);

#endif
