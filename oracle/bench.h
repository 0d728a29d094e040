/* A set-up: one plan on one device, with its data, ready to be run again and again.
 *
 *   mx_bench_make    buffers with guards on the device, data, kernarg, module
 *   mx_bench_run     one launch under one schedule; outputs start poisoned
 *   mx_bench_judge   findings: wrong numbers, guards, inputs changed, what the device saw
 *
 * A bench belongs to one thread. Functions return 0, or -1 with err->text.
 */
#ifndef MX_BENCH_H
#define MX_BENCH_H

#include "../cases/case.h"
#include "../kernels/host/device.h"
#include "../kernels/host/vary.h"
#include "metrics.h"

/* ---- findings ---- */

/* What kind of thing is wrong, and so which exit status it asks for. */
typedef enum {
	MX_NOT_WRONG = 0,     /* worth a line; changes no exit status */
	MX_WRONG_NUMBERS = 1, /* exit status 1 */
	MX_WRONG_ORDER = 3,   /* a race, a hazard, a result that depends on what nobody fixed */
	MX_WRONG_DEVICE = 4,  /* a fault, a time-out, something not implemented */
} mx_severity;

struct mx_note {
	mx_severity severity;
	char kind[32]; /* "wrong-bits", "guard-changed", "nondeterminism", "out-of-bounds-write" ...
	                */
	char text[768]; /* one line: where and what */
	unsigned more;  /* further places of this kind, in the last note that is kept of it */
};

enum { MX_MAX_NOTES = 64, MX_NOTES_OF_A_KIND = 3 };

/* The outcome of judging a run. */
struct mx_verdict {
	unsigned n_notes; /* 0, or all of them MX_NOT_WRONG: pass */
	struct mx_note notes[MX_MAX_NOTES];
	char basis[192];       /* what was compared, and the assumptions behind it */
	struct mx_proof proof; /* of the analysis of order */
	size_t checked, wrong; /* output elements */
	bool placed;           /* the next two say where the first wrong or changed byte is */
	unsigned buffer;
	long long offset; /* from the start of the buffer's valid extent; negative: its guard */
	char met[160]; /* where the accesses of the first race meet, as --watch takes it; "": there
	                  is none in memory */
	double snr_dequantised, snr_unquantised; /* dB; NaN where there is no such reference */
	struct mx_metrics metrics;
	double bound_used;   /* of judge bound: the largest |error| / bound */
	char window[768];    /* lines: the first wrong element among its neighbours; or "" */
	char pattern[256];   /* the cut of C that describes the wrong places best; or "" */
	char diagnosis[512]; /* what explains the wrong elements, and how many of them; or "" */
};

__attribute__((format(printf, 4, 5))) void mx_verdict_add(struct mx_verdict *v,
                                                          mx_severity severity, const char *kind,
                                                          const char *format, ...);

/* The exit status of what was found: 4 before 3 before 1; 0 if nothing. */
int mx_verdict_status(const struct mx_verdict *v);

/* ---- runs ---- */

struct mx_bench;

/* co: code object file, or NULL for the one the case names (looked for beside the case file,
 * then in kernel_dir). data_seed: of the inputs. */
int mx_bench_make(const struct mx_plan *plan, struct mx_device *d, const char *co,
                  const char *kernel_dir, uint64_t data_seed, struct mx_bench **b,
                  struct mx_error *err);
void mx_bench_free(struct mx_bench *b);

/* What a launch left: every buffer with its guards, as the bench holds it until the next run. */
struct mx_run_result {
	uint64_t schedule; /* its seed */
	double seconds;    /* of the launch alone */
	double processor;  /* the same: seconds of processors that this process had */
	bool failed;       /* the device failed under it; memory was not read */
	bool late;         /* failed: it did not end in time; the device is lost */
	char failure[1024];
	uint64_t hash; /* of every byte of every buffer, guards included */
};
int mx_bench_run(struct mx_bench *b, uint64_t schedule, struct mx_run_result *r,
                 struct mx_error *err);

/* What the next runs have around them, run by run as their schedule's seed decides; NULL: nothing.
 * Usual amounts in *vary become the device's. */
int mx_bench_vary(struct mx_bench *b, struct mx_vary *vary, const char *kernel_dir,
                  struct mx_error *err);

/* What a run of that schedule has: "" or "stream 3; beside 17 workgroups of tenant_matrix". */
void mx_bench_variation(const struct mx_bench *b, uint64_t schedule, char *text, size_t room);

/* How long a launch may take on a device, in seconds; 0, the default: as long as it likes. What the
 * emulator runs ends by a count of instructions instead. */
void mx_bench_time_out(struct mx_bench *b, double seconds);

/* Threads that each judgement may take; to be said before several go on at a time. */
void mx_judge_threads(unsigned n);

/* Adds to the verdict what is wrong with the last run. */
int mx_bench_judge(struct mx_bench *b, const struct mx_run_result *r, struct mx_verdict *v,
                   struct mx_error *err);

/* Adds the findings of the emulator for this thread's last launch; a real device has none. */
void mx_bench_device_findings(const struct mx_bench *b, struct mx_verdict *v);

const struct mx_plan *mx_bench_plan(const struct mx_bench *b);
struct mx_device *mx_bench_device(const struct mx_bench *b);

/* How the emulator runs this bench's next launches; may be changed between them. mx_bench_make sets
 * what the case and the device ask for, mx_bench_run the seed. A real device has no use for it. */
struct mxhipLaunchOptions *mx_bench_options(struct mx_bench *b);

/* Hashes of what is run: the case, its shape, data, device and variation; and its code object's
 * bytes. */
void mx_bench_identity(const struct mx_bench *b, uint64_t *setup, uint64_t *code);

/* The file of its code object. */
const char *mx_bench_code(const struct mx_bench *b);

/* The device address of buffer i's valid extent. */
uint64_t mx_bench_address(const struct mx_bench *b, unsigned i);

/* The bytes of the last run's buffer i, its guards before and after it (`bytes` in all). */
const uint8_t *mx_bench_bytes(const struct mx_bench *b, unsigned i, size_t *bytes);

#endif
