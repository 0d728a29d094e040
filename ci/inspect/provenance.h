/* Where a byte of memory comes from: the chain of instructions behind it.
 *
 * A launch is a function of program, inputs and seed, so that nothing need be recorded: the
 * launch is run again and watched for the last writers of what is looked for, then again for
 * what those writers read, as deep as asked for. */
#ifndef MX_ORIGIN_H
#define MX_ORIGIN_H

#include "../../oracle/bench.h"
#include "../../ref/isa/encoding/operands.h"

typedef enum { MX_IN_REGISTER, MX_IN_SCC, MX_IN_MEMORY, MX_IN_LDS } mx_where;

/* An instruction as one lane executed it. */
struct mx_step {
	uint32_t workgroup[3], wave;
	int lane;        /* -1: scalar */
	unsigned part;   /* which dword of its result, from 0 */
	uint64_t issue;  /* which instruction of its wave; 0: set up with the wave */
	uint64_t issued; /* when: instructions of the workgroup; 0: not known */
	uint64_t time;   /* when it wrote */
	bool landing;
	uint64_t pc;
	uint32_t code[4];
	size_t dwords; /* 0: the wave's set-up */
	struct mx_inst in;
	unsigned depth;
};

/* A value, and who wrote it last before it was read. */
struct mx_value {
	int reader; /* step; -1: what was asked for */
	const char *role;
	mx_where where;
	unsigned code; /* register */
	int lane;
	uint64_t address; /* memory; LDS: offset */
	unsigned bytes;
	bool kernarg; /* address is an offset in the kernel arguments */
	bool wanted;  /* its writer is looked for */
	bool known;   /* data is the value when it was read */
	bool resolved;
	uint32_t data;
	int writer; /* step; -1: nobody in this launch, or not looked for */
};

struct mx_chain {
	struct mx_step *steps;
	struct mx_value *values; /* values[0] is what was asked for */
	size_t n_steps, n_values, steps_room, values_room;
	bool out_of_memory;
};

/* Who wrote `bytes` bytes at a device address last, in the launch of that schedule; depth 0:
 * that instruction and what it read; each further step, one instruction more of each chain.
 * The chain is freed with mx_chain_free. 0, or -1 with err->text. */
int mx_chain_find(struct mx_bench *b, uint64_t schedule, uint64_t address, unsigned bytes,
                  unsigned depth, struct mx_chain *c, struct mx_error *err);
void mx_chain_free(struct mx_chain *c);

#endif
