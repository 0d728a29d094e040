/* Dependences that s_wait_alu waits for.
 *
 * In expert scheduling mode the hardware leaves some of them unchecked. Mode 2: those through VGPRs
 * between the vector ALU and memory instructions, on results that are not written yet (va_vdst) and
 * on sources of memory instructions that are not read yet (vm_vsrc) [LLVM "SIInsertWaitcnts"].
 * Mode 1: also those through SGPRs and VCC, on results of the vector ALU (va_sdst, va_vcc), on
 * results of the scalar ALU (sa_sdst), and on sources of the vector ALU (va_ssrc) [AMD's Tensile,
 * "evaluateExpertSchedulingMode"]. No source has mode 3: it counts as 2. hold_cnt is no dependence:
 * Tensile removes the other six alone, and no source has what it counts.
 *
 * In each mode LLVM waits around ds_atomic_async_barrier_arrive (vm_vsrc), and between a write of
 * s102 or s103 and a use of src_flat_scratch_base (va_sdst, sa_sdst) ["GCNHazardRecognizer",
 * fixDsAtomicAsyncBarrierArriveB64, fixScratchBaseForwardingHazard].
 *
 * What ends in the order of issue is a queue, below. Two queues end in any order, so a wait for n
 * covers all but the last n of each queue. The hardware checks what the vector ALU reads and
 * overwrites of its own results, and the scalar ALU of its.
 *
 * Where sources differ, or have nothing, the rule is the one that finds least: LLVM lets waits for
 * loads, stores and LDS count as waits for sources, and counts tensor copies; a WMMA with scales
 * counts twice [Tensile, "InsertWaitAluPass"]. Left out: loads that overwrite a source of the
 * vector ALU, for which LLVM after version 22 alone waits; scalar memory that uses results of the
 * scalar ALU, or overwrites sources of the vector ALU; sources of prefetches, on which no result
 * depends, and which LLVM overwrites without a wait at the entry of a kernel; M0, EXEC and SCC.
 *
 * What only the strict rule for VGPRs requires is a note: a wait for loads, stores or LDS covers
 * the sources of what it waits for, and those of older instructions of the same queue; tensor
 * copies do not count, and no WMMA counts twice. */
#ifndef MX_DEPENDENCE_H
#define MX_DEPENDENCE_H

#include "../encoding/inst.h"
#include "../isa.h"

typedef enum {
	/* of VGPRs: results of the vector ALU, sources of memory instructions */
	MX_QUEUE_VALU,
	MX_QUEUE_TRANS,
	MX_QUEUE_XDL, /* WMMAs except those of f32, dot products */
	MX_QUEUE_LDS,
	MX_QUEUE_VMEM,
	/* of SGPRs and VCC: results and sources of the vector ALU, results of the scalar ALU */
	MX_QUEUE_SGPR,
	MX_QUEUE_VCC,
	MX_QUEUE_SOURCE,
	MX_QUEUE_SALU,
	MX_QUEUES,
	MX_VGPR_QUEUES = MX_QUEUE_SGPR,
} mx_queue;

/* The last instruction of a queue that uses a register, and its number in the queue; 0: none. */
struct mx_queue_use {
	const struct mx_inst *in;
	uint64_t nth;
};

/* Operations of a counter. */
struct mx_counted {
	uint64_t issued;
	struct {
		mx_queue queue;
		uint64_t nth;
	} last[64]; /* those that can be in flight, by their number */
};

/* Of a wave, or of a place in the code. */
struct mx_dependences {
	uint8_t modes; /* the scheduling modes that it may have, a bit each */
	bool strict;   /* the strict rule for VGPRs, which gives notes */
	uint64_t issued[MX_QUEUES], over[MX_QUEUES];
	struct mx_counted counted[MX_COUNTERS]; /* for the strict rule */
	struct mx_queue_use use[];              /* by register, for each of its queues */
};

/* Whether the program may have a dependence that the hardware does not check. */
bool mx_has_dependences(const struct mx_program *p);

/* Bytes for all registers of the instruction set. */
size_t mx_dependences_size(const struct mx_isa *isa);

/* Forgets all that is in flight. */
void mx_dependences_forget(struct mx_dependences *d);

/* Prepares the start of a path. */
void mx_dependences_start(struct mx_dependences *d);

/* Adds what may be in flight in `from`. Both paths start at the same place. Returns whether `to`
 * changed. */
bool mx_dependences_merge(const struct mx_isa *isa, struct mx_dependences *to,
                          const struct mx_dependences *from);

/* The first use that the instruction would overtake, if the hardware does not check it, as a
 * finding without place and wave. A later call finds the next one: the missing wait counts as done.
 */
bool mx_dependence_missing(struct mx_dependences *d, const struct mx_inst *in,
                           const struct mx_inst **earlier, struct mx_finding *f);

/* Follows an instruction: what it issues, or waits for. */
void mx_dependences_issue(const struct mx_isa *isa, struct mx_dependences *d,
                          const struct mx_inst *in);

/* Adds the watcher of waves to the run, if the launch asks for wait states and the program may have
 * dependences; dependence_watch.c. */
struct mx_run;
void mx_dependences_watch(struct mx_run *run);

#endif
