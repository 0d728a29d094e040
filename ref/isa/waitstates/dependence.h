/* Dependences through VGPRs that the hardware does not check while a wave has expert scheduling
 * mode: on results of the vector ALU that are not written yet, and on sources of memory
 * instructions that are not read yet. s_wait_alu waits for them [LLVM "SIInsertWaitcnts": VA_VDST,
 * VM_VSRC].
 *
 * An instruction is in one of the pipes below. Those of a pipe end in the order of issue, those of
 * two pipes in any, so a wait for n covers all but the last n of each pipe. The hardware checks
 * what the vector ALU reads and overwrites of its own results, and scalar registers.
 *
 * Where sources differ, the rule is the one that finds least: LLVM lets waits for loads, stores and
 * LDS count as waits for sources, and counts tensor copies; a WMMA with scales counts twice [AMD's
 * Tensile, "InsertWaitAluPass"]. Left out: loads that overwrite a source of the vector ALU, for
 * which LLVM after version 22 alone waits. */
#ifndef MX_DEPENDENCE_H
#define MX_DEPENDENCE_H

#include "../encoding/inst.h"
#include "../isa.h"

typedef enum {
	MX_PIPE_VALU,
	MX_PIPE_TRANS,
	MX_PIPE_XDL, /* WMMAs except those of f32, dot products */
	MX_PIPE_LDS,
	MX_PIPE_VMEM,
	MX_PIPES,
	MX_VALU_PIPES = MX_PIPE_LDS
} mx_pipe;

/* The last instruction of a pipe that uses a register, and its number in the pipe; 0: none. */
struct mx_pipe_use {
	const struct mx_inst *in;
	uint64_t nth;
};

/* Of a wave, or of a place in the code. */
struct mx_dependences {
	bool expert; /* for lint: the mode */
	uint64_t issued[MX_PIPES], over[MX_PIPES];
	struct mx_pipe_use
		use[][MX_PIPES]; /* by VGPR: results of the vector ALU, sources of memory */
};

/* Whether the program may set expert scheduling mode. */
bool mx_uses_expert_mode(const struct mx_program *p);

/* Bytes for all VGPRs of the instruction set. */
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

/* Adds the watcher of waves to the run, if the launch asks for wait states and the program uses the
 * mode; dependence_watch.c. */
struct mx_run;
void mx_dependences_watch(struct mx_run *run);

#endif
