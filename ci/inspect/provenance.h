/* Provenance: the chain of instructions that computed a byte of memory.
 *
 * A launch is a function of program, inputs and seed, so nothing is recorded. The launch runs again
 * to find the last writer of a location, then again for each level of values that the writers
 * read. */
#ifndef MX_PROVENANCE_H
#define MX_PROVENANCE_H

#include "../../oracle/bench.h"
#include "../../ref/isa/encoding/operands.h"

typedef enum { MX_IN_REGISTER, MX_IN_SCC, MX_IN_MEMORY, MX_IN_LDS } mx_where;

/* An instruction as one lane executed it. */
struct mx_step {
	unsigned launch; /* step of the case, from 0 */
	uint32_t workgroup[3], wave;
	int lane;        /* -1: scalar */
	unsigned part;   /* dword of its result, from 0 */
	uint64_t issue;  /* number of the instruction in its wave; 0: set up with the wave */
	uint64_t issued; /* time of issue, in instructions of the workgroup; 0: not known */
	uint64_t time;   /* time of the write */
	bool landing;
	uint64_t pc;
	const struct mx_isa *isa;
	uint32_t code[4];
	size_t dwords; /* 0: the set-up of the wave */
	struct mx_inst in;
	unsigned depth;
};

/* A value, and the instruction that wrote it last before it was read. */
struct mx_value {
	int reader; /* step; -1: the requested location */
	const char *role;
	mx_where where;
	unsigned code; /* register */
	int lane;
	uint64_t address; /* memory; LDS: offset */
	unsigned bytes;
	bool kernarg; /* address is an offset in the kernel arguments of the reader's launch */
	bool wanted;  /* its writer is searched */
	bool known;   /* data is the value at the read */
	bool resolved;
	uint32_t data;
	int writer; /* step; -1: not written in this run, or not searched */
};

struct mx_chain {
	struct mx_step *steps;
	struct mx_value *values; /* values[0] is the requested location */
	size_t n_steps, n_values, steps_room, values_room;
	bool out_of_memory;
};

/* Finds the instruction that wrote `bytes` bytes at a device address last, in the run with that
 * schedule. Depth 0: that instruction and the values that it read; each level more adds one
 * instruction to each chain. The chain is freed with mx_chain_free. 0, or -1 with err->text. */
int mx_chain_find(struct mx_bench *b, uint64_t schedule, uint64_t address, unsigned bytes,
                  unsigned depth, struct mx_chain *c, struct mx_error *err);
void mx_chain_free(struct mx_chain *c);

#endif
