/* A bench: one plan on one device with its data, ready for repeated launches.
 *
 *   mx_bench_make    buffers with guards on the device, data, kernarg, module
 *   mx_bench_run     one launch under one schedule; outputs start poisoned
 *   mx_bench_judge   findings: wrong numbers, guards, changed inputs, findings of the emulator
 *
 * A bench belongs to one thread. Functions return 0, or -1 with err->text. */
#ifndef MX_BENCH_H
#define MX_BENCH_H

#include "../cases/case.h"
#include "../kernels/host/device.h"
#include "../kernels/host/vary.h"
#include "arithmetic.h"
#include "metrics.h"

/* ---- findings ---- */

/* The kind of a finding; it decides the exit status. */
typedef enum {
	MX_REPORTED = -1,     /* printed; does not change the exit status */
	MX_NOT_WRONG = 0,     /* a note: counted, printed on request */
	MX_WRONG_NUMBERS = 1, /* exit status 1 */
	MX_WRONG_ORDER = 3,   /* a race, a hazard, a result that is not determined */
	MX_WRONG_DEVICE = 4,  /* a fault, a time-out, something not implemented */
} mx_severity;

/* That of a finding of the emulator, by its class. */
mx_severity mx_finding_severity(mx_finding_kind k);

/* Where a finding of the emulator was, in the kernel of a step. */
struct mx_note_place {
	bool known;
	unsigned step;
	bool is_race;         /* two accesses without order */
	uint64_t pc, earlier; /* offsets in the kernel's code; MX_NO_PC: none */
	uint32_t workgroup[3], wave;
	int32_t lane;           /* -1: the whole wave */
	bool earlier_elsewhere; /* in another, unknown workgroup */
	uint32_t earlier_workgroup[3], earlier_wave;
};

struct mx_note {
	mx_severity severity;
	char kind[32];  /* "wrong-bits", "guard-changed", "nondeterminism", ... */
	char text[768]; /* one line: the location and the fault */
	unsigned more;  /* findings of this kind that were not kept; in its last note */
	bool emulated;  /* found by the emulator, in a run on a real device beside it */
	struct mx_note_place place;
};

enum { MX_MAX_NOTES = 64, MX_NOTES_OF_A_KIND = 3, MX_BASIS = 448 };

/* The verdict on a run. */
struct mx_verdict {
	unsigned n_notes; /* 0 notes, or only MX_REPORTED and MX_NOT_WRONG: pass */
	struct mx_note notes[MX_MAX_NOTES];
	char basis[MX_BASIS];    /* what was compared, and the assumptions */
	struct mx_proof proof;   /* of the race analysis: of all steps, or the first doubt */
	char doubted_kernel[64]; /* of several steps, the kernel of that doubt; or "" */
	size_t checked, wrong;   /* output elements */
	bool has_location; /* buffer and offset below are of the first wrong or changed byte */
	unsigned buffer;
	long long offset; /* from the start of the buffer's valid extent; negative: its guard */
	char race_location[160]; /* location of the first race as --watch takes it; "": no race in
	                            memory */
	double snr_dequantised, snr_unquantised; /* dB; NaN without a reference */
	size_t snr_rows, snr_cols; /* of the sample that they are of; 0 rows: of all */
	struct mx_metrics metrics;
	double bound_used;   /* judge bound: the largest |error| / bound */
	char window[768];    /* lines: the first wrong element and its neighbours; or "" */
	char pattern[256];   /* the pattern of C that describes the wrong elements best; or "" */
	char diagnosis[512]; /* faults that explain the wrong elements, and their shares; or "" */
};

__attribute__((format(printf, 4, 5))) void mx_verdict_add(struct mx_verdict *v,
                                                          mx_severity severity, const char *kind,
                                                          const char *format, ...);

/* Adds a finding that has a place. */
void mx_verdict_add_note(struct mx_verdict *v, const struct mx_note *n);

/* The i-th kind of a finding that fails a run; NULL after the last. */
const char *mx_failing_kind(unsigned i);

/* The exit status of the findings: 4 before 3 before 1; 0 without findings. */
int mx_verdict_status(const struct mx_verdict *v);

/* The number of findings of the kind of notes[i]; 0 if i is not the first of its kind. */
unsigned mx_verdict_count(const struct mx_verdict *v, unsigned i);

/* mx_proof_text and mx_doubt_text of the verdict's proof, with the kernel if there are several. */
char *mx_verdict_order(const struct mx_verdict *v, char *text, size_t room);
char *mx_verdict_doubt(const struct mx_verdict *v, char *text, size_t room);

/* ---- runs ---- */

struct mx_bench;

/* co: code object file of the steps whose kernel it has, or NULL; other steps have the one that
 * mx_case_code finds. data_seed: seed of the inputs. */
int mx_bench_make(const struct mx_plan *plan, struct mx_device *d, const char *co,
                  const char *kernel_dir, uint64_t data_seed, struct mx_bench **b,
                  struct mx_error *err);

/* The same with the code object file of each step. */
int mx_bench_make_from(const struct mx_plan *plan, struct mx_device *d, const char *const *code,
                       uint64_t data_seed, struct mx_bench **b, struct mx_error *err);
void mx_bench_free(struct mx_bench *b);

/* The state after a launch. The bench holds the bytes of all buffers until the next run. */
struct mx_run_result {
	uint64_t schedule; /* seed */
	double seconds;    /* of the launch only */
	double processor;  /* CPU time of this process during the launch */
	bool failed;       /* the device failed; memory was not read */
	bool late;         /* failed: the launch did not end in time; the device is lost */
	char failure[1024];
};
int mx_bench_run(struct mx_bench *b, uint64_t schedule, struct mx_run_result *r,
                 struct mx_error *err);

/* The hash of all bytes of all buffers, with guards, after the last run; it must not have failed.
 */
uint64_t mx_bench_hash(const struct mx_bench *b);

/* Varies the surroundings of the next runs; the schedule's seed decides them for each run. NULL: no
 * variation. Usual amounts in *vary become the device's. */
int mx_bench_vary(struct mx_bench *b, struct mx_vary *vary, const char *kernel_dir,
                  struct mx_error *err);

/* The surroundings of a run with that schedule: "" or "stream 3; beside 17 workgroups of
 * tenant_matrix". */
void mx_bench_variation(const struct mx_bench *b, uint64_t schedule, char *text, size_t room);

/* Time limit of the next launches, in seconds; 0, the default: none. A launch that is late is a
 * finding; on a real device the device is lost then. */
void mx_bench_time_out(struct mx_bench *b, double seconds);

/* Threads of each judgement; to be called before several judgements run in parallel. */
void mx_judge_threads(unsigned n);

/* Adds the findings of the last run to the verdict. */
int mx_bench_judge(struct mx_bench *b, const struct mx_run_result *r, struct mx_verdict *v,
                   struct mx_error *err);

/* The results of a step in the last run; empty on a real device, and if the run ended before it. */
const struct mx_report *mx_bench_report(const struct mx_bench *b, unsigned step);

/* Adds the emulator's findings for the last run; a real device has none. */
void mx_bench_device_findings(const struct mx_bench *b, struct mx_verdict *v);

/* Sets the proof of order of the last run. */
void mx_bench_order(const struct mx_bench *b, struct mx_verdict *v);

const struct mx_plan *mx_bench_plan(const struct mx_bench *b);
const struct mx_arithmetic *mx_bench_arithmetic(const struct mx_bench *b);
struct mx_device *mx_bench_device(const struct mx_bench *b);

/* The waves of a workgroup of a step. */
unsigned mx_bench_waves(const struct mx_bench *b, unsigned step);

/* The emulator's options for the next launches of this bench; the caller may change them between
 * launches. mx_bench_make sets the options of the case and the device, mx_bench_run sets the seed.
 * A real device ignores them. */
struct mxhipLaunchOptions *mx_bench_options(struct mx_bench *b);

/* Receives what the steps execute, one for each; NULL: nothing. */
void mx_bench_cover(struct mx_bench *b, struct mx_coverage *steps);

/* The step that is running now, for observers. */
unsigned mx_bench_running(const struct mx_bench *b);

/* The first step with the same kernel of the same code object. */
unsigned mx_bench_first_of(const struct mx_bench *b, unsigned step);

/* Hashes of the set-up (case, shape, data, device and variation) and of the code objects' bytes. */
void mx_bench_identity(const struct mx_bench *b, uint64_t *setup, uint64_t *code);

/* The hash of the code objects' bytes alone; their paths, a line for each step, to free. */
uint64_t mx_bench_codes_hash(const struct mx_bench *b);
char *mx_bench_codes(const struct mx_bench *b);

/* Path and hash of a step's code object. */
const char *mx_bench_code(const struct mx_bench *b, unsigned step);
uint64_t mx_bench_code_hash(const struct mx_bench *b, unsigned step);

/* The device address of buffer i's valid extent. */
uint64_t mx_bench_address(const struct mx_bench *b, unsigned i);

/* Puts the addresses that buffer i holds into the bytes of its extent. */
int mx_bench_pointers(const struct mx_bench *b, unsigned i, uint8_t *bytes, struct mx_error *err);

/* The bytes of buffer i after the last run, with its guards (`bytes` in total). */
const uint8_t *mx_bench_bytes(const struct mx_bench *b, unsigned i, size_t *bytes);
/* Whether they are known to be those from before the run. */
bool mx_bench_is_unchanged(const struct mx_bench *b, unsigned i);

#endif
