/* Reporting findings: callers give the data; findings.c adds the instruction and the wave. */
#ifndef MX_FINDINGS_H
#define MX_FINDINGS_H

#include "../encoding/inst.h"
#include "../isa.h"

struct mx_run;

/* A row of reasons.def with its numbers, or with its subject. */
#define MX_BECAUSE(reason, ...)        ((struct mx_because){ MX_BECAUSE_##reason, { __VA_ARGS__ }, NULL })
#define MX_BECAUSE_OF(reason, subject) ((struct mx_because){ MX_BECAUSE_##reason, { 0 }, subject })

/* Reports a finding at an instruction (NULL: at the wave's program counter). lane -1, address 0:
 * none. */
__attribute__((cold)) void mx_find(struct mx_wave *w, const struct mx_inst *in,
                                   mx_finding_kind kind, int lane, uint64_t address,
                                   struct mx_because because);
/* The same for an access. */
__attribute__((cold)) void mx_find_access(struct mx_wave *w, const struct mx_inst *in,
                                          mx_finding_kind kind, int lane, uint64_t address,
                                          struct mx_finding_access access,
                                          struct mx_because because);
/* The same with any data; `earlier`: the other instruction, or NULL. Fills in pcs, dwords,
 * workgroup, wave and count. */
__attribute__((cold)) void mx_find_as(struct mx_wave *w, const struct mx_inst *in,
                                      const struct mx_inst *earlier, struct mx_finding *n);

static inline struct mx_finding_access mx_finding_access_of(bool write, mx_space space,
                                                            size_t bytes) {
	return (struct mx_finding_access){ write ? MX_ACCESS_WRITE : MX_ACCESS_READ, space,
		                           (uint32_t)bytes };
}

/* Notes that lanes of an instruction (0: all of it) rest on an assumption. An instruction has one
 * note, of the first workgroup, wave and lane in the launch, whatever the order in which they run.
 */
void mx_assume(struct mx_wave *w, const struct mx_inst *in, uint64_t lanes, mx_assumption rule);
/* Whether threads count such findings each for itself. Any other one, and a note of wait states
 * that the launch had not found before its threads started, ends their part of the launch. */
bool mx_finding_is_counted(mx_finding_kind k);
/* Adds the notes of a thread's report to the launch's. */
void mx_merge_notes(struct mx_run *run, const struct mx_report *from);

/* The dwords of an instruction; none for NULL. */
struct mx_inst_dwords mx_inst_dwords_of(const struct mx_inst *in);

/* The pc of an offset in the program: its distance from the kernel's first instruction. */
uint64_t mx_pc_of(const struct mx_run *run, uint64_t offset);

#endif
