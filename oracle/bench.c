/* A bench: device buffers with guards, and launches over them. */
#include "product.h"
#include "epilogue.h"
#include "hash_file.h"
#include "xxh3.h"
#include "../cases/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define XXH_STATIC_LINKING_ONLY

const struct mx_plan *mx_bench_plan(const struct mx_bench *b) {
	return &b->plan;
}

unsigned mx_bench_waves(const struct mx_bench *b, unsigned step) {
	const uint32_t *block = b->plan.steps[step].block;
	unsigned size = b->device->wave_size;
	return (block[0] * block[1] * block[2] + size - 1) / size;
}

struct mx_device *mx_bench_device(const struct mx_bench *b) {
	return b->device;
}

const struct mx_arithmetic *mx_bench_arithmetic(const struct mx_bench *b) {
	return &b->arithmetic;
}

struct mxhipLaunchOptions *mx_bench_options(struct mx_bench *b) {
	return &b->options;
}

const char *mx_bench_code(const struct mx_bench *b, unsigned step) {
	return b->step[step].code;
}

uint64_t mx_bench_code_hash(const struct mx_bench *b, unsigned step) {
	return b->step[step].code_hash;
}

const struct mx_report *mx_bench_report(const struct mx_bench *b, unsigned step) {
	return &b->step[step].report;
}

void mx_bench_cover(struct mx_bench *b, struct mx_coverage *steps) {
	b->coverage = steps;
}

unsigned mx_bench_running(const struct mx_bench *b) {
	return b->running;
}

unsigned mx_bench_first_of(const struct mx_bench *b, unsigned step) {
	const struct mx_step_plan *p = b->plan.steps;
	for (unsigned i = 0; i < step; i++)
		if (!strcmp(p[i].kernel, p[step].kernel) &&
		    !strcmp(b->step[i].code, b->step[step].code))
			return i;
	return step;
}

uint64_t mx_bench_address(const struct mx_bench *b, unsigned i) {
	const struct mx_buffer *s = &b->plan.buffers[i];
	if (s->in >= 0)
		return mx_bench_address(b, (unsigned)s->in) + s->place;
	return (uint64_t)(uintptr_t)b->buffer[i].device + s->guard;
}

const uint8_t *mx_bench_bytes(const struct mx_bench *b, unsigned i, size_t *bytes) {
	*bytes = b->buffer[i].bytes;
	return b->buffer[i].after;
}

/* ---- construction ---- */

/* The emulator's memory is the host's: what a run leaves there needs no copy. */
static bool shares_memory(const struct mx_bench *b) {
	return b->device->emu && b->device->emu->states && b->device->emu->poison;
}

/* Memory for the contents of buffer i, with guards: before a launch, and after it. */
static uint8_t *new_before(const struct mx_bench *b, unsigned i) {
	size_t bytes = b->buffer[i].bytes;
	return mx_tiles_divide(&b->plan, i)       ? mx_sparse_new(bytes)
	       : mx_buffer_is_poison(&b->plan, i) ? mx_poison_new(bytes)
	                                          : malloc(bytes);
}

static uint8_t *new_after(const struct mx_bench *b, unsigned i) {
	size_t bytes = b->buffer[i].bytes;
	return shares_memory(b)               ? b->buffer[i].device
	       : mx_tiles_divide(&b->plan, i) ? mx_sparse_new(bytes)
	                                      : malloc(bytes);
}

static void free_images(const struct mx_bench *b, unsigned i) {
	const struct bench_buffer *x = &b->buffer[i];
	uint8_t *after = shares_memory(b) ? NULL : x->after;
	if (mx_tiles_divide(&b->plan, i)) {
		mx_sparse_free(x->before, x->bytes);
		mx_sparse_free(after, x->bytes);
		return;
	}
	if (mx_buffer_is_poison(&b->plan, i))
		mx_poison_free(x->before, x->bytes);
	else
		free(x->before);
	free(after);
}

/* A buffer of which tiles use a part. */
struct used {
	struct mx_bench *b;
	unsigned i;
};

static void place_packed(const struct mx_buffer *s, size_t from, size_t bytes, const uint8_t *lines,
                         uint8_t *to) {
	for (size_t i = 0, row, col; i < bytes; i++) {
		bool padding = !mx_packing_from(&s->packing, from + i, &row, &col);
		bool first = mx_packing_at(&s->packing, row, col) == from + i;
		to[i] = padding ? mx_packing_fill(&s->packing, from + i)
		        : first ? lines[row * s->ld + col]
		                : 0;
	}
}

static void place_used(void *context, size_t from, size_t bytes) {
	const struct used *u = context;
	uint8_t *to = u->b->buffer[u->i].before + u->b->plan.buffers[u->i].guard + from;
	const struct mx_buffer *s = &u->b->plan.buffers[u->i];
	if (s->packing.layout)
		place_packed(s, from, bytes, u->b->data.bytes[u->i], to);
	else if (mx_buffer_is_filled(&u->b->plan, s))
		memcpy(to, u->b->data.bytes[u->i] + from, bytes);
	else
		memset(to, MX_POISON, bytes);
}

static void place_data(struct mx_bench *b, unsigned i) {
	const struct mx_buffer *s = &b->plan.buffers[i];
	uint8_t *before = b->buffer[i].before;
	if (mx_buffer_is_poison(&b->plan, i))
		return;
	if (!mx_tiles_divide(&b->plan, i)) {
		memset(before, MX_POISON, s->packing.layout ? b->buffer[i].bytes : s->guard);
		memset(before + s->guard + s->bytes, MX_POISON, s->guard);
		mx_data_pack(&b->plan, i, &b->data, before + s->guard);
		return;
	}
	memset(before, MX_POISON, s->guard);
	memset(before + s->guard + s->bytes, MX_POISON, s->guard);
	mx_tiles_bytes(&b->plan, i, place_used, &(struct used){ b, i });
}

/* guard | valid extent | guard, on the host and on the device. */
static int make_buffer(struct mx_bench *b, unsigned i, struct mx_error *err) {
	const struct mx_buffer *spec = &b->plan.buffers[i];
	struct bench_buffer *buffer = &b->buffer[i];
	struct mx_why why;
	buffer->bytes = spec->bytes + 2 * spec->guard;
	buffer->before = new_before(b, i);
	if (!buffer->before)
		return mx_fail(err, "%s: out of memory for buffer %s", b->plan.name, spec->name);
	place_data(b, i);
	if (mx_device_alloc(b->device, buffer->bytes, &buffer->device, &why))
		return mx_fail(err, "%s: buffer %s: %s", b->plan.name, spec->name, why.text);
	buffer->after = new_after(b, i);
	return buffer->after
	               ? 0
	               : mx_fail(err, "%s: out of memory for buffer %s", b->plan.name, spec->name);
}

/* A buffer in another one has its bytes there. Only its elements are its own: the lines of several
 * may alternate. */
static void place_buffer(struct mx_bench *b, unsigned i) {
	const struct mx_buffer *s = &b->plan.buffers[i];
	const struct bench_buffer *in = &b->buffer[s->in];
	struct bench_buffer *own = &b->buffer[i];
	size_t start = b->plan.buffers[s->in].guard + s->place;
	*own = (struct bench_buffer){ .bytes = s->bytes,
		                      .before = in->before + start,
		                      .after = in->after + start };
	if (s->packing.layout)
		mx_data_pack(&b->plan, i, &b->data, own->before);
	for (size_t line = 0; !s->packing.layout && line < s->lines; line++) {
		size_t at = mx_buffer_data(s, line);
		memcpy(own->before + at, b->data.bytes[i] + at, s->line_bytes);
	}
}

static int make_buffers(struct mx_bench *b, struct mx_error *err) {
	for (unsigned i = 0; i < b->plan.n_buffers; i++)
		if (b->plan.buffers[i].in < 0 && make_buffer(b, i, err))
			return -1;
	for (unsigned i = 0; i < b->plan.n_buffers; i++)
		if (b->plan.buffers[i].in >= 0)
			place_buffer(b, i);
	return 0;
}

static void addresses(const struct mx_bench *b, uint64_t address[MX_MAX_BUFFERS]) {
	for (unsigned i = 0; i < b->plan.n_buffers; i++)
		address[i] = mx_bench_address(b, i);
}

int mx_bench_pointers(const struct mx_bench *b, unsigned i, uint8_t *bytes, struct mx_error *err) {
	uint64_t address[MX_MAX_BUFFERS];
	addresses(b, address);
	return mx_plan_pointers(&b->plan, i, address, bytes, err);
}

static int place_pointers(struct mx_bench *b, struct mx_error *err) {
	for (unsigned i = 0; i < b->plan.n_buffers; i++)
		if (b->plan.buffers[i].in < 0 &&
		    mx_bench_pointers(b, i, b->buffer[i].before + b->plan.buffers[i].guard, err))
			return -1;
	return 0;
}

static int make_kernarg(struct mx_bench *b, struct mx_error *err) {
	uint64_t address[MX_MAX_BUFFERS];
	addresses(b, address);
	for (unsigned i = 0; i < b->plan.n_steps; i++) {
		/* AMD's runtime reads all of the last argument. */
		uint8_t *kernarg = calloc(1, b->plan.steps[i].kernarg_bytes + 8);
		if (!kernarg)
			return mx_fail(err, "%s: out of memory", b->plan.name);
		b->step[i].kernarg = kernarg;
		if (mx_plan_kernarg(&b->plan, i, address, kernarg, err))
			return -1;
	}
	return 0;
}

struct hashing {
	XXH3_state_t *state;
	const uint8_t *extent;
};

static void hash_used(void *context, size_t from, size_t bytes) {
	const struct hashing *h = context;
	XXH3_64bits_update(h->state, h->extent + from, bytes);
}

/* Adds the contents of buffer i: of some tiles, what they use and the guards. */
static void hash_image(const struct mx_bench *b, unsigned i, const uint8_t *image,
                       XXH3_state_t *state) {
	const struct mx_buffer *s = &b->plan.buffers[i];
	if (!mx_tiles_divide(&b->plan, i)) {
		XXH3_64bits_update(state, image, b->buffer[i].bytes);
		return;
	}
	XXH3_64bits_update(state, image, s->guard);
	XXH3_64bits_update(state, image + s->guard + s->bytes, s->guard);
	mx_tiles_bytes(&b->plan, i, hash_used, &(struct hashing){ state, image + s->guard });
}

uint64_t mx_bench_hash(const struct mx_bench *b) {
	XXH3_state_t state;
	XXH3_INITSTATE(&state);
	XXH3_64bits_reset(&state);
	for (unsigned i = 0; i < b->plan.n_buffers; i++)
		if (b->plan.buffers[i].in < 0)
			hash_image(b, i, b->buffer[i].after, &state);
	return XXH3_64bits_digest(&state);
}

/* The case file's bytes identify the case. Kernel arguments hold addresses, which differ in each
 * process. */
void mx_bench_identity(const struct mx_bench *b, uint64_t *setup, uint64_t *code) {
	XXH3_state_t state;
	uint64_t file = mx_hash_file(b->plan.c->path, 0);
	XXH3_INITSTATE(&state);
	XXH3_64bits_reset_withSeed(&state, file);
	XXH3_64bits_update(&state, b->plan.name, strlen(b->plan.name));
	XXH3_64bits_update(&state, b->device->name, strlen(b->device->name));
	XXH3_64bits_update(&state, &b->vary, sizeof b->vary);
	XXH3_64bits_update(&state, &b->plan.n_tiles, sizeof b->plan.n_tiles);
	if (b->plan.c->profile)
		XXH3_64bits_update(&state, b->plan.c->profile, strlen(b->plan.c->profile));
	XXH3_64bits_update(&state, &b->arithmetic.hash, sizeof b->arithmetic.hash);
	for (unsigned i = 0; i < b->plan.n_buffers; i++)
		hash_image(b, i, b->buffer[i].before, &state);
	*setup = XXH3_64bits_digest(&state);
	*code = mx_bench_codes_hash(b);
}

uint64_t mx_bench_codes_hash(const struct mx_bench *b) {
	uint64_t h = b->step[0].code_hash;
	for (unsigned i = 1; i < b->plan.n_steps; i++)
		h = XXH3_64bits_withSeed(&b->step[i].code_hash, sizeof h, h);
	return h;
}

char *mx_bench_codes(const struct mx_bench *b) {
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);
	for (unsigned i = 0; f && i < b->plan.n_steps; i++)
		fprintf(f, "%s%s", i ? "\n" : "", b->step[i].code);
	return f && !fclose(f) ? text : NULL;
}

static int load_steps(struct mx_bench *b, const char *const *code, struct mx_error *err) {
	struct mx_why why;
	for (unsigned i = 0; i < b->plan.n_steps; i++) {
		struct bench_step *s = &b->step[i];
		snprintf(s->code, sizeof s->code, "%s", code[i]);
		if (mx_module_load(b->device, s->code, b->plan.steps[i].kernel, &s->module, &why))
			return mx_fail(err, "%s", why.text);
		s->code_hash = mx_hash_file(s->code, 0);
	}
	return 0;
}

static int make(struct mx_bench *b, const char *const *code, uint64_t data_seed,
                struct mx_error *err) {
	if (load_steps(b, code, err))
		return -1;
	if (mx_data_make(&b->plan, data_seed, &b->data, err) ||
	    mx_epilogue_make(&b->plan, &b->data, &b->epilogue, err))
		return -1;
	return make_buffers(b, err) || place_pointers(b, err) ? -1 : make_kernarg(b, err);
}

static struct mxhipLaunchOptions options_of(const struct mx_plan *plan, const struct mx_device *d) {
	return (struct mxhipLaunchOptions){
		.size = sizeof(struct mxhipLaunchOptions),
		.threads = d->threads,
		.scratch_apart = !!(plan->c->assume & MX_ASSUME_SCRATCH_APART),
		.threadgroup_split = !!(plan->c->assume & MX_ASSUME_THREADGROUP_SPLIT),
		.soffset_unchecked = !!(plan->c->assume & MX_ASSUME_SOFFSET_UNCHECKED),
	};
}

/* A real device runs whole grids. */
static int choose_workgroups(struct mx_bench *b, struct mx_error *err) {
	size_t n = 0;
	if (!b->plan.n_tiles)
		return 0;
	if (!b->device->emu)
		return mx_fail(err, "%s: only the emulator runs some of the workgroups",
		               b->plan.name);
	b->workgroups = mx_tiles_workgroups(&b->plan, &n);
	b->options.workgroups = b->workgroups;
	b->options.n_workgroups = n;
	return b->workgroups ? 0 : mx_fail(err, "%s: out of memory", b->plan.name);
}

int mx_bench_make_from(const struct mx_plan *plan, struct mx_device *d, const char *const *code,
                       uint64_t data_seed, struct mx_bench **bench, struct mx_error *err) {
	struct mx_bench *b = calloc(1, sizeof *b);
	struct mx_why why;
	if (!b)
		return mx_fail(err, "out of memory");
	if (mx_device_follow(d, code[0], &why)) {
		free(b);
		return mx_fail(err, "%s", why.text);
	}
	b->plan = *plan;
	b->device = d;
	b->data_seed = data_seed;
	b->most_work = MX_MOST_WORK;
	b->snr_work = MX_SNR_WORK;
	b->options = options_of(plan, d);
	if (mx_arithmetic_make(plan, &b->arithmetic, err)) {
		free(b);
		return -1;
	}
	mx_arithmetic_set(&b->arithmetic, &b->options);
	if (d->emu && d->emu->set_launch_options(&b->options)) {
		mx_no_profile(plan->c->path, b->arithmetic.profile, err);
		mx_arithmetic_free(&b->arithmetic);
		free(b);
		return -1;
	}
	if (choose_workgroups(b, err) || make(b, code, data_seed, err)) {
		mx_bench_free(b);
		return -1;
	}
	*bench = b;
	return 0;
}

/* The code object of a step: `co`, if it is for this step, else that of the case. */
static int find_code(const struct mx_plan *plan, const char *co, const char *kernel_dir,
                     unsigned step, char path[4096], struct mx_error *err) {
	bool only = plan->n_steps == 1;
	if (co && (only || mx_file_has_kernel(co, plan->steps[step].kernel)))
		return snprintf(path, 4096, "%s", co), 1;
	return mx_case_code(plan->c, plan->variant, step, kernel_dir, path, err);
}

int mx_bench_make(const struct mx_plan *plan, struct mx_device *d, const char *co,
                  const char *kernel_dir, uint64_t data_seed, struct mx_bench **bench,
                  struct mx_error *err) {
	char path[MX_MAX_STEPS][4096];
	const char *code[MX_MAX_STEPS];
	bool used = !co;
	for (unsigned i = 0; i < plan->n_steps; i++) {
		int status = find_code(plan, co, kernel_dir, i, path[i], err);
		if (status < 0)
			return -1;
		used |= status > 0;
		code[i] = path[i];
	}
	if (!used)
		return mx_fail(err, "%s: it cannot be read, or has no kernel of the steps of %s",
		               co, plan->c->path);
	return mx_bench_make_from(plan, d, code, data_seed, bench, err);
}

void mx_bench_free(struct mx_bench *b) {
	if (!b)
		return;
	for (unsigned i = 0; i < b->plan.n_buffers; i++) {
		if (b->plan.buffers[i].in >= 0)
			continue;
		free_images(b, i);
		free(b->buffer[i].poisoned);
		mx_unwritten_free(b, i);
		if (b->buffer[i].device)
			mx_device_free(b->device, b->buffer[i].device);
	}
	mx_corunners_free(b->around.corunners);
	if (b->device->emu) /* the options of this thread point into the bench */
		b->device->emu->set_launch_options(NULL);
	for (unsigned i = 0; i < b->plan.n_steps; i++) {
		mx_module_unload(b->step[i].module);
		free(b->step[i].kernarg);
		mx_report_free(&b->step[i].report);
	}
	mx_epilogue_free(b->epilogue);
	mx_arithmetic_free(&b->arithmetic);
	mx_data_free(&b->data);
	free(b->workgroups);
	free(b->expected);
	free(b->range);
	free(b->dequantised);
	free(b->unquantised);
	free(b->maps);
	free(b);
}

/* ---- variation ---- */

int mx_bench_vary(struct mx_bench *b, struct mx_vary *vary, const char *kernel_dir,
                  struct mx_error *err) {
	struct mx_why why;
	mx_corunners_free(b->around.corunners);
	b->around.corunners = NULL;
	b->vary = (struct mx_vary){ 0 };
	if (!vary)
		return 0;
	mx_vary_settle(vary, b->device);
	if (mx_corunners_make(b->device, vary, kernel_dir, &b->around.corunners, &why))
		return mx_fail(err, "--vary: %s", why.text);
	b->vary = *vary;
	return 0;
}

void mx_bench_variation(const struct mx_bench *b, uint64_t schedule, char *text, size_t room) {
	struct mx_variation x = mx_variation_of(&b->vary, schedule);
	mx_variation_text(&b->vary, &x, text, room);
}

void mx_bench_time_out(struct mx_bench *b, double seconds) {
	b->around.time_out = seconds;
	b->options.time_limit = seconds;
}

/* ---- launches ---- */

struct marking {
	const struct mx_emu *emu;
	uint8_t *start;
};

static void mark(void *context, size_t from, size_t bytes, bool guard) {
	struct marking *m = context;
	m->emu->mark(m->start + from, bytes, guard ? MX_GUARD : 0);
}

/* Ranges in order; `all` NULL: only their number. */
struct stretches {
	struct bench_stretch *all, last;
	size_t n;
};

/* A range may continue the one before it. */
static void add_stretch(void *context, size_t from, size_t bytes, bool guard) {
	struct stretches *x = context;
	bool joins = x->n && x->last.guard == guard && x->last.from + x->last.bytes == from;
	if (!joins)
		x->n++;
	x->last = joins ? (struct bench_stretch){ x->last.from, x->last.bytes + bytes, guard }
	                : (struct bench_stretch){ from, bytes, guard };
	if (x->all)
		x->all[x->n - 1] = x->last;
}

/* The emulator poisons a buffer of which nothing is filled, and its states. */
static bool poisons(const struct mx_bench *b, unsigned i) {
	return shares_memory(b) && mx_buffer_is_poison(&b->plan, i);
}

enum { POISONED_AT_ONCE = 1 << 22 }; /* bytes that are worth a thread */

static void poison_some(void *context, size_t from, size_t to) {
	const struct marking *m = context;
	m->emu->poison(m->start + from, to - from, MX_POISON);
}

/* The ranges are the same in each run, and those of a padded or packed buffer take long to find. */
static bool mark_poisoned(struct mx_bench *b, unsigned i) {
	struct bench_buffer *x = &b->buffer[i];
	struct marking m = { b->device->emu, x->device };
	struct stretches found = { 0 };
	if (!x->poisoned) {
		mx_poisoned(&b->plan, i, add_stretch, &found);
		x->n_poisoned = found.n;
		found.n = 0;
		found.all = x->poisoned = malloc((x->n_poisoned + 1) * sizeof *x->poisoned);
		if (!found.all)
			return false;
		mx_poisoned(&b->plan, i, add_stretch, &found);
	}
	bool only_guards = poisons(b, i);
	for (size_t k = 0; k < x->n_poisoned; k++)
		if (x->poisoned[k].guard || !only_guards)
			mark(&m, x->poisoned[k].from, x->poisoned[k].bytes, x->poisoned[k].guard);
	return true;
}

/* A transfer of what tiles use of a buffer. */
struct transfer {
	struct mx_bench *b;
	unsigned i;
	bool to_device;
	int status;
	struct mx_why why;
};

static void transfer(struct transfer *t, size_t from, size_t bytes) {
	const struct bench_buffer *x = &t->b->buffer[t->i];
	uint8_t *device = (uint8_t *)x->device + from;
	if (t->status)
		return;
	t->status =
		t->to_device
			? mx_device_upload(t->b->device, device, x->before + from, bytes, &t->why)
			: mx_device_download(t->b->device, x->after + from, device, bytes, &t->why);
}

static void transfer_used(void *context, size_t from, size_t bytes) {
	struct transfer *t = context;
	const struct mx_plan *p = &t->b->plan;
	from += p->buffers[t->i].guard;
	transfer(t, from, bytes);
	if (t->to_device && !mx_buffer_is_filled(p, &p->buffers[t->i]))
		t->b->device->emu->mark((uint8_t *)t->b->buffer[t->i].device + from, bytes, 0);
}

static int transfer_tiles(struct mx_bench *b, unsigned i, bool to_device, struct mx_error *err) {
	const struct mx_buffer *s = &b->plan.buffers[i];
	struct transfer t = { .b = b, .i = i, .to_device = to_device };
	uint8_t *device = b->buffer[i].device;
	transfer(&t, 0, s->guard);
	transfer(&t, s->guard + s->bytes, s->guard);
	mx_tiles_bytes(&b->plan, i, transfer_used, &t);
	if (to_device) {
		b->device->emu->mark(device, s->guard, MX_GUARD);
		b->device->emu->mark(device + s->guard + s->bytes, s->guard, MX_GUARD);
	}
	return t.status ? mx_fail(err, "%s: %s", b->plan.name, t.why.text) : 0;
}

/* That of the emulator, in a hunt; 0: not known. */
static uint64_t version_of(const struct mx_bench *b, unsigned i) {
	const struct mx_emu *emu = b->device->emu;
	return emu && b->options.repeats ? emu->version(b->buffer[i].device, b->buffer[i].bytes)
	                                 : 0;
}

/* Whether no run has changed the buffer since its upload. */
static bool is_fresh(const struct mx_bench *b, unsigned i) {
	return b->buffer[i].fresh && b->buffer[i].fresh == version_of(b, i);
}

static int upload(struct mx_bench *b, struct mx_error *err) {
	struct mx_why why;
	for (unsigned i = 0; i < b->plan.n_buffers; i++) {
		struct bench_buffer *buffer = &b->buffer[i];
		if (b->plan.buffers[i].in >= 0)
			continue;
		if (mx_tiles_divide(&b->plan, i)) {
			if (transfer_tiles(b, i, true, err))
				return -1;
			continue;
		}
		if (is_fresh(b, i))
			continue;
		if (poisons(b, i))
			exact_parallel(b->device->threads, buffer->bytes, POISONED_AT_ONCE,
			               poison_some,
			               &(struct marking){ b->device->emu, buffer->device });
		else if (mx_device_upload(b->device, buffer->device, buffer->before, buffer->bytes,
		                          &why))
			return mx_fail(err, "%s: %s", b->plan.name, why.text);
		if (b->device->emu && !mark_poisoned(b, i))
			return mx_fail(err, "out of memory");
		buffer->fresh = version_of(b, i);
	}
	return 0;
}

static int download(struct mx_bench *b, struct mx_error *err) {
	struct mx_why why;
	for (unsigned i = 0; i < b->plan.n_buffers && !shares_memory(b); i++) {
		struct bench_buffer *buffer = &b->buffer[i];
		if (b->plan.buffers[i].in >= 0)
			continue;
		if (mx_tiles_divide(&b->plan, i)) {
			if (transfer_tiles(b, i, false, err))
				return -1;
		} else if (mx_device_download(b->device, buffer->after, buffer->device,
		                              buffer->bytes, &why))
			return mx_fail(err, "%s: %s", b->plan.name, why.text);
	}
	return 0;
}

bool mx_bench_is_unchanged(const struct mx_bench *b, unsigned i) {
	return is_fresh(b, i);
}

static double now(clockid_t clock) {
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Sets the emulator's options for a step. Steps have the schedule of one seed. */
static void begin_step(void *context, unsigned step) {
	struct mx_bench *b = context;
	b->running = step;
	b->options.launch = step;
	b->options.report = &b->step[step].report;
	b->options.coverage = b->coverage ? &b->coverage[step] : NULL;
	if (b->device->emu)
		b->device->emu->set_launch_options(&b->options);
}

static int launch_all(struct mx_bench *b, struct mx_why *why) {
	struct mx_work work[MX_MAX_STEPS];
	for (unsigned i = 0; i < b->plan.n_steps; i++) {
		const struct mx_step_plan *p = &b->plan.steps[i];
		work[i] = (struct mx_work){
			.module = b->step[i].module,
			.geometry = { { p->grid[0], p->grid[1], p->grid[2] },
			              { p->block[0], p->block[1], p->block[2] },
			              p->lds,
			              { p->cluster[0], p->cluster[1], p->cluster[2] } },
			.kernarg = b->step[i].kernarg,
			.bytes = p->kernarg_bytes,
		};
		mx_report_free(&b->step[i].report);
	}
	b->around.before = begin_step;
	b->around.context = b;
	begin_step(b, 0); /* of corunners, too */
	return mx_sequence_launch(work, b->plan.n_steps, &b->around, why);
}

int mx_bench_run(struct mx_bench *b, uint64_t schedule, struct mx_run_result *r,
                 struct mx_error *err) {
	const struct mx_plan *p = &b->plan;
	struct mx_why why;
	*r = (struct mx_run_result){ .schedule = schedule };
	if (upload(b, err))
		return -1;
	b->around.seed = b->options.seed = schedule;
	double start = now(CLOCK_MONOTONIC), processor = now(CLOCK_PROCESS_CPUTIME_ID);
	int status = launch_all(b, &why);
	r->seconds = now(CLOCK_MONOTONIC) - start;
	r->processor = now(CLOCK_PROCESS_CPUTIME_ID) - processor;
	if (status < 0)
		return mx_fail(err, "%s: %s", p->name, why.text);
	r->failed = status != MX_LAUNCH_DONE;
	r->late = status == MX_LAUNCH_LATE;
	snprintf(r->failure, sizeof r->failure, "%s", r->failed ? why.text : "");
	return r->failed ? 0 : download(b, err);
}
