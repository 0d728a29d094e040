/* An instruction set: all that the emulator has of it, reached through one pointer. A program
 * points at its instruction set (mx_program_isa), so programs of several run in one process. */
#ifndef MX_INSTRUCTION_SET_H
#define MX_INSTRUCTION_SET_H

#include "inst.h"

struct mx_hazard_rules;

struct mx_isa {
	const char *name; /* "gfx950" */

	unsigned wave_size; /* lanes of a wave: 32 or 64 */

	/* The opcodes; row i has the id i. */
	const struct mx_op *ops;
	size_t n_ops;

	/* Decodes the instruction at code[0]; at most `left` dwords may be read. `offset`: its
	 * place in the program, bytes. */
	void (*decode)(const uint32_t *code, size_t left, uint32_t offset, struct mx_inst *in);

	/* Writes the text of the instruction at code[0], cut to `room` bytes, and returns its size
	 * in bytes. Returns 0 and an empty text if there is none. */
	size_t (*disassemble)(const uint32_t *code, size_t left, uint64_t pc, char *text,
	                      size_t room);

	/* The functions that execute the opcodes on this CPU, by id. All calls return the same
	 * table. */
	mx_handler *const *(*handlers)(void);

	/* The rules of wait states (waitstates/hazard.h). NULL: none, the hardware inserts them. */
	const struct mx_hazard_rules *hazards;
};

/* Rooms below `launch` do not link with instruction sets by name: they get a pointer. */
extern const struct mx_isa mx_gfx950; /* launch/gfx950.c */

#endif
