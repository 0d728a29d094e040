/* What libmxhip.so offers beyond the HIP API: seeded schedules, findings, byte states.
 *
 * libmxhip.so is a HIP runtime with one device, an emulated gfx950. It has the
 * public C API's names, so that a host program built for HIP runs on it as it
 * is. Found with dlsym; a runtime that lacks these functions is a real one.
 *
 * Work is done when it is enqueued: every call returns with its effect
 * complete, which HIP's stream order allows. A launch that stops at a fault or
 * at something not implemented reports it at the next synchronising call, as
 * HIP does. Settings and reports belong to the calling thread.
 */
#ifndef MXHIP_H
#define MXHIP_H

#include "../isa/isa.h"

#define MXHIP_API __attribute__((visibility("default")))

/* The schedule of this thread's next launches. */
MXHIP_API void mxhipSetSeed(uint64_t seed);

/* How many host threads all launches of the process may use together; 0, the default: one for each
 * processor. A launch uses what the others leave, where that pays; its bits, findings and counts
 * do not depend on it. */
MXHIP_API void mxhipSetThreads(unsigned n);

/* How many instructions a wave of this thread's next launches may issue before it counts as
 * stuck; 0: the emulator's own limit. */
MXHIP_API void mxhipSetInstructionLimit(uint64_t instructions);

/* How matrix instructions accumulate; false if there is no such profile. */
MXHIP_API bool mxhipSetProfile(const char *name);

/* Sets the state of bytes of device memory: 0 (never written), MX_WRITTEN or
 * MX_GUARD. False if they are not inside one allocation. */
MXHIP_API bool mxhipMark(void *address, size_t bytes, uint8_t state);

/* Copies the states of bytes of device memory to `states`: 0, or MX_WRITTEN and MX_GUARD, or'ed.
 * A byte that was stored from a register that was never written counts as never written. False if
 * the bytes are not inside one allocation. */
MXHIP_API bool mxhipStates(const void *address, size_t bytes, uint8_t *states);

/* Who is told what happens in this thread's next launches; NULL ends it. It must stay where
 * it is until then. */
MXHIP_API void mxhipSetObserver(const struct mx_observer *observer);

/* What this thread's next launches look for besides what they always do: MX_ANALYSE_..., or'ed;
 * default: nothing. */
MXHIP_API void mxhipSetAnalysis(unsigned analysis);

/* Whether in this thread's next launches scratch returns in an order of its own, and not with the
 * rest of vmcnt; default: it does not. */
MXHIP_API void mxhipSetScratchApart(bool apart);

/* Whether in this thread's next launches the waves of a workgroup may run on several compute units,
 * and so share no L1; default: they share one. */
MXHIP_API void mxhipSetThreadgroupSplit(bool split);

/* The schedule of this thread's next launches, said outright instead of by a seed; and what gets
 * the schedule of the next launches as it came, decision by decision, added to what it has. NULL
 * ends either. They must stay where they are until then. */
MXHIP_API void mxhipSetSchedule(const struct mx_schedule *schedule);
MXHIP_API void mxhipRecordSchedule(struct mx_schedule *record);

/* What this thread's last launch left: findings and counts. Valid until its next launch. */
MXHIP_API const struct mx_report *mxhipReport(void);

/* Why this thread's last failing call failed, in one line; "" if there is nothing to add. */
MXHIP_API const char *mxhipErrorDetail(void);

/* Names of the rows that struct mx_stats counts, and of finding kinds. */
MXHIP_API size_t mxhipOpCount(void);
MXHIP_API const char *mxhipOpName(size_t i);
MXHIP_API const char *mxhipFindingName(mx_finding_kind k);

#endif
