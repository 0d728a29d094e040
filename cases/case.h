/* Cases: YAML documents that describe a launch and its verdict.
 *
 * A case file is the only way to launch a kernel. It names a code object and a kernel, buffers, the
 * kernarg segment by offset and type, the grid, and a verdict. Sizes are expressions in the sizes
 * of a run (M, N, K or others) and the names that `let` defines; kernarg values may also name
 * buffers (their addresses). cases/README.md describes the file format, with an example.
 *
 *   case file --mx_case_load--> mx_case --mx_plan_make--> mx_plan (all numbers known)
 *   mx_plan --mx_data_make--> bytes of every buffer, a function of (seed, case name, index)
 *
 * Functions return 0, or -1 with a line in err->text ("file:line: message" if the line is known).
 * Nothing prints or exits. No global state. */
#ifndef MX_CASE_H
#define MX_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "../ref/mxref.h"

struct mx_error {
	char text[1024];
};

/* Sets err->text, printf style; returns -1, so that callers can `return mx_fail(...)`. */
__attribute__((format(printf, 2, 3))) int mx_fail(struct mx_error *err, const char *format, ...);

/* Replaces line feeds and other control characters, which names of files and texts of YAML may
 * have, by spaces. Returns text. */
char *mx_one_line(char *text);

/* ---- the file, as written ---- */

typedef enum {
	MX_ROLE_NONE,
	MX_ROLE_A,
	MX_ROLE_A_SCALE,
	MX_ROLE_B,
	MX_ROLE_B_SCALE,
	MX_ROLE_C,
	MX_ROLE_C_IN,        /* C of an epilogue; without it the output is read */
	MX_ROLE_BIAS_ROWS,   /* the bias of each row */
	MX_ROLE_BIAS_COLS,   /* the bias of each column */
	MX_ROLE_GROUP_BEGIN, /* the first row of each group, and the end of the last group */
	MX_ROLE_GROUP_ROWS,  /* tokens of each group */
} mx_role;
typedef enum {
#define MX_DTYPE(id, name, bytes, kind) MX_DT_##id,
#include "dtypes.def"
#undef MX_DTYPE
} mx_buffer_type;
typedef enum {
	MX_ARG_PTR,
	MX_ARG_I8,
	MX_ARG_U8,
	MX_ARG_I16,
	MX_ARG_U16,
	MX_ARG_I32,
	MX_ARG_U32,
	MX_ARG_I64,
	MX_ARG_U64,
	MX_ARG_F32,
	MX_ARG_F64
} mx_arg_type;
typedef enum { MX_ORDER_ROW, MX_ORDER_COL } mx_order;
typedef enum { MX_ALONG_ROWS, MX_ALONG_COLS } mx_along; /* the direction of a block of 32 */
typedef enum { MX_REGIME_EXACT, MX_REGIME_GENERAL, MX_REGIME_SPECIAL } mx_regime;

struct mx_let {
	char *name, *value;
};

struct mx_layout; /* layout.h */

/* The layout of a matrix for the kernel, see layout.h. */
struct mx_packing_spec {
	const char *layout;
	size_t pad_rows, pad_cols; /* multiples to pad to; 0: the layout's own */
	unsigned fill;             /* value of padding: a byte, or MX_FILL_... */
};
struct mx_packing {
	const struct mx_layout *layout; /* NULL: the matrix is not packed */
	size_t rows, cols;              /* bytes of the matrix */
	size_t padded_rows, padded_cols;
	size_t bytes; /* packed */
	unsigned fill;
};

struct mx_buffer_spec {
	char *name;
	mx_role role;
	mx_buffer_type type;
	char *rows, *cols; /* elements */
	mx_order order;    /* whether rows or columns are contiguous in memory: lines */
	char *batch;       /* matrices of rows x cols, one after the other; NULL: 1 */
	char *batch_ld;    /* bytes from matrix to matrix; NULL: they are packed */
	char *ld;          /* bytes from line to line; NULL: lines are packed */
	char *extent;      /* bytes in all; NULL: to the end of the last line's elements */
	char *guard;       /* lines of guard before and after; NULL: 1 */
	char *data; /* "zero", "poison", "random", "index", "regime" (for an output that an epilogue
	               reads) or a .npy file; NULL: by the role */
	char *expect;   /* a .npy file with the expected contents after the launch; or NULL */
	char *of;       /* the buffer whose elements it must hold after the launch, or with `recipe`
	                   their codes; or NULL */
	char *by;       /* a copy: the row of `of` that each row holds; NULL: the rows in order */
	char *recipe;   /* codes that a kernel quantises: how; or NULL */
	char *scales;   /* of such codes with role none: the buffer of their scales */
	mx_along along; /* of such codes: the direction of blocks; columns become rows */
	bool hadamard;  /* of such codes: 16 elements are transformed first */
	char *random;   /* of such codes: the buffer of random numbers that round them; or NULL */
	char *layout;   /* layout of packed operands or scales; NULL: in lines */
	char *pad_rows, *pad_cols; /* multiples to pad to; NULL: the layout's own */
	char *fill;    /* value of the padding: a byte, "poison" or "random"; NULL: poison */
	char *slack;   /* bytes of padding after the layout; NULL: 0 */
	char *in, *at; /* the buffer that holds this one, and the byte at which it begins; NULL: a
	                  buffer of its own; 0 */
};

/* The contents of output rows that belong to no token: anything; +0; or the contents from before
 * the launch. Or the output has no such rows. */
typedef enum {
	MX_PADDING_FREE,
	MX_PADDING_ZERO,
	MX_PADDING_KEPT,
	MX_PADDING_NONE
} mx_grouped_padding;
enum { MX_MAX_GROUPS = 256 };

/* The product: C_g = A_g B_g^T with groups of rows; or with groups of columns of A and B, which are
 * summed over: the gradient of weights. */
typedef enum { MX_GROUPS_ROWS, MX_GROUPS_COLS } mx_groups_of;

struct mx_groups_spec {
	char **rows; /* tokens of each group, expressions in M, N and K that add up to M */
	unsigned n_rows;
	char *pad; /* each group is padded to a multiple of it, in rows; NULL: 1 */
	mx_grouped_padding padding;
	mx_groups_of of;
	bool zero; /* codes of padding are 0 instead of random */
};

/* The order in which D = alpha acc + beta C + bias rounds: oracle/exact/exact.h defines the
 * orders. */
typedef enum { MX_MUL_ADD, MX_FMA_BETA, MX_FMA_ALPHA, MX_ONCE } mx_epilogue_order;

const char *mx_epilogue_order_name(mx_epilogue_order o);

struct mx_epilogue_spec {
	mx_epilogue_order order;
	char *alpha, *beta; /* numbers; NULL: 1, and no C */
	bool c_of_zero;     /* C is read even if beta is 0, unlike in BLAS */
};

struct mx_arg_spec {
	unsigned offset; /* in the kernarg segment, bytes */
	mx_arg_type type;
	char *value;
};

/* An address that a buffer holds: 8 bytes at byte `at` of its extent. */
struct mx_pointer_spec {
	char *in, *at, *value;
};

/* A name of an expression, and its value. */
struct mx_name {
	const char *name;
	int64_t value;
};

/* Sizes of a run, in the order of the file; M, N and K come first. */
enum { MX_MAX_SIZES = 12, MX_MAX_SIZE_NAME = 16 };
struct mx_sizes {
	unsigned n;
	struct mx_name at[MX_MAX_SIZES];
};

/* The rows of each group of a run, instead of the case's; n 0: the case's. */
enum { MX_MOST_RUN_GROUPS = 16 };
struct mx_run_groups {
	unsigned n;
	int64_t rows[MX_MOST_RUN_GROUPS];
};

struct mx_run_spec {
	int64_t M, N, K;       /* 0: not given; then `sizes` does not have them */
	struct mx_sizes sizes; /* filled in by mx_case_load; names are owned */
	mx_regime regime;
	int64_t tiles;   /* 0: all */
	int64_t *groups; /* rows of each; NULL: those of the case */
	unsigned n_groups;
	char **tags;
	unsigned n_tags;
};

typedef enum {
	MX_JUDGE_BITS,  /* the profile's bits; in the exact regime the bits of every profile */
	MX_JUDGE_BOUND, /* within the error bound of any accumulation */
	MX_JUDGE_SET,   /* the result of some order of atomic additions of the splits of K */
	MX_JUDGE_EXPECT,
	MX_JUDGE_CLOSE,  /* within a tolerance that the case gives */
	MX_JUDGE_REPACK, /* the elements of another buffer, in this one's layout */
	MX_JUDGE_NONE
} mx_judge;
/* Buffers of a reference, and what it computes: references.def. */
typedef enum {
#define MX_SLOT(id, name, is_output) MX_SLOT_##id,
#include "references.def"
#undef MX_SLOT
	MX_SLOTS
} mx_slot;
typedef enum {
#define MX_REFERENCE(id, name, needs, allows) MX_REFERENCE_##id,
#include "references.def"
#undef MX_REFERENCE
} mx_reference_op;
typedef enum { MX_ROUND_RNE, MX_ROUND_RTZ, MX_ROUND_HALF_UP } mx_output_rounding;
const char *mx_output_rounding_name(mx_output_rounding r);
typedef enum {
	MX_WEIGHTS_F32,
	MX_WEIGHTS_BF16,
	MX_WEIGHTS_F16,
	MX_WEIGHTS_E4M3,
	MX_WEIGHTS_E5M2,
	/* with scales for 32 keys, the least power of two that no weight exceeds */
	MX_WEIGHTS_BLOCKS,
	MX_WEIGHTS_E4M3_UP = MX_WEIGHTS_BLOCKS,
	MX_WEIGHTS_E2M1_UP
} mx_weights;
/* In which h of a mixture of experts meets W2. E2M1 has scales for 32 by the recipe of that name.
 */
typedef enum {
	MX_INNER_F32,
	MX_INNER_BF16,
	MX_INNER_F16,
	MX_INNER_E2M1_FLOOR,
	MX_INNER_E2M1_EVEN,
	MX_INNER_E2M1_UP
} mx_inner;
/* What a sorted token is: the token, and above it (byte 3) which of its experts; or the token times
 * topk and that. */
typedef enum { MX_IDS_BYTE, MX_IDS_FLAT } mx_ids;
typedef enum { MX_MASK_NONE, MX_MASK_TOP, MX_MASK_BOTTOM } mx_mask;

struct mx_reference_spec {
	mx_reference_op op;
	char *slot[MX_SLOTS];      /* names of buffers; NULL: none */
	char **a_block, **b_block; /* rows and columns that share a scale; none: all */
	unsigned n_a_block, n_b_block;
	mx_output_rounding rounding;    /* how outputs are rounded */
	char *heads, *kv_heads, *batch; /* of attention; NULL: 1; kv_heads: as heads */
	char *page;                     /* rows of a page of keys and values; NULL: no pages */
	char *width;                    /* columns of a head of V; NULL: all */
	char *scale;                    /* of its scores; NULL: 1 / sqrt(depth) */
	mx_mask mask;
	mx_weights p; /* the type in which its weights meet V */
	char *eps;    /* of layer_norm and rms_norm */
	char *lazy;   /* of blocks: bits by which the maximum may grow unseen; NULL: 0 */
	char *topk, *n_experts, *tile; /* of moe: experts of a token and in all; sorted rows that
	                                  have one expert */
	char *part;                    /* columns of h that are added to O at once; NULL: all */
	mx_inner h;
	mx_ids ids;
	bool sorted_scale; /* scales of X are for sorted rows, not for tokens */
	bool renormalise;  /* of topk: the weights are divided by their sum */
};

typedef enum { MX_ATOMIC_RNE, MX_ATOMIC_RTZ } mx_atomic;
enum { MX_MAX_SPLITS = 8 };

struct mx_verdict_spec {
	mx_judge judge;
	char *profile; /* for MX_JUDGE_BITS and MX_JUDGE_SET: an accumulation profile, which defines
	                  how K is summed if order matters: its name, or FILE.yaml[:NAME] */
	char *instruction; /* of a product of f32 with MX_JUDGE_BITS: its dense MFMA */
	unsigned mma_k;    /* K of the kernel's matrix instruction */
	bool swapped;      /* its first operand is B */
	unsigned k_tile;   /* the kernel fills K with zeros up to a multiple of it; 0: of mma_k */
	char *splits, *k_split; /* for MX_JUDGE_SET: parts of K; K of each part but the last */
	bool flush; /* for MX_JUDGE_BITS and MX_JUDGE_SET: a subnormal accumulator becomes a zero of
	               its sign */
	mx_atomic atomic;        /* how an addition to the output rounds */
	char *atol, *rtol, *ulp; /* for MX_JUDGE_CLOSE: numbers, as text; NULL: 0 */
};

/* Assumptions of the emulator about behaviour that the manual leaves open or describes
 * differently. */
enum {
	MX_ASSUME_SCRATCH_APART = 1, /* scratch loads return in order with each other only, not with
	                                the rest of vmcnt */
	MX_ASSUME_THREADGROUP_SPLIT = 2, /* waves of a workgroup may run on several compute units,
	                                    and so may not share an L1 */
	MX_ASSUME_SOFFSET_UNCHECKED = 4  /* range checks of buffers leave SOFFSET out */
};

/* What a race does to the verdict, by its class: unordered, or ordered only by latency. 0: the
 * default, which is to fail for unordered races and to report those of latency. */
typedef enum { MX_BY_DEFAULT, MX_FAILS, MX_IS_REPORTED, MX_IS_IGNORED } mx_action;
struct mx_race_actions {
	mx_action unordered, latency;
};

/* A finding of the emulator that the owner of the kernel has accepted. Absent texts: any. */
struct mx_waiver {
	char *finding;             /* its kind */
	char *kernel;              /* symbol */
	char *pc;                  /* "0x1f4" or "0x1f4-0x260": offset in the kernel */
	char *instruction;         /* part of the instruction's text */
	char *code;                /* hash of the code object: XXH3_64bits, 16 hexadecimal digits */
	char *reason;              /* why it is accepted */
	char *until;               /* the last day, in UTC, "2027-03-31" */
	uint64_t from, to, hash;   /* of pc and code */
	time_t end;                /* of until; 0: none */
	_Atomic unsigned findings; /* that it waived */
};

/* The waivers of a file. */
struct mx_waivers {
	struct mx_waiver *list;
	unsigned n;
};

/* Reads a file with one key, `waivers`, as in a case file. The caller frees *w. */
int mx_waivers_load(const char *path, struct mx_waivers **w, struct mx_error *err);
void mx_waivers_free(struct mx_waivers *w);

/* "race-lds in KERNEL at 0x1f4: REASON", cut to `room` bytes. Returns text. */
char *mx_waiver_text(const struct mx_waiver *w, char *text, size_t room);

/* The axis of the grid along which workgroups take the tiles of a size, one each. */
typedef enum { MX_AXIS_NONE, MX_AXIS_X, MX_AXIS_Y, MX_AXIS_Z } mx_axis;

/* What a kernel asks of one size; 0: nothing. */
struct mx_size_contract {
	char *name;
	int64_t min, max; /* min 0: 1 */
	int64_t multiple;
	int64_t tile;   /* what a workgroup, or a step of its loop, takes of it */
	int64_t stages; /* tiles that the loop has in flight */
	mx_axis axis;
	char *of; /* not NULL: a choice. The key of the case that takes one of some texts: "beta",
	             "KS" of `let`, or "SA.fill". The size is 0 for the case's own text */
	char **values; /* for 1 and up */
	unsigned n_values;
};
/* An expression with a ceiling, for instance of a 32-bit offset. */
struct mx_limit {
	char *value;
	int64_t most;
};
/* Sizes outside the contract: a case does not launch the kernel; or the kernel may leave any
 * numbers, but must end and stay inside its buffers. */
typedef enum { MX_OUTSIDE_REFUSED, MX_OUTSIDE_IN_BOUNDS } mx_outside;
struct mx_contract {
	struct mx_size_contract *sizes;
	unsigned n_sizes;
	struct mx_limit *limits;
	unsigned n_limits;
	mx_outside outside;
};

/* One launch of a case. */
struct mx_step_spec {
	char *code, *kernel; /* NULL: the variant's, or the case's */
	/* 1 to 3 expressions: workgroups, work-items per workgroup, workgroups per cluster */
	char **grid, **block, **cluster;
	unsigned n_grid, n_block, n_cluster;
	char *lds; /* dynamic LDS bytes; NULL: 0 */
	struct mx_arg_spec *kernarg;
	unsigned n_kernarg;
	unsigned kernarg_size; /* bytes of the segment; 0: to the end of the last argument */
};
enum { MX_MAX_STEPS = 16 };

/* A member of a family of kernels: what it has instead of the case's, and its own sizes. */
struct mx_variant {
	char *name;
	char *code, *kernel; /* NULL: the case's; of steps that have none of their own */
	struct mx_sizes sizes;
};

struct mx_case {
	char *path;           /* of the file; filled in by mx_case_load */
	char *name, *title;   /* "gemm/mxfp4_f32"; one line for --list (may be NULL) */
	char *code, *kernel;  /* code object file (may be NULL), kernel symbol */
	bool external;        /* the code objects are not built here: the user has them */
	const char *code_dir; /* folder of code objects, set by the caller; or NULL */
	const char *profile;  /* of --profile, in place of verdict.profile; or NULL */
	struct mx_profile_file *profile_file; /* then: its file, not owned; or NULL */
	struct mx_variant *variants;
	unsigned n_variants;        /* 0: the case is one kernel */
	struct mx_step_spec launch; /* the only step, of a case without `steps` */
	struct mx_step_spec *steps; /* launches in this order, on the same buffers */
	unsigned n_steps;
	struct mx_let *let;
	unsigned n_let;
	struct mx_groups_spec *groups;       /* NULL: one product */
	struct mx_epilogue_spec *epilogue;   /* NULL: the output is the product */
	struct mx_reference_spec *reference; /* NULL: the product of the roles a and b */
	struct mx_buffer_spec *buffers;
	unsigned n_buffers;
	struct mx_pointer_spec *pointers;
	unsigned n_pointers;
	struct mx_verdict_spec verdict;
	unsigned assume;              /* bits MX_ASSUME_... */
	struct mx_contract *contract; /* NULL: none */
	struct mx_race_actions races;
	struct mx_waiver *waivers;
	unsigned n_waivers;
	struct mx_waivers *more_waivers; /* of --waive; or NULL; not owned */
	struct mx_run_spec *runs;
	unsigned n_runs;
};

int mx_case_load(const char *path, struct mx_case **c, struct mx_error *err);
void mx_case_free(struct mx_case *c);

/* The name in the first line of a case file, without the time that it takes to load the file.
 * False: the file does not begin with `name`, or the name has `room` bytes or more. */
bool mx_case_peek(const char *path, char *name, size_t room);

/* "unordered=fail,latency=report,...", each word fail, report or ignore, replaces what it names.
 * False: the text is wrong. */
bool mx_race_actions_parse(const char *text, struct mx_race_actions *races);

/* The tolerance of judge close: an element is close if it differs from the expected one, x, by at
 * most atol + rtol |x| + ulp units in the last place of x in the buffer's type. */
struct mx_tolerance {
	double atol, rtol, ulp;
};

/* Parses the numbers of a verdict, decimal or as 0x1.8p-9. False: *key is not a finite number of 0
 * or more. */
bool mx_tolerance_parse(const struct mx_verdict_spec *v, struct mx_tolerance *t, const char **key);

const char *mx_regime_name(mx_regime r);
bool mx_regime_by_name(const char *name, mx_regime *r);

/* ---- a run: every number known ---- */

enum { MX_MAX_BUFFERS = 16 };

struct mx_buffer {
	const char *name; /* of the spec */
	mx_role role;
	mx_buffer_type type;
	mx_order order;
	size_t rows, cols; /* elements, of all matrices of a batch, one below (beside) the other */
	size_t lines;      /* rows, or columns if order is MX_ORDER_COL */
	size_t line_bytes, ld; /* bytes used by a line; bytes from line to line, >= line_bytes */
	size_t bytes; /* of the valid extent: packed, or at least (lines - 1) * ld + line_bytes */
	size_t guard; /* bytes of guard on each side: a multiple of 256, >= 256 */
	size_t data_bytes; /* in lines, as in struct mx_data; `bytes` if it is not packed */
	struct mx_packing
		packing; /* the device's layout of a matrix; packing.layout NULL: in lines */
	size_t plane_lines,
		plane; /* lines of a matrix; bytes from matrix to matrix on the device */
	int in;        /* the buffer that holds this one; -1: none */
	size_t place;  /* then: the byte of it at which this one begins */
};

struct mx_groups {
	size_t n; /* 0: not grouped */
	uint64_t rows[MX_MAX_GROUPS], begin[MX_MAX_GROUPS + 1];
	uint64_t multiple; /* of which each group is padded to one */
};

/* Fills begin, n + 1 entries, for groups of these rows, each padded to a multiple (1: none). Fails
 * if the sum is over 2^63. */
int mx_groups_lay(size_t n, const uint64_t *rows, uint64_t multiple, uint64_t *begin,
                  struct mx_error *err);

/* The epilogue at a shape. Buffers are indices in plan->buffers, -1: none. */
struct mx_epilogue {
	float alpha, beta;
	int c;        /* C before the launch: of role c_in, or the output */
	bool reads_c; /* c is not -1, and beta is not 0 or c_of_zero is set */
	int bias;
};

/* What a run of a case has of its own. */
struct mx_case_run {
	struct mx_sizes sizes;
	mx_regime regime;
	const struct mx_variant *variant; /* NULL: the case has none */
	unsigned tiles;                   /* of the output that run and are judged; 0: all */
	struct mx_run_groups groups;
};

/* A run of a case file, of a variant. */
struct mx_case_run mx_run_of(const struct mx_run_spec *spec, const struct mx_variant *v);

/* Where a case is saved, and the code object that it ran: of --co, or NULL for the one that
 * mx_case_code finds. */
struct mx_saved_case {
	const char *folder, *code_object, *kernel_dir;
};

/* The text of a case file with one run instead of its own, tagged `regress`, for a file in another
 * folder: paths of code objects and data are relative to that folder if they are below it, else
 * absolute. Code objects in kernel_dir stay as they are. The name stays, because data depend on it.
 * Returns text to free, or NULL with err->text. */
char *mx_case_with_run(const struct mx_case *c, const struct mx_case_run *run,
                       const struct mx_saved_case *saved, struct mx_error *err);

/* The name of a run: case / variant / sizes / regime. */
enum { MX_RUN_NAME = 1280 };
void mx_case_run_name(const struct mx_case *c, const struct mx_case_run *run,
                      char name[MX_RUN_NAME]);

/* The number of launches of a run, and one of them. A case without `steps` has one. */
unsigned mx_case_steps(const struct mx_case *c);
const struct mx_step_spec *mx_case_step(const struct mx_case *c, unsigned step);

/* The kernel of a step: its own, the variant's or the case's. */
const char *mx_case_kernel(const struct mx_case *c, const struct mx_variant *v, unsigned step);

/* Finds the code object of a step: in the folder that c->code_dir gives (by the path of the key
 * `code`, or by its name up to two folders below), beside the case file, or in kernel_dir. Fails if
 * it is nowhere. */
int mx_case_code(const struct mx_case *c, const struct mx_variant *v, unsigned step,
                 const char *kernel_dir, char path[4096], struct mx_error *err);

/* "128x128x256", "128x128x256,S=2" or "S=256,D=64". A choice has its text, "BETA=0", and is left
 * out if it is the case's own. */
void mx_sizes_text(const struct mx_case *c, const struct mx_sizes *s, char *text, size_t room);

/* What the contract says of the size with this name; NULL: nothing. */
const struct mx_size_contract *mx_contract_of(const struct mx_case *c, const char *name);

/* The text of a size that is a choice, or NULL. */
const char *mx_choice_text(const struct mx_case *c, const char *name, int64_t value);

/* Adds the choices of the contract that the sizes do not have, with the case's own texts. */
void mx_sizes_add_choices(const struct mx_case *c, struct mx_sizes *s);

/* Whether a text is "128,128,256" (M, N, K) or "S=256,D=64,BETA=0", with positive numbers or words.
 */
bool mx_sizes_check(const char *text);

/* Replaces sizes by those of a text, in that form. Fails on a size that the run does not have, and
 * on a value that it cannot have. */
int mx_sizes_replace(const struct mx_case *c, struct mx_sizes *s, const char *text,
                     struct mx_error *err);

/* The value of a size, or 0. */
int64_t mx_size(const struct mx_sizes *s, const char *name);

/* A reference at a shape. */
struct mx_reference {
	int slot[MX_SLOTS]; /* indices in plan->buffers; -1: none */
	size_t a_block[2], b_block[2];
	size_t heads, kv_heads, batch;
	size_t page;  /* rows of a page; 0: the keys of a batch follow each other */
	size_t keys;  /* the most of a batch */
	size_t width; /* of a head of V */
	size_t lazy;
	double scale;
	double eps;
	size_t topk, n_experts, tile, part, inner; /* inner: columns of h */
};

/* A part of the output, and a workgroup that computes it. */
struct mx_tile {
	size_t row, col, rows, cols;
	size_t a, b; /* the first row of A and of B that it uses */
	size_t group;
	uint32_t workgroup[3];
};
enum { MX_MOST_TILES = 32 };

/* A launch at a shape. */
struct mx_step_plan {
	const char *kernel;
	uint32_t grid[3], block[3], cluster[3], lds;
	size_t kernarg_bytes; /* kernarg_size, or the end of the last argument */
};

struct mx_plan {
	const struct mx_case *c;
	char name[MX_RUN_NAME];           /* "gemm/mxfp4_f32/128x128x256/exact" */
	const struct mx_variant *variant; /* NULL: none */
	struct mx_sizes sizes;
	struct mx_run_groups run_groups; /* of the run */
	int64_t M, N, K;                 /* 0: not among the sizes */
	mx_regime regime;
	bool outside;     /* the contract; it permits launches there */
	unsigned n_steps; /* launches, at least 1 */
	struct mx_step_plan steps[MX_MAX_STEPS];
	unsigned n_tiles; /* 0: all of the output */
	struct mx_tile tile[MX_MOST_TILES];
	struct mx_groups groups;
	struct mx_epilogue epilogue;   /* if the case has one */
	struct mx_reference reference; /* if the case has one */
	unsigned splits;               /* for MX_JUDGE_SET, as is k_split; else 0 */
	int64_t k_split;
	unsigned n_buffers;
	struct mx_buffer buffers[MX_MAX_BUFFERS];
};

/* Evaluates every expression at a shape. Fails on negative or overflowing sizes, an extent over
 * 2^40 bytes, a missing name, division by zero, empty or too long grids, a K that is not a multiple
 * of the block, overlapping kernel arguments, and sizes outside a contract that refuses them. */
int mx_plan_make_run(const struct mx_case *c, const struct mx_case_run *run, struct mx_plan *plan,
                     struct mx_error *err);

/* The same for a case with the sizes M, N and K alone. */
int mx_plan_make(const struct mx_case *c, int64_t M, int64_t N, int64_t K, mx_regime regime,
                 struct mx_plan *plan, struct mx_error *err);

/* ---- runs of some tiles: only their workgroups run, and memory that they do not use has no data
 * ---- */

/* Whether tiles use a part of buffer i only: of operands, scales and output. */
bool mx_tiles_divide(const struct mx_plan *plan, unsigned i);

/* Calls `each` for the bytes of such a buffer that each tile uses, from the start of its extent.
 * Tiles may share bytes. */
typedef void mx_bytes_of_tile(void *context, size_t from, size_t bytes);
void mx_tiles_bytes(const struct mx_plan *plan, unsigned i, mx_bytes_of_tile *each, void *context);

/* The workgroups of the tiles, by index in the grid, ascending. The caller frees the list; NULL:
 * out of memory. */
uint64_t *mx_tiles_workgroups(const struct mx_plan *plan, size_t *n);

/* Sizes of a buffer, in bytes, at which offsets in 32 bits overflow: 2^31 and 2^32 bytes, and as
 * many elements. */
enum { MX_CEILINGS = 4 };
uint64_t mx_buffer_ceiling(const struct mx_buffer *b, unsigned i);

/* Bytes of an argument of the type. */
unsigned mx_arg_bytes(mx_arg_type t);

/* The kernarg segment of a step, for the given addresses of the buffers (of their valid extent, in
 * the order of plan->buffers). out: kernarg_bytes of the step, gaps zero. */
int mx_plan_kernarg(const struct mx_plan *plan, unsigned step, const uint64_t *address,
                    uint8_t *out, struct mx_error *err);

/* Puts the addresses that a buffer holds, with the buffers at these, into the bytes of its extent.
 */
int mx_plan_pointers(const struct mx_plan *plan, unsigned buffer, const uint64_t *address,
                     uint8_t *bytes, struct mx_error *err);

/* The plan's buffer with that role, or NULL. */
const struct mx_buffer *mx_plan_role(const struct mx_plan *plan, mx_role role);

/* The bytes [*from, *to) of the valid extent after the elements of `line` that belong to no line:
 * padding. False if there are none. */
bool mx_buffer_padding(const struct mx_buffer *b, size_t line, size_t *from, size_t *to);

/* The offset of an element of a buffer of whole bytes, in bytes from the start, in the device's
 * layout. */
size_t mx_buffer_at(const struct mx_buffer *b, size_t row, size_t col);

/* The offset of a line in struct mx_data. */
size_t mx_buffer_data(const struct mx_buffer *b, size_t line);

/* The first run of bytes at or after `from` that a packed buffer has beside its elements: padding,
 * gaps between matrices, slack. False if there is none. */
bool mx_buffer_unpacked(const struct mx_buffer *b, size_t from, size_t *first, size_t *end);

/* The inverse of mx_buffer_byte: false if the byte belongs to no line. */
bool mx_buffer_find(const struct mx_buffer *b, size_t offset, size_t *line, size_t *i);

/* The offset of byte i of a line, in bytes from the start, in the device's layout. */
size_t mx_buffer_byte(const struct mx_buffer *b, size_t line, size_t i);

/* The line of the byte at an offset from the start, in the device's layout; -1 for the padding of a
 * layout. */
long long mx_buffer_line(const struct mx_buffer *b, long long offset);

/* Whether a buffer lies in buffer i. */
bool mx_buffer_holds_others(const struct mx_plan *p, unsigned i);

/* Whether a kernel makes the buffer: codes with a recipe, or their scales. In struct mx_data it has
 * what it must hold after the launch. */
bool mx_buffer_is_quantised(const struct mx_plan *p, const struct mx_buffer *b);

/* Whether the buffer has data before the launch: every buffer that is not poisoned. */
bool mx_buffer_is_filled(const struct mx_plan *plan, const struct mx_buffer *b);

/* Whether all bytes of buffer i are poison before the launch. */
bool mx_buffer_is_poison(const struct mx_plan *plan, unsigned i);

/* ---- data ---- */

/* Bytes that are not data are poison: padding of lines, guards and outputs. 0xFF is a NaN scale,
 * and a NaN in f32 and bf16. */
#define MX_POISON 0xFF

/* Memory of zeros, and of poison. Only pages that are written take memory; of poison, if there are
 * many. */
void *mx_sparse_new(size_t bytes);
void mx_sparse_free(void *p, size_t bytes);
void *mx_poison_new(size_t bytes);
void mx_poison_free(void *p, size_t bytes);

struct mx_data {
	uint8_t *bytes[MX_MAX_BUFFERS]; /* plan->buffers[i].data_bytes bytes each, in lines; outputs
	                                   and gaps are poison */
	size_t sparse[MX_MAX_BUFFERS];  /* not 0: mx_sparse_new allocated so many bytes; only what
	                                   the plan's tiles use has data */
	size_t poison[MX_MAX_BUFFERS];  /* the same of mx_poison_new */
	float *a, *b; /* unquantised operands, M*K and N*K, row-major; NULL if nothing was
	                 quantised: the regime draws codes, or they come from a file */
	bool draws_again[2]; /* A and B: NULL because it is large; mx_data_unquantised draws them */
	uint64_t seed;
};

/* Whether the operands were quantised, and the unquantised values of a row of A or B then. */
bool mx_data_has_unquantised(const struct mx_data *data);
void mx_data_unquantised(const struct mx_plan *plan, const struct mx_data *data, mx_role role,
                         size_t row, float *values);

/* Reads a buffer from a .npy file: lines of numbers, or of packed codes. bytes:
 * plan->buffers[i].data_bytes; bytes that belong to no line are unchanged. */
int mx_data_read(const struct mx_plan *plan, unsigned i, const char *file, uint8_t *bytes,
                 struct mx_error *err);
/* Opens a .npy file with a number for each element of the buffer, of the buffer's type or of any
 * other. *own: it has the buffer's type; then the numbers of packed codes are bytes. The caller
 * frees it with mx_npy_free. */
struct mx_npy;
int mx_data_open(const struct mx_plan *plan, unsigned i, const char *file, struct mx_npy *a,
                 bool *own, struct mx_error *err);
/* Writes a buffer to a .npy file; bytes: plan->buffers[i].bytes, in the device's layout. */
int mx_data_write(const struct mx_plan *plan, unsigned i, const uint8_t *bytes, const char *file,
                  struct mx_error *err);

/* Packs a buffer's lines, at a distance of b->ld bytes, to its layout. */
void mx_buffer_pack(const struct mx_buffer *b, const uint8_t *lines, uint8_t *bytes);

/* Converts data to the device's layout; bytes: plan->buffers[i].bytes. */
void mx_data_pack(const struct mx_plan *plan, unsigned i, const struct mx_data *data,
                  uint8_t *bytes);

/* Fills every input of the plan: a buffer with a `data` key by that key, other scales and operands
 * by the regime:
 *   exact    codes uniform over the whole format, scales spread as far as the
 *            exact regime allows for this K (see oracle/exact/exact.h);
 *   general  normal deviates (sum of 12 uniforms, exact in f32) times a random
 *            power of two for each block, quantised by the OCP floor recipe;
 *   special  the ends of the formats and of the scales, and the results that
 *            results.def lists; a missing result is an error.
 * The regime also draws the terms of an epilogue: fill_epilogue.c. The value of an element depends
 * only on the plan, seed, buffer name and element index (Philox 4x32-10), never on thread, order or
 * filter. */
int mx_data_make(const struct mx_plan *plan, uint64_t seed, struct mx_data *data,
                 struct mx_error *err);

/* Threads that fill each operand of the general regime; 1 if this is not called. To be called
 * before data are made in parallel. */
void mx_data_threads(unsigned n);

void mx_data_free(struct mx_data *data);

/* ---- expressions ---- */

/* 64-bit signed integers with + - * / % (C semantics), unary -, parentheses, ceildiv(a,b),
 * roundup(a,b), min(a,b), max(a,b), decimal and 0x literals, and names. Overflow, division by zero,
 * an unknown name or trailing text is an error. */
int mx_expr_eval(const char *text, const struct mx_name *names, size_t n_names, int64_t *value,
                 struct mx_error *err);

/* The same in f64: / divides exactly, literals may have a fraction and an exponent, and there are
 * sqrt(a), log2(a) and exp(a). An infinite result or NaN is an error. */
int mx_expr_real(const char *text, const struct mx_name *names, size_t n_names, double *value,
                 struct mx_error *err);

#endif
