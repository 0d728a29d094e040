/* An instruction set: all that the emulator has of it, reached through one pointer. A program
 * points at its instruction set (mx_program_isa), so programs of several run in one process. */
#ifndef MX_INSTRUCTION_SET_H
#define MX_INSTRUCTION_SET_H

#include "../isa.h"
#include "inst.h"

/* A hardware register: its bits, those that the emulator models, and the unwritten ones. */
struct mx_hw_value {
	uint32_t bits, known, unwritten;
};

struct mx_encodings;
struct mx_hazard_rules;
struct mx_launch;
struct mx_access;
struct mx_memop;
struct mx_wave;

/* A counter: the operations of a wave that are in flight. A wait names it. */
struct mx_isa_counter {
	const char *name; /* "vmcnt" */
	uint8_t most;     /* its highest value, below 64: an operation stalls until there is room,
	                     and a wait for it waits for nothing */
	const char *wait, *open, *close; /* "s_waitcnt vmcnt", "(", ")": text around the number */
};

/* What the operations of a stream access. */
typedef enum {
	MX_PATH_MEMORY,  /* device memory, through the vector L1 */
	MX_PATH_SCRATCH, /* scratch alone */
	MX_PATH_FLAT,    /* flat addresses, none in device memory */
	MX_PATH_LDS,
	MX_PATH_ASYNC, /* device memory and LDS, by a unit beside the L1 */
	MX_PATH_SCALAR /* scalar memory, and all that counts like it */
} mx_path;

/* The order of the operations of a stream. */
typedef enum {
	MX_ANY_ORDER,
	MX_IN_ORDER,         /* they land in the order of issue */
	MX_COUNTED_IN_ORDER, /* they land in any order, and the counter has them in the order of
	                        issue: a wait for n waits for all but the last n */
} mx_stream_order;

/* A stream: operations of a wave that one counter counts and that land in one order. */
struct mx_isa_stream {
	uint8_t counter;
	uint8_t path;  /* mx_path */
	uint8_t order; /* mx_stream_order */
};

enum { MX_STREAMS = 8, MX_BARRIERS = 18 /* of an instruction set at most */ };

struct mx_isa {
	const char *name; /* "gfx950" */

	unsigned wave_size; /* lanes of a wave: 32 or 64 */

	/* Vector registers of a wave at most. AGPRs are the rows after VGPRs. */
	unsigned vgprs, agprs;

	/* Operations in flight. The operations of two streams land in any order. */
	unsigned n_counters, n_streams;
	struct mx_isa_counter counter[MX_COUNTERS];
	struct mx_isa_stream stream[MX_STREAMS];

	/* Barriers of a workgroup (schedule/barriers.h), and their text: what orders all waves, and
	 * the instruction by which a wave arrives. Both are "s_barrier" where one instruction
	 * signals and waits. */
	bool split_barriers;                  /* signal and wait are two instructions */
	unsigned n_barriers, cluster_barrier; /* cluster_barrier: that of several; 0: none */
	const char *barrier, *arrival;

	/* The first dword of a wait that waits for other counts: for mutation. */
	uint32_t (*wait_with)(uint32_t dword, mx_counts wait);

	/* One cache takes the vector memory operations of a workgroup in the order of issue, unless
	 * its waves are split over compute units (schedule/l1.c). */
	bool one_l1;

	/* Float atomics in L2 keep denormals of f32 (memory/rmw.c). */
	bool l2_denormals;

	/* Streams of scratch if it returns apart from other vector memory, and of a FLAT operation
	 * without lanes in memory; 0: that of its instruction. */
	uint8_t scratch_apart, flat_apart;

	/* Buffer descriptors have bases of 57 bits and num_records of 45
	 * (memory/buffer_descriptor.c). */
	bool wide_buffers;

	/* The upper half of flat addresses of scratch, and its bits that have the lane, or 0. */
	uint32_t scratch_high, scratch_lane;

	/* The instruction that takes n wait states and has no other effect: `dword` | n - 1. */
	struct {
		const char *name; /* "s_nop" */
		uint32_t dword;
	} nop;

	const char *matrix; /* what the set calls its matrix instructions: "MFMA" */

	/* What a program may read without its result depending on more than order: hardware
	 * registers, and the TTMPs that have the numbers of workgroup and wave; a bit each. */
	uint64_t settled_hwregs;
	uint16_t settled_ttmps;

	/* The hardware register whose bits 1:0 are the scheduling mode
	 * (waitstates/dependence.h); 0: none. */
	unsigned sched_mode;

	/* Bits of MODE, 0 if there is none: vector instructions are skipped, VGPRs are indexed. */
	uint32_t mode_skip, mode_index;

	/* The message by which a wave gives back its VGPRs before it ends, or 0. */
	uint8_t release_message;

	/* Sets pc, MODE and the registers of a wave as the hardware does before the first
	 * instruction. All registers are unwritten before. */
	void (*start)(struct mx_wave *w);

	/* Hardware registers, for s_getreg and s_setreg. A write gets the value of the
	 * instruction's field, and the unwritten bits of it. */
	struct mx_hw_value (*read_hwreg)(const struct mx_wave *w, unsigned reg);
	void (*write_hwreg)(struct mx_wave *w, const struct mx_inst *in, uint32_t value,
	                    uint32_t unwritten);

	/* A property of the launch that is not supported, such as a size beyond the hardware's;
	 * or NULL. */
	const char *(*unsupported)(const struct mx_launch *l);

	/* The opcodes; row i has the id i. */
	const struct mx_op *ops;
	size_t n_ops;

	/* Every form of every opcode (formats.h); NULL if there is no table. */
	const struct mx_encodings *encodings;

	/* Decodes the instruction at code[0]; at most `left` dwords may be read. `offset`: its
	 * place in the program, bytes. */
	void (*decode)(const uint32_t *code, size_t left, uint32_t offset, struct mx_inst *in);

	/* Makes a decoded instruction the same one under other banks of VGPRs. NULL: there are
	 * none. */
	void (*rebank)(struct mx_inst *in, unsigned banks);

	/* The banks of VGPRs after an instruction, as it executes; a field of MODE that is not an
	 * immediate keeps them. NULL: there are none. */
	unsigned (*banks_set)(const struct mx_inst *in, unsigned banks);

	/* Writes the text of the instruction at code[0], cut to `room` bytes, and returns its size
	 * in bytes. Returns 0 and an empty text if there is none. `banks`: of VGPRs, as banks_after
	 * gives them, or 0. */
	size_t (*disassemble)(const uint32_t *code, size_t left, unsigned banks, char *text,
	                      size_t room);

	/* The banks of VGPRs after the instruction at code[0], as llvm-objdump follows them: 0 at
	 * the start of a function and after a branch. NULL: there are none. */
	unsigned (*banks_after)(const uint32_t *code, size_t left, unsigned banks);

	/* The functions that execute the opcodes on this CPU, by id. All calls return the same
	 * table. NULL: no instruction is executed, and `unsupported` refuses each launch. */
	mx_handler *const *(*handlers)(void);

	/* The rules of wait states (waitstates/hazard.h). NULL: none, the hardware inserts them. */
	const struct mx_hazard_rules *hazards;

	/* The cycles that bank conflicts add to an operation. False: they are not counted for it,
	 * for instance because it does not access LDS. NULL: the banks are not known. */
	bool (*bank_conflicts)(const struct mx_memop *m, unsigned *cycles);

	/* The bytes of an operation that has just landed (schedule/access.h), to be freed. counted:
	 * as which access. NULL: it cannot land by them, or memory is short. The function is NULL if
	 * no operation can. */
	struct mx_access *(*access_of)(struct mx_wave *w, const struct mx_memop *m,
	                               mx_together counted);
	/* Lands the operation again. False, and does nothing: it reads something else. */
	bool (*land_access)(struct mx_wave *w, const struct mx_access *a);
};

/* The highest value of each counter. */
static inline mx_counts mx_counts_most(const struct mx_isa *isa) {
	mx_counts most = 0;
	for (unsigned c = 0; c < isa->n_counters; c++)
		most |= MX_COUNT(c, isa->counter[c].most);
	return most;
}

/* The streams of vector memory, a bit each. */
static inline unsigned mx_memory_streams(const struct mx_isa *isa) {
	unsigned streams = 0;
	for (unsigned s = 0; s < isa->n_streams; s++)
		streams |= (unsigned)(isa->stream[s].path == MX_PATH_MEMORY) << s;
	return streams;
}

/* Rooms below `launch` do not link with instruction sets by name: they get a pointer. */
extern const struct mx_isa mx_gfx950;  /* launch/gfx950.c */
extern const struct mx_isa mx_gfx1250; /* launch/gfx1250.c */

#endif
