/* Findings of a launch, and notes of what it assumes. */
#ifndef MX_FINDINGS_H
#define MX_FINDINGS_H

#include "../encoding/inst.h"
#include "../isa.h"

struct mx_run;

/* Reports a finding at an instruction; lane -1 and address 0 mean none. */
__attribute__((format(printf, 6, 7))) void mx_find(struct mx_wave *w, const struct mx_inst *in,
                                                   mx_finding_kind kind, int lane, uint64_t address,
                                                   const char *format, ...);
/* The same of two instructions, of which `earlier` is the cause. */
__attribute__((format(printf, 7, 8))) void mx_find_pair(struct mx_wave *w, const struct mx_inst *in,
                                                        const struct mx_inst *earlier,
                                                        mx_finding_kind kind, int lane,
                                                        uint64_t address, const char *format, ...);
/* Counts one more of a finding that is there already and so needs no text; false if there is none.
 */
bool mx_found_again(struct mx_wave *w, const struct mx_inst *in, const struct mx_inst *earlier,
                    mx_finding_kind kind);
/* Notes that lanes of an instruction (0: all of it) rest on an assumption. A place has one note, of
 * the first workgroup, wave and lane, whatever the order in which they run. */
void mx_assume(struct mx_wave *w, const struct mx_inst *in, uint64_t lanes, mx_assumption rule);
/* Adds the notes of a thread's report to the launch's. */
void mx_merge_notes(struct mx_run *run, const struct mx_report *from);
/* Whether a finding has stopped the launch. */
bool mx_stopped(const struct mx_wave *w);

#endif
