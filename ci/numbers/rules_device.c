/* Launches of the kernels of kernels/probe/questions.def. */
#include "rules_device.h"

#include <limits.h>
#include <stdlib.h>

static const struct kernel {
	const char *name, *file;
	unsigned d, a, b, c;
} kernels[] = {
#define MX_QUESTION_KERNEL(name, d, a, b, c, text) { #name, "questions.co", d, a, b, c },
#define MX_QUESTION_ASSEMBLY(name, d, a, b, c)     { #name, #name ".co", d, a, b, c },
#include "../../kernels/probe/questions.def"
#define MX_NO_WAIT(...)
#define MX_WAIT(one, of_one, two, of_two, condition, ...)                                          \
	{ "wait_" #one "_" #of_one "_" #two "_" #of_two "_" #condition,                            \
	  "wait_states.co",                                                                        \
	  1,                                                                                       \
	  0,                                                                                       \
	  0,                                                                                       \
	  20 },
#include "../../kernels/probe/waits.def"
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

const char *mx_rules_kernel_at(size_t i) {
	return i < KERNELS ? kernels[i].name : NULL;
}

static const struct kernel *kernel_of(const char *name) {
	size_t i = 0;
	while (strcmp(kernels[i].name, name))
		i++;
	return &kernels[i];
}

/* Between [lane][register] and [wave][register][lane]. */
static size_t place(size_t lane, unsigned n, unsigned i) {
	return (lane / EXACT_LANES * n + i) * EXACT_LANES + lane % EXACT_LANES;
}

struct probe_args {
	void *in, *out;
	uint32_t mode, records, word3, scalar;
};

enum { SECONDS = 60 };

static int launch_short(struct mx_module *m, const struct mx_geometry *g,
                        const struct probe_args *args, unsigned by, struct mx_why *why) {
	const struct mx_around alone = { .time_out = SECONDS };
	struct probe_args a = *args;
	a.scalar = ~a.scalar;
	return mx_module_launch(m, g, &a, sizeof a - by, &alone, why);
}

/* Launches on an image of the operands, and replaces it by the results. */
static int launch(struct mx_device *device, struct mx_module *m, const struct mx_answered *a,
                  uint32_t *image, struct mx_why *why) {
	enum { LDS = 4096 };
	const struct exact_question *q = a->question;
	const struct mx_geometry g = { .grid = { (uint32_t)(a->lanes / EXACT_LANES), 1, 1 },
		                       .block = { EXACT_LANES, 1, 1 },
		                       .lds = LDS };
	const struct mx_around alone = { .time_out = SECONDS };
	size_t in = a->lanes * a->n_in * sizeof *image, out = a->lanes * a->n_out * sizeof *image;
	struct probe_args args = { NULL, NULL, q->mode, q->records, q->word3, q->scalar };
	int status = mx_device_alloc(device, in, &args.in, why) ||
	             mx_device_alloc(device, out, &args.out, why) ||
	             mx_device_upload(device, args.in, image, in, why) ||
	             mx_module_launch(m, &g, &args, sizeof args, &alone, why) ||
	             (q->short_by && launch_short(m, &g, &args, q->short_by, why)) ||
	             mx_device_download(device, image, args.out, out, why);
	if (args.in)
		mx_device_free(device, args.in);
	if (args.out)
		mx_device_free(device, args.out);
	return status;
}

static int run(const struct mx_rules *r, struct mx_answered *a, struct mx_error *err) {
	struct mx_module *m;
	struct mx_why why;
	char co[PATH_MAX];
	size_t n = a->lanes * (a->n_in > a->n_out ? a->n_in : a->n_out);
	uint32_t *image = malloc(n * sizeof *image);
	if (!image)
		return mx_fail(err, "out of memory");
	for (size_t l = 0; l < a->lanes; l++)
		for (unsigned i = 0; i < a->n_in; i++)
			image[place(l, a->n_in, i)] = a->in[l * a->n_in + i];
	snprintf(co, sizeof co, "%s/probe/%s", r->kernels, kernel_of(a->question->kernel)->file);
	int status = mx_module_load(r->device, co, a->question->kernel, &m, &why);
	if (!status) {
		status = launch(r->device, m, a, image, &why);
		mx_module_unload(m);
	}
	for (size_t l = 0; !status && l < a->lanes; l++)
		for (unsigned i = 0; i < a->n_out; i++)
			a->out[l * a->n_out + i] = image[place(l, a->n_out, i)];
	free(image);
	return status ? mx_fail(err, "%s: %s", a->question->kernel, why.text) : 0;
}

static void count_ulps(struct mx_answered *a) {
	for (size_t l = 0; l < a->lanes; l++) {
		size_t at = l * a->n_out;
		uint64_t n =
			exact_ulps(a->question->format, a->out + at, a->judgement.assumed + at);
		unsigned bucket = 0;
		for (; n && bucket < MX_MOST_ULP_BUCKETS - 1; n >>= 1)
			bucket++;
		a->ulps[bucket]++;
	}
}

int mx_rules_ask_one(const struct mx_rules *r, const struct exact_question *q,
                     struct mx_answered *a, struct mx_error *err) {
	const struct kernel *k = kernel_of(q->kernel);
	size_t waves = q->waves ? q->waves : (r->dots + EXACT_LANES - 1) / EXACT_LANES;
	*a = (struct mx_answered){ .question = q,
		                   .n_in = k->a + k->b + k->c + k->d,
		                   .n_out = k->d,
		                   .lanes = waves * EXACT_LANES };
	a->in = malloc(a->lanes * a->n_in * sizeof *a->in);
	a->out = malloc(a->lanes * a->n_out * sizeof *a->out);
	if (!a->in || !a->out)
		return mx_fail(err, "out of memory");
	exact_ask(q, waves, a->n_in, a->in);
	if (run(r, a, err))
		return -1;
	if (!exact_judge(q, waves, a->n_in, a->n_out, a->in, a->out, &a->judgement))
		return mx_fail(err, "out of memory");
	if (!q->waves)
		count_ulps(a);
	return 0;
}

void mx_answered_free(struct mx_answered *a) {
	free(a->in);
	free(a->out);
	free(a->judgement.assumed);
}
