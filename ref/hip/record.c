/* Recording a watched launch as a case: DIR/PID-LAUNCH.yaml, which names the code object, and the
 * memory that the launch used before (PID-LAUNCH.B0.npy) and after it (PID-LAUNCH.B0.after.npy).
 * cases/README.md describes its keys. A buffer is an allocation that the launch accessed, and
 * that a pointer in its arguments or in another buffer reaches. A launch that a case cannot
 * describe is refused. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hostcall.h"
#include "watch.h"

enum {
	MOST_BUFFERS = 16,
	MOST_ARGUMENTS = 256,
	MOST_POINTERS = 1024,
	READ = 1,
	WRITE = 2 /* of mx_record.used */
};

struct mx_record {
	const struct mx_memory *memory;
	uint8_t *used; /* READ and WRITE of each region */
	size_t last;   /* the region of the last access */
	struct mx_observer observer;
};

/* ---- observing ---- */

/* The region of an address; m->n: there is none. */
static size_t region_of(const struct mx_memory *m, uint64_t address) {
	size_t low = 0, high = m->n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (m->regions[middle].base + m->regions[middle].size <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < m->n && address >= m->regions[low].base ? low : m->n;
}

static unsigned wants(void *context, const uint32_t workgroup[3], uint32_t wave) {
	(void)context, (void)workgroup, (void)wave;
	return MX_EVENT_MEMORY;
}

static void note_access(void *context, const struct mx_event *e) {
	struct mx_record *r = context;
	const struct mx_region *last = &r->memory->regions[r->last];
	if (e->address - last->base >= last->size)
		r->last = region_of(r->memory, e->address);
	if (r->last < r->memory->n)
		r->used[r->last] |= e->write ? WRITE : READ;
	else
		r->last = 0;
}

struct mx_record *mx_record_new(struct mx_launch *l) {
	struct mx_record *r = calloc(1, sizeof *r);
	if (!r)
		return NULL;
	r->memory = &l->memory;
	r->used = calloc(l->memory.n + 1, 1);
	r->observer = (struct mx_observer){ r, wants, note_access };
	if (!r->used) {
		free(r);
		return NULL;
	}
	l->observer = &r->observer;
	return r;
}

void mx_record_free(struct mx_record *r) {
	if (r)
		free(r->used);
	free(r);
}

/* ---- the case ---- */

struct writing {
	const struct mx_record *record;
	const struct mx_watched *w;
	const struct mx_replay *before;
	const char *folder;
	char stem[64];               /* of the names of its files */
	size_t buffer[MOST_BUFFERS]; /* their regions */
	unsigned n;
	FILE *file;
	char *why; /* it cannot be recorded: MX_RECORD_WHY bytes */
};

__attribute__((format(printf, 2, 3))) static bool refuse(struct writing *x, const char *format,
                                                         ...) {
	va_list list;
	va_start(list, format);
	vsnprintf(x->why, MX_RECORD_WHY, format, list);
	va_end(list);
	return false;
}

static const struct mx_region *region(const struct writing *x, size_t i) {
	return &x->record->memory->regions[i];
}

static bool is_at(const struct mx_region *r, const void *p) {
	return r->base == (uint64_t)(uintptr_t)p;
}

/* The buffer that has an address, or x->n. */
static unsigned buffer_of(const struct writing *x, uint64_t address) {
	unsigned i = 0;
	while (i < x->n && address - region(x, x->buffer[i])->base >= region(x, x->buffer[i])->size)
		i++;
	return i;
}

static bool choose_buffers(struct writing *x) {
	const struct mx_record *r = x->record;
	for (size_t i = 0; i < r->memory->n; i++) {
		const struct mx_region *at = region(x, i);
		if (!r->used[i] || mx_hip_is_internal(at->base) ||
		    is_at(at, x->w->function->module->image))
			continue;
		if (at->base == mx_device_heap_use().pool)
			return refuse(x, "it uses memory of malloc");
		if (x->n == MOST_BUFFERS)
			return refuse(x, "it uses more than %d allocations", MOST_BUFFERS);
		x->buffer[x->n++] = i;
	}
	return true;
}

/* ---- files ---- */

static FILE *open_file(struct writing *x, const char *end) {
	char path[4096];
	snprintf(path, sizeof path, "%s/%s%s", x->folder, x->stem, end);
	FILE *f = fopen(path, "wb");
	if (!f)
		refuse(x, "%s: %s", path, strerror(errno));
	return f;
}

static bool close_file(struct writing *x, FILE *f, bool ok) {
	ok &= !ferror(f);
	if (fclose(f) == 0 && ok)
		return true;
	return refuse(x, "%s: it cannot be written", x->folder);
}

/* A vector of bytes; its header has 128 bytes [NumPy, numpy/lib/format.py]. */
static bool write_bytes(struct writing *x, unsigned buffer, const char *which, const void *bytes) {
	uint64_t n = region(x, x->buffer[buffer])->size;
	char end[32], shape[96];
	snprintf(end, sizeof end, ".B%u%s.npy", buffer, which);
	FILE *f = open_file(x, end);
	if (!f)
		return false;
	snprintf(shape, sizeof shape,
	         "{'descr': '|u1', 'fortran_order': False, 'shape': (%" PRIu64 ",), }", n);
	fwrite("\x93NUMPY\1\0\x76\0", 1, 10, f);
	fprintf(f, "%-117s\n", shape);
	return close_file(x, f, fwrite(bytes, 1, n, f) == n);
}

/* ---- buffers ---- */

static bool all_are(const uint8_t *states, size_t n, uint8_t state) {
	for (size_t i = 0; i < n; i++)
		if ((states[i] & MX_WRITTEN) != state)
			return false;
	return true;
}

/* A buffer without a written byte before the launch begins as poison, unless the launch wrote only
 * a part of it: of an output that begins as poison each byte must be written. */
static bool print_buffer(struct writing *x, unsigned i) {
	const struct mx_region *r = region(x, x->buffer[i]);
	const uint8_t *bytes, *states;
	mx_replay_before(x->before, x->buffer[i], &bytes, &states);
	bool written = x->record->used[x->buffer[i]] & WRITE;
	bool poison =
		all_are(states, r->size, 0) && (!written || all_are(r->state, r->size, MX_WRITTEN));
	fprintf(x->file,
	        "  - {name: B%u, role: none, type: u8, rows: 1, cols: %" PRIu64 ", data: ", i,
	        r->size);
	if (poison)
		fputs("poison", x->file);
	else
		fprintf(x->file, "\"%s.B%u.npy\"", x->stem, i);
	if (written && !x->w->report->stopped)
		fprintf(x->file, ", expect: \"%s.B%u.after.npy\"", x->stem, i);
	fputs("}\n", x->file);
	if (!poison && !write_bytes(x, i, "", bytes))
		return false;
	return !written || x->w->report->stopped ||
	       write_bytes(x, i, ".after", (const void *)(uintptr_t)r->base);
}

static bool print_buffers(struct writing *x) {
	fputs("buffers:\n", x->file);
	for (unsigned i = 0; i < x->n; i++)
		if (!print_buffer(x, i))
			return false;
	if (!x->n)
		fputs("  - {name: NONE, role: none, type: u8, rows: 1, cols: 4, data: zero}\n",
		      x->file);
	return true;
}

/* ---- arguments ---- */

struct arguments {
	const uint8_t *bytes;
	unsigned n, reached; /* reached: bits of buffers */
};

static void print_number(struct writing *x, struct arguments *a, unsigned offset, unsigned size,
                         const char *name) {
	uint64_t value = 0;
	memcpy(&value, a->bytes + offset, size);
	fprintf(x->file, "  - {offset: %u, type: u%u, value: %" PRIu64 "}%s%s\n", offset, 8 * size,
	        value, *name ? " # " : "", name);
	a->n++;
}

/* A pointer into a buffer, or 8 bytes of numbers. Numbers of a case have 63 bits. */
static void print_word(struct writing *x, struct arguments *a, unsigned offset, const char *name) {
	uint64_t value;
	memcpy(&value, a->bytes + offset, 8);
	unsigned b = buffer_of(x, value);
	if (b < x->n) {
		uint64_t at = value - region(x, x->buffer[b])->base;
		char plus[32] = "";
		if (at)
			snprintf(plus, sizeof plus, " + %" PRIu64, at);
		fprintf(x->file, "  - {offset: %u, type: ptr, value: B%u%s}%s%s\n", offset, b, plus,
		        *name ? " # " : "", name);
		a->reached |= 1u << b;
		a->n++;
	} else if (value >> 63) {
		print_number(x, a, offset, 4, name);
		print_number(x, a, offset + 4, 4, "");
	} else
		print_number(x, a, offset, 8, name);
}

static void print_argument(struct writing *x, struct arguments *a, unsigned from, unsigned size,
                           const char *name) {
	for (unsigned step; size && a->n < MOST_ARGUMENTS; from += step, size -= step) {
		step = 8;
		while (step > size || from % step)
			step /= 2;
		if (step == 8)
			print_word(x, a, from, name);
		else
			print_number(x, a, from, step, name);
		name = "";
	}
}

/* The name, if a comment can have it. */
static const char *plain(const char *name) {
	for (const char *c = name; *c; c++)
		if (*c < ' ' || *c > '~')
			return "";
	return name;
}

static bool has_explicit(const struct mx_function *f) {
	for (size_t i = 0; i < f->n_args; i++)
		if (!f->args[i].hidden && f->args[i].size)
			return true;
	return !f->n_args && f->kernarg_bytes;
}

static bool print_arguments(struct writing *x, unsigned *reached) {
	const struct mx_function *f = x->w->function;
	struct arguments a = { (const uint8_t *)(uintptr_t)x->w->launch->kernarg, 0, 0 };
	fputs(has_explicit(f) ? "kernarg:\n" : "kernarg: []\n", x->file);
	for (size_t i = 0; i < f->n_args; i++) {
		const struct mx_kernel_arg *g = &f->args[i];
		if (g->hidden)
			continue;
		if ((uint64_t)g->offset + g->size > f->kernarg_bytes)
			return refuse(x, "its metadata have an argument past the end of all");
		print_argument(x, &a, g->offset, g->size, plain(g->name));
	}
	if (!f->n_args)
		print_argument(x, &a, 0, f->kernarg_bytes, "");
	*reached = a.reached;
	return a.n < MOST_ARGUMENTS || refuse(x, "its arguments are longer than a case can have");
}

/* ---- addresses in buffers ---- */

struct pointers {
	unsigned n, to[MOST_BUFFERS]; /* to: the buffers to which each buffer points, a bit each */
	bool written;                 /* the launch has written one */
};

static void print_pointer(struct writing *x, struct pointers *p, unsigned in, uint64_t at,
                          uint64_t value) {
	unsigned b = buffer_of(x, value);
	fprintf(x->file, "  - {in: B%u, at: %" PRIu64 ", value: B%u + %" PRIu64 "}\n", in, at, b,
	        value - region(x, x->buffer[b])->base);
	p->to[in] |= 1u << b;
	p->n++;
}

/* The buffers that can be reached from these. */
static unsigned closure(const struct writing *x, const struct pointers *p, unsigned reached) {
	unsigned before = 0;
	while (before != reached) {
		before = reached;
		for (unsigned i = 0; i < x->n; i++)
			if (reached & 1u << i)
				reached |= p->to[i];
	}
	return reached;
}

static void scan(struct writing *x, struct pointers *p, unsigned in) {
	const struct mx_region *r = region(x, x->buffer[in]);
	const uint8_t *bytes, *states, *after = (const uint8_t *)(uintptr_t)r->base;
	mx_replay_before(x->before, x->buffer[in], &bytes, &states);
	for (uint64_t at = 0; at + 8 <= r->size && p->n < MOST_POINTERS; at += 8) {
		uint64_t was, is;
		memcpy(&was, bytes + at, 8);
		memcpy(&is, after + at, 8);
		p->written |= is != was && buffer_of(x, is) < x->n;
		if (buffer_of(x, was) < x->n)
			print_pointer(x, p, in, at, was);
	}
}

/* Words that look like an address of a buffer count as one only if some buffer is reached in no
 * other way: numbers may look so, too. */
static bool print_pointers(struct writing *x, unsigned reached) {
	struct pointers p = { 0 };
	unsigned all = (1u << x->n) - 1;
	if (reached == all)
		return true;
	fputs("pointers:\n", x->file);
	for (unsigned i = 0; i < x->n; i++)
		scan(x, &p, i);
	if (closure(x, &p, reached) != all)
		return refuse(x, "it uses memory to which nothing points");
	if (p.n == MOST_POINTERS)
		return refuse(x, "its memory has more than %d addresses", MOST_POINTERS);
	return !p.written || refuse(x, "it writes addresses");
}

/* ---- the whole ---- */

/* Case names have no characters that shells or globs use. */
static void print_name(struct writing *x) {
	const char *name = x->w->function->name;
	fputs("name: ", x->file);
	for (size_t i = 0; name[i] && i < 130; i++) {
		bool letter =
			(name[i] >= 'a' && name[i] <= 'z') || (name[i] >= 'A' && name[i] <= 'Z');
		bool plain = letter || (name[i] >= '0' && name[i] <= '9');
		fputc(plain ? name[i] : '_', x->file);
	}
	fprintf(x->file, ".%" PRIu64 "\n", x->w->number);
}

static void print_launch(struct writing *x, const char *object) {
	const struct mx_launch *l = x->w->launch;
	fputs("# A launch that mxcheck exec recorded. cases/README.md describes each key.\n",
	      x->file);
	print_name(x);
	fprintf(x->file, "code: \"%s\"\nkernel: \"%s\"\n", object, x->w->function->name);
	fprintf(x->file, "grid: [%u, %u, %u]\nblock: [%u, %u, %u]\n", l->grid[0], l->grid[1],
	        l->grid[2], l->block[0], l->block[1], l->block[2]);
	if (l->cluster[0] > 1 || l->cluster[1] > 1 || l->cluster[2] > 1)
		fprintf(x->file, "cluster: [%u, %u, %u]\n", l->cluster[0], l->cluster[1],
		        l->cluster[2]);
	if (l->dynamic_lds)
		fprintf(x->file, "lds: %u\n", l->dynamic_lds);
}

/* How matrix instructions accumulate, as a case has it; or NULL. */
static const char *profile(void) {
	const char *own = getenv("MXHIP_RECORD_PROFILE"), *text = getenv("MXHIP_PROFILE");
	return own && *own ? own : text && *text ? text : NULL;
}

static bool has_list(void) {
	const char *text = profile();
	return text && text == getenv("MXHIP_PROFILE") && !mx_profile_by_name(text);
}

static void print_verdict(struct writing *x) {
	bool written = false;
	for (unsigned i = 0; i < x->n; i++)
		written |= x->record->used[x->buffer[i]] & WRITE;
	fprintf(x->file, "verdict: {judge: %s",
	        written && !x->w->report->stopped ? "expect" : "none");
	if (profile())
		fprintf(x->file, ", profile: \"%s\"", profile());
	fputs("}\nruns:\n  - {sizes: {SIZE: 1}, regime: general}\n", x->file);
}

/* The code object is loaded anew for a case. */
static bool code_is_as_loaded(const struct writing *x) {
	const struct ihipModule_t *m = x->w->function->module;
	const uint8_t *bytes, *states;
	size_t i = region_of(x->record->memory, (uint64_t)(uintptr_t)m->image);
	if (i == x->record->memory->n || !x->record->used[i])
		return true;
	mx_replay_before(x->before, i, &bytes, &states);
	return m->loaded && !memcmp(bytes, m->loaded, m->image_bytes);
}

static bool can_be_described(struct writing *x) {
	const uint32_t *partial = x->w->launch->partial;
	if (!x->before || !x->record)
		return refuse(x, "more than 1 GiB of memory");
	if (partial[0] || partial[1] || partial[2])
		return refuse(x, "the last workgroup of an axis has fewer work-items");
	if (x->w->launch->cooperative)
		return refuse(x, "a cooperative launch");
	if (has_list())
		return refuse(x, "MXHIP_PROFILE is a list, which a case cannot have");
	if (mx_replay_allocated(x->before))
		return refuse(x, "it uses malloc");
	if (!code_is_as_loaded(x))
		return refuse(x, "the program has set variables of the code object");
	return choose_buffers(x);
}

static bool write_case(struct writing *x, const char *object) {
	x->file = open_file(x, ".yaml");
	if (!x->file)
		return false;
	print_launch(x, object);
	unsigned reached = 0;
	bool ok = print_buffers(x) && print_arguments(x, &reached) && print_pointers(x, reached);
	print_verdict(x);
	return close_file(x, x->file, true) && ok;
}

static void remove_files(const struct writing *x) {
	char path[4096];
	snprintf(path, sizeof path, "%s/%s.yaml", x->folder, x->stem);
	unlink(path);
	for (unsigned i = 0; i < 2 * x->n; i++) {
		snprintf(path, sizeof path, "%s/%s.B%u%s.npy", x->folder, x->stem, i / 2,
		         i % 2 ? ".after" : "");
		unlink(path);
	}
}

bool mx_record_write(const struct mx_record *r, const struct mx_watched *w,
                     const struct mx_replay *before, const char *folder, char *why) {
	struct writing x = { .record = r, .w = w, .before = before, .folder = folder, .why = why };
	snprintf(x.stem, sizeof x.stem, "%ld-%" PRIu64, (long)getpid(), w->number);
	if (!can_be_described(&x))
		return false;
	const char *object = mx_watch_object(folder, w->function->module);
	if (!strcmp(object, "-"))
		return refuse(&x, "no code object");
	if (write_case(&x, object))
		return true;
	remove_files(&x);
	return false;
}
