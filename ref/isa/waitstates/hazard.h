/* Wait states that two instructions need between them. hazards.def has the rules.
 * The executor checks them on the path that a wave takes, `mxcheck lint` on all paths. */
#ifndef MX_HAZARD_H
#define MX_HAZARD_H

#include "../encoding/inst.h"
#include "../isa.h"

/* Classes of instructions; an instruction may be in several. */
/* clang-format off */
#define MX_HAZARD_CLASSES(X) \
	X(VALU) X(NOT_DOT) X(DOT) X(TRANS) X(NOT_TRANS) X(SHIFTS) X(PACKED) X(CMPX) X(DPP) \
	X(PERMLANE) X(NOT_PERMLANE) X(READLANE) X(READFIRST) X(WRITELANE) X(LANE) X(DIV_FMAS) X(FMA_F64) \
	X(MATRIX) X(XDL) X(GEMM) X(SGEMM) X(DGEMM) X(DGEMM_16) X(DGEMM_4) \
	X(WMMA) X(WMMA_F8) X(SWMMAC) X(COEXECUTES) X(ALONE) X(DUAL) \
	X(MEMORY) X(VMEM) X(SELF_VMEM) X(VSTORE) X(STORE) X(STORE_SGPR) X(FLAT_DMA) X(BUFFER_DMA) X(ADDTID) \
	X(SMEM) X(SELF_SMEM) X(SALU) X(SENDMSG) X(MOVREL) X(SETREG) X(GETREG) X(SETVSKIP) \
	X(SET_MODE_VSKIP) X(SET_MODE) X(SET_TRAPSTS) X(RFE) X(VECTOR)
/* clang-format on */

/* The instruction sets of the rules. */
typedef enum { MX_HAZARDS_GFX950, MX_HAZARDS_GFX1250 } mx_hazard_set;

enum {
#define X(name) MX_CLASS_##name,
	MX_HAZARD_CLASSES(X)
#undef X
};

/* Groups of operands. */
typedef enum {
	MX_OPERAND_D,  /* vector registers written */
	MX_OPERAND_S,  /* scalar registers written, with VCC, M0 and EXEC */
	MX_OPERAND_V,  /* vector registers read, except AB and C of matrix instructions */
	MX_OPERAND_P,  /* the vector register that DPP permutes; it is in V, too */
	MX_OPERAND_AB, /* of matrix instructions: A, B, indices, scales; sources of dot products */
	MX_OPERAND_C,  /* of matrix instructions */
	MX_OPERAND_DATA, /* of wide stores */
	MX_OPERAND_K,    /* scalar registers read as constants, or by vector memory; M0 */
	MX_OPERAND_MASK, /* scalar registers read as carries */
	MX_OPERAND_LANE, /* scalar registers that select a lane */
	MX_OPERAND_ZERO, /* VCC or EXEC read as VCCZ, EXECZ */
	MX_OPERAND_HW,   /* a hardware register's number */
	MX_OPERAND_NONE
} mx_hazard_operand;

struct mx_hazard_range {
	uint8_t operand, n;
	uint16_t code; /* operand code of the first register */
};

enum { MX_HAZARD_RANGES = 16, MX_HAZARD_HORIZON = 20 /* most states that a row requires */ };

/* The properties of an instruction that matter to hazards. */
struct mx_hazard_traits {
	const struct mx_inst *in;
	uint64_t classes; /* one bit for each */
	uint8_t passes;   /* of a matrix instruction: 0, 2, 4, 8 or 16 */
	uint8_t pipe;     /* states for which the next matrix instruction may wait: gfx950 */
	uint8_t n;
	uint8_t states;    /* wait states that it provides */
	uint8_t reach;     /* as first instruction: most states that a row requires */
	bool follows;      /* it is the second instruction of some row */
	uint64_t first[2]; /* rows in which it may be the first or second: one bit for each */
	uint64_t second[2];
	struct mx_hazard_range range[MX_HAZARD_RANGES];
};

/* Classes that form clauses. */
#define MX_CLAUSES (1ull << MX_CLASS_SMEM | 1ull << MX_CLASS_VMEM)

/* The traits of each instruction that a kernel with this entry, a byte offset, can reach, by dword,
 * by the rules of its instruction set; an entry outside the program: of all. The program keeps
 * them. Those of other dwords have no instruction. NULL if memory is short. */
const struct mx_hazard_traits *mx_program_traits(const struct mx_program *p, uint64_t entry);

/* The wait states that an instruction of gfx950 itself provides. */
unsigned mx_wait_states(const struct mx_inst *in);

/* The distance between two instructions in wait states, from issue to issue. `states` counts as the
 * rules and LLVM do: an instruction is one. `busy` also lets a matrix instruction wait until the
 * previous one has left the pipe, as hardware may do [assumed]: a distance that is enough only by
 * `busy` gives a note. */
struct mx_distance {
	unsigned states, busy;
	int matrix;      /* `busy` at the last matrix instruction going back; -1: none */
	uint64_t clause; /* clause class of the second instruction */
	unsigned breaks; /* instructions between the two that are not of this class */
	bool other;      /* the last instruction going back is not of this class */
};

/* Begins at the second instruction; goes back to one that is `states` before the last. */
static inline struct mx_distance mx_distance_from(const struct mx_hazard_traits *second) {
	return (struct mx_distance){ .matrix = second->pipe ? 0 : -1,
		                     .clause = second->classes & MX_CLAUSES };
}
static inline void mx_distance_back(struct mx_distance *d, const struct mx_hazard_traits *first,
                                    unsigned states) {
	d->states += states;
	d->busy += states;
	d->breaks += d->other + states - first->states;
	d->other = !(first->classes & d->clause);
	if (!first->pipe)
		return;
	if (d->matrix >= 0 && d->busy < (unsigned)d->matrix + first->pipe)
		d->busy = (unsigned)d->matrix + first->pipe;
	d->matrix = (int)d->busy;
}

/* Whether a row may apply to two instructions at this distance in wait states. */
static inline bool mx_may_need(const struct mx_hazard_traits *first,
                               const struct mx_hazard_traits *second, unsigned states) {
	return states <= first->reach &&
	       ((first->first[0] & second->second[0]) | (first->first[1] & second->second[1]));
}

/* The wait states that a row of hazards.def requires between two instructions, counted from 0 for
 * the first row; 0: it does not apply. */
unsigned mx_hazard_row(size_t row, const struct mx_hazard_traits *first,
                       const struct mx_hazard_traits *second);

/* The rules of an instruction set. */
struct mx_hazard_rules {
	void (*traits)(const struct mx_inst *in, struct mx_hazard_traits *f);

	/* Whether there are too few wait states between two instructions. If several rows apply, a
	 * finding goes before a note, then the row that requires most. */
	bool (*hazard_at)(const struct mx_hazard_traits *first,
	                  const struct mx_hazard_traits *second, const struct mx_distance *d,
	                  struct mx_hazard *h);

	/* The instruction that is one wait state each time; NULL: that of the instruction set,
	 * which has a count. */
	const char *nop;
	unsigned nop_id; /* of its opcode */

	/* The most wait states that any two instructions require: after one that is not a matrix
	 * instruction, and after one that is, in addition to its passes. Whether an instruction may
	 * have to wait before it overwrites any source of a matrix or transcendental one; otherwise
	 * C alone. */
	uint8_t most, most_matrix;
	bool reads_late;
};

/* Whether the instruction is one wait state and nothing else, in a set without a count of them. */
bool mx_is_single_nop(const struct mx_hazard_rules *rules, const struct mx_inst *in);

/* hazard_traits.c, hazard_traits_gfx1250.c, hazard.c */
extern const struct mx_hazard_rules mx_gfx950_hazards, mx_gfx1250_hazards;
void mx_gfx950_traits(const struct mx_inst *in, struct mx_hazard_traits *f);
void mx_gfx1250_traits(const struct mx_inst *in, struct mx_hazard_traits *f);
void mx_traits_add(struct mx_hazard_traits *f, mx_hazard_operand operand, unsigned code,
                   unsigned n);
/* The last step: the rows that fit the rest. */
void mx_traits_match(struct mx_hazard_traits *f, mx_hazard_set set);

/* Wait states that are missing. */
static inline unsigned mx_hazard_lacks(const struct mx_hazard *h) {
	return h->in_clause ? 1 : h->needed - h->states;
}

/* The finding or note, without place and wave. */
struct mx_finding mx_hazard_finding(const struct mx_hazard *h, const struct mx_inst *first,
                                    const struct mx_inst *second);

/* ---- hazard_watch.c ---- */

/* Adds the watcher that checks each wave's path to the run, if the launch asks for it. False if
 * memory is short. */
struct mx_run;
bool mx_hazards_watch(struct mx_run *run);

#endif
