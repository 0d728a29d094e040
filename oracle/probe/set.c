/* The folder of emitted dots: manifest and .npy files, written and read. */
#include "set.h"
#include "../../cases/files.h"
#include "../../cases/npy.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FORMAT "mxcheck probe 1"
enum { MOST_MANIFEST = 1 << 24 };

/* ---- names ---- */

static void block_name(char name[PATH_MAX], const struct mx_probe_insn *insn, unsigned block) {
	if (block)
		snprintf(name, PATH_MAX, "%s/random-%u", insn->name, block - 1);
	else
		snprintf(name, PATH_MAX, "%s/questions", insn->name);
}

size_t mx_probe_block_dots(unsigned block, size_t questions, uint64_t dots, uint64_t *first) {
	*first = block ? (uint64_t)(block - 1) * MX_PROBE_BLOCK_DOTS : 0;
	uint64_t left = dots - *first;
	return !block ? questions : left < MX_PROBE_BLOCK_DOTS ? left : MX_PROBE_BLOCK_DOTS;
}

/* ---- writing: one array a file ---- */

static unsigned bytes_of(const struct mx_format_info *t) {
	return t->bits <= 8 ? 1 : t->bits <= 16 ? 2 : t->bits <= 32 ? 4 : 8;
}

/* TF32 is the upper bits of an f32. */
static uint64_t as_stored(const struct mx_format_info *t, uint64_t code) {
	return t->bits == 19 ? code << 13 : code;
}

struct arrays {
	struct mx_npy a, b, c, sa, sb;
};

static struct mx_npy array(unsigned bytes, size_t rows, size_t cols) {
	struct mx_npy x = {
		'u', bytes, cols ? 2 : 1, { rows, cols }, rows * (cols ? cols : 1), NULL
	};
	x.data = malloc(x.count * bytes + 1);
	return x;
}

static void free_arrays(struct arrays *x) {
	free(x->a.data), free(x->b.data), free(x->c.data), free(x->sa.data), free(x->sb.data);
}

static void store(struct mx_npy *x, size_t at, uint64_t value) {
	memcpy((uint8_t *)x->data + at * x->bytes, &value, x->bytes); /* little-endian */
}

static void store_dot(const struct mx_probe_insn *insn, struct arrays *x, size_t row,
                      const struct mx_probe_dot *d) {
	for (unsigned k = 0; k < insn->k; k++) {
		store(&x->a, row * insn->k + k, as_stored(insn->a, d->a[k]));
		store(&x->b, row * insn->k + k, as_stored(insn->b, d->b[k]));
	}
	for (unsigned i = 0; i < x->sa.shape[1]; i++) {
		store(&x->sa, row * x->sa.shape[1] + i, d->sa[i]);
		store(&x->sb, row * x->sb.shape[1] + i, d->sb[i]);
	}
	store(&x->c, row, d->c);
}

static int write_arrays(const char *folder, const char *name, const struct mx_probe_insn *insn,
                        struct arrays *x, struct mx_error *err) {
	const struct {
		const char *suffix;
		const struct mx_npy *array;
	} files[] = {
		{ "a", &x->a }, { "b", &x->b }, { "c", &x->c }, { "sa", &x->sa }, { "sb", &x->sb }
	};
	int status = 0;
	for (unsigned i = 0; !status && i < (insn->scaled ? 5 : 3); i++) {
		char path[PATH_MAX + 16];
		if (snprintf(path, sizeof path, "%s/%s.%s.npy", folder, name, files[i].suffix) >=
		    PATH_MAX)
			return mx_fail(err, "%s: too long", folder);
		status = mx_npy_write(&(struct mx_npy_file){ path, files[i].array }, 1, err);
	}
	return status;
}

/* questions: NULL for random dots. */
static int write_block(const char *folder, const struct mx_probe_insn *insn, unsigned block,
                       const struct mx_probe_dot *questions, size_t n, uint64_t seed,
                       uint64_t first, struct mx_error *err) {
	char name[PATH_MAX];
	unsigned blocks = insn->k / MX_BLOCK;
	struct arrays x = { array(bytes_of(insn->a), n, insn->k),
		            array(bytes_of(insn->b), n, insn->k),
		            array(mx_probe_result_bytes(insn), n, 0),
		            array(1, n, insn->scaled ? blocks : 0),
		            array(1, n, insn->scaled ? blocks : 0) };
	int status = x.a.data && x.b.data && x.c.data && x.sa.data && x.sb.data
	                     ? 0
	                     : mx_fail(err, "out of memory");
	struct mx_probe_dot d;
	block_name(name, insn, block);
	for (size_t i = 0; !status && i < n; i++) {
		if (!questions)
			mx_probe_random(insn, seed, first + i, &d);
		store_dot(insn, &x, i, questions ? &questions[i] : &d);
	}
	if (!status)
		status = write_arrays(folder, name, insn, &x, err);
	free_arrays(&x);
	return status;
}

/* ---- the manifest ---- */

static json_t *block_row(const struct mx_probe_insn *insn, unsigned block, size_t dots,
                         uint64_t first) {
	char name[PATH_MAX];
	block_name(name, insn, block);
	return block ? json_pack("{s:s, s:I, s:I}", "path", name, "dots", (json_int_t)dots, "first",
	                         (json_int_t)first)
	             : json_pack("{s:s, s:I}", "path", name, "dots", (json_int_t)dots);
}

/* {"SUM": 98, "ORDER": 448, ...} */
static json_t *question_counts(const struct mx_probe_dot *dots, size_t n) {
	json_t *counts = json_object();
	for (size_t i = 0, first = 0; i < n; i++)
		if (i + 1 == n || dots[i + 1].question != dots[i].question) {
			json_object_set_new(counts, mx_question_name(dots[i].question),
			                    json_integer((json_int_t)(i + 1 - first)));
			first = i + 1;
		}
	return counts;
}

static json_t *insn_row(const struct mx_probe_insn *insn, json_t *questions, json_t *blocks,
                        uint64_t dots) {
	return json_pack("{s:s, s:i, s:s, s:s, s:b, s:o, s:I, s:o}", "name", insn->name, "k",
	                 (int)insn->k, "a", insn->a->name, "b", insn->b->name, "scaled",
	                 insn->scaled, "questions", questions, "random", (json_int_t)dots, "blocks",
	                 blocks);
}

static int write_manifest(const char *folder, uint64_t seed, json_t *insns, struct mx_error *err) {
	char path[PATH_MAX];
	json_t *all = json_pack("{s:s, s:I, s:O}", "format", FORMAT, "seed", (json_int_t)seed,
	                        "instructions", insns);
	char *text = all ? json_dumps(all, JSON_INDENT(1)) : NULL;
	snprintf(path, sizeof path, "%s/manifest.json", folder);
	int status =
		text ? mx_files_write(
			       &(struct mx_file){ path, { { text, strlen(text) }, { "\n", 1 } } },
			       1, err)
		     : mx_fail(err, "out of memory");
	free(text);
	json_decref(all);
	return status;
}

static int emit_insn(const char *folder, const struct mx_probe_plan *p,
                     const struct mx_probe_insn *insn, json_t *insns, struct mx_error *err) {
	char path[PATH_MAX];
	size_t questions;
	struct mx_probe_dot *dots = mx_probe_questions(insn, &questions);
	json_t *blocks = json_array();
	int status = dots ? 0 : mx_fail(err, "out of memory");
	if (snprintf(path, sizeof path, "%s/%s", folder, insn->name) >= PATH_MAX ||
	    (mkdir(path, 0777) && errno != EEXIST))
		status = mx_fail(err, "%s: %s", path, strerror(errno));
	for (unsigned block = 0; !status && block <= mx_probe_blocks(p->dots); block++) {
		uint64_t first;
		size_t n = mx_probe_block_dots(block, questions, p->dots, &first);
		json_array_append_new(blocks, block_row(insn, block, n, first));
		if (!block || !p->bare)
			status = write_block(folder, insn, block, block ? NULL : dots, n, p->seed,
			                     first, err);
	}
	json_array_append_new(insns, insn_row(insn, question_counts(dots, dots ? questions : 0),
	                                      blocks, p->dots));
	free(dots);
	return status;
}

bool mx_probe_is_selected(const char *patterns, const char *name) {
	char *copy = strdup(patterns), *rest = copy, *one;
	bool selected = false;
	while (copy && (one = strsep(&rest, ",")))
		selected |= !fnmatch(one, name, 0);
	free(copy);
	return selected;
}

static bool names_one(const char *pattern, bool gfx950) {
	struct mx_probe_insn insn;
	for (size_t i = 0; mx_probe_insn_at(i, &insn); i++)
		if ((insn.gfx950 || !gfx950) && !fnmatch(pattern, insn.name, 0))
			return true;
	return false;
}

int mx_probe_check_patterns(const char *patterns, bool gfx950, struct mx_error *err) {
	char *copy = strdup(patterns), *rest = copy, *one;
	int status = copy ? 0 : mx_fail(err, "out of memory");
	while (!status && (one = strsep(&rest, ",")))
		if (!names_one(one, gfx950))
			status = mx_fail(err, "no instruction%s is called '%s'",
			                 gfx950 ? " of gfx950" : "", one);
	free(copy);
	return status;
}

/* Results in the folder belong to its dots. */
static int make_folder(const char *folder, struct mx_error *err) {
	char path[PATH_MAX];
	if (mkdir(folder, 0777) && errno != EEXIST)
		return mx_fail(err, "%s: %s", folder, strerror(errno));
	snprintf(path, sizeof path, "%s/manifest.json", folder);
	return access(path, F_OK) ? 0 : mx_fail(err, "%s: exists; give an empty folder", path);
}

static uint64_t bytes_of_dot(const struct mx_probe_insn *insn) {
	unsigned scales = insn->scaled ? 2 * (insn->k / MX_BLOCK) : 0;
	return insn->k * (bytes_of(insn->a) + bytes_of(insn->b)) + scales +
	       mx_probe_result_bytes(insn);
}

static int count(const char *folder, const struct mx_probe_plan *p, mx_probe_begin *begin,
                 struct mx_error *err) {
	struct mx_probe_insn insn;
	uint64_t bytes = 0;
	size_t n = 0;
	for (size_t i = 0; mx_probe_insn_at(i, &insn); i++) {
		size_t questions;
		if (!mx_probe_is_selected(p->insns, insn.name))
			continue;
		struct mx_probe_dot *dots = mx_probe_questions(&insn, &questions);
		if (!dots)
			return mx_fail(err, "out of memory");
		free(dots);
		bytes += (questions + (p->bare ? 0 : p->dots)) * bytes_of_dot(&insn);
		n++;
	}
	begin(folder, n, bytes);
	return 0;
}

int mx_probe_emit(const char *folder, const struct mx_probe_plan *p, mx_probe_begin *begin,
                  struct mx_error *err) {
	struct mx_probe_insn insn;
	json_t *insns = json_array();
	int status = make_folder(folder, err);
	if (!status)
		status = count(folder, p, begin, err);
	for (size_t i = 0; !status && mx_probe_insn_at(i, &insn); i++)
		if (mx_probe_is_selected(p->insns, insn.name))
			status = emit_insn(folder, p, &insn, insns, err);
	if (!status)
		status = write_manifest(folder, p->seed, insns, err);
	json_decref(insns);
	return status;
}

/* ---- reading ---- */

static json_t *read_json(const char *folder, const char *name, struct mx_error *err) {
	char path[PATH_MAX];
	uint8_t *bytes;
	size_t n;
	json_error_t why;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	if (mx_file_read(path, MOST_MANIFEST, &bytes, &n, err))
		return NULL;
	json_t *j = json_loadb((const char *)bytes, n, 0, &why);
	if (!j)
		mx_fail(err, "%s:%d: %s", path, why.line, why.text);
	free(bytes);
	return j;
}

static bool find_insn(const char *name, struct mx_probe_insn *insn) {
	for (size_t i = 0; name && mx_probe_insn_at(i, insn); i++)
		if (!strcmp(insn->name, name))
			return true;
	return false;
}

static int read_entry(const json_t *row, struct mx_probe_entry *e, struct mx_error *err) {
	const char *name;
	json_int_t dots;
	const json_t *questions;
	json_error_t why;
	if (json_unpack_ex((json_t *)row, &why, 0, "{s:s, s:I, s:o}", "name", &name, "random",
	                   &dots, "questions", &questions))
		return mx_fail(err, "manifest.json: an instruction: %s", why.text);
	if (!find_insn(name, &e->insn))
		return mx_fail(err, "manifest.json: no instruction is called '%s'", name);
	if (dots < 0 || dots > INT64_C(1) << 40)
		return mx_fail(err, "manifest.json: %s: bad number of random dots", name);
	e->dots = (uint64_t)dots;
	for (unsigned i = 0; i < MX_QUESTIONS; i++)
		e->of_question[i] =
			(size_t)json_integer_value(json_object_get(questions, mx_question_name(i)));
	return 0;
}

static int read_entries(const json_t *manifest, struct mx_probe_set *s, struct mx_error *err) {
	const json_t *insns = json_object_get(manifest, "instructions");
	const json_t *seed = json_object_get(manifest, "seed");
	const char *format = json_string_value(json_object_get(manifest, "format"));
	if (!format || strcmp(format, FORMAT))
		return mx_fail(err, "%s/manifest.json: its format is not \"" FORMAT "\"",
		               s->folder);
	if (!json_is_integer(seed) || !json_is_array(insns))
		return mx_fail(err, "%s/manifest.json: no seed, or no instructions", s->folder);
	s->seed = (uint64_t)json_integer_value(seed);
	if (!(s->entry = calloc(json_array_size(insns) + 1, sizeof *s->entry)))
		return mx_fail(err, "out of memory");
	for (; s->n < json_array_size(insns); s->n++)
		if (read_entry(json_array_get(insns, s->n), &s->entry[s->n], err))
			return -1;
	return 0;
}

static void copy_text(const json_t *from, const char *key, char to[MX_PROBE_TEXT]) {
	const char *text = json_string_value(json_object_get(from, key));
	snprintf(to, MX_PROBE_TEXT, "%s", text ? text : "");
}

/* device.json, if there is one. */
static int read_device(struct mx_probe_set *s, struct mx_error *err) {
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/device.json", s->folder);
	if (access(path, F_OK))
		return 0;
	json_t *device = read_json(s->folder, "device.json", err);
	if (!device)
		return -1;
	copy_text(device, "device", s->device);
	copy_text(device, "driver", s->driver);
	copy_text(device, "date", s->date);
	json_decref(device);
	return 0;
}

int mx_probe_open(const char *folder, struct mx_probe_set *s, struct mx_error *err) {
	*s = (struct mx_probe_set){ .folder = folder };
	json_t *manifest = read_json(folder, "manifest.json", err);
	int status = manifest ? read_entries(manifest, s, err) : -1;
	json_decref(manifest);
	if (!status)
		status = read_device(s, err);
	if (status)
		mx_probe_close(s);
	return status;
}

void mx_probe_close(struct mx_probe_set *s) {
	free(s->entry);
	s->entry = NULL;
	s->n = 0;
}

/* One array of the questions, of n x cols numbers of `bytes`; *n is 0 before the first. */
static int read_array(const struct mx_probe_set *s, const struct mx_probe_insn *insn,
                      const char *which, unsigned bytes, size_t cols, size_t *n, struct mx_npy *x,
                      struct mx_error *err) {
	char path[2 * PATH_MAX];
	snprintf(path, sizeof path, "%s/%s/questions.%s.npy", s->folder, insn->name, which);
	if (mx_npy_read(path, x, err))
		return -1;
	*n = *n ? *n : x->count / cols;
	if (x->bytes == bytes && x->count == *n * cols && *n)
		return 0;
	return mx_fail(err, "%s: %zu numbers of %s, not %zu times %zu of %u bytes", path, x->count,
	               mx_npy_type(x), *n, cols, bytes);
}

static uint64_t stored(const struct mx_npy *x, size_t at) {
	uint64_t value = 0;
	memcpy(&value, (const uint8_t *)x->data + at * x->bytes, x->bytes);
	return value;
}

/* A code in the file, with the bits that its type has. */
static uint64_t code_at(const struct mx_format_info *t, const struct mx_npy *x, size_t at) {
	uint64_t code = stored(x, at);
	return (t->bits == 19 ? code >> 13 : code) & (UINT64_MAX >> (64 - t->bits));
}

static void take_dot(const struct mx_probe_insn *insn, const struct arrays *x, size_t row,
                     struct mx_probe_dot *d) {
	size_t blocks = insn->k / MX_BLOCK;
	for (unsigned k = 0; k < insn->k; k++) {
		d->a[k] = code_at(insn->a, &x->a, row * insn->k + k);
		d->b[k] = code_at(insn->b, &x->b, row * insn->k + k);
	}
	for (unsigned i = 0; i < MX_PROBE_BLOCKS; i++) {
		bool given = insn->scaled && i < blocks;
		d->sa[i] = given ? (uint8_t)stored(&x->sa, row * blocks + i) : 127;
		d->sb[i] = given ? (uint8_t)stored(&x->sb, row * blocks + i) : 127;
	}
	d->c = stored(&x->c, row);
}

static int read_arrays(const struct mx_probe_set *s, const struct mx_probe_insn *insn,
                       struct arrays *x, size_t *n, struct mx_error *err) {
	size_t blocks = insn->k / MX_BLOCK;
	*n = 0;
	int status = read_array(s, insn, "a", bytes_of(insn->a), insn->k, n, &x->a, err) ||
	             read_array(s, insn, "b", bytes_of(insn->b), insn->k, n, &x->b, err) ||
	             read_array(s, insn, "c", mx_probe_result_bytes(insn), 1, n, &x->c, err);
	if (!status && insn->scaled)
		status = read_array(s, insn, "sa", 1, blocks, n, &x->sa, err) ||
		         read_array(s, insn, "sb", 1, blocks, n, &x->sb, err);
	return status ? -1 : 0;
}

int mx_probe_read_questions(const struct mx_probe_set *s, const struct mx_probe_entry *e,
                            struct mx_probe_dot **dots, size_t *n, struct mx_error *err) {
	struct arrays x = { 0 };
	unsigned question = 0;
	int status = read_arrays(s, &e->insn, &x, n, err);
	*dots = status ? NULL : calloc(*n, sizeof **dots);
	if (!status && !*dots)
		status = mx_fail(err, "out of memory");
	for (size_t i = 0, left = e->of_question[0]; !status && i < *n; i++, left--) {
		while (!left && question < MX_QUESTION_MIXED)
			left = e->of_question[++question];
		take_dot(&e->insn, &x, i, &(*dots)[i]);
		(*dots)[i].question = (uint8_t)question;
	}
	free_arrays(&x);
	return status;
}

int mx_probe_results(const struct mx_probe_set *s, const struct mx_probe_entry *e, unsigned block,
                     size_t questions, uint64_t **d, uint64_t *first, size_t *n,
                     struct mx_error *err) {
	char name[PATH_MAX], path[2 * PATH_MAX];
	struct mx_npy a;
	block_name(name, &e->insn, block);
	snprintf(path, sizeof path, "%s/%s.d.npy", s->folder, name);
	*d = NULL;
	*n = mx_probe_block_dots(block, questions, e->dots, first);
	if (access(path, F_OK))
		return 1;
	if (mx_npy_read(path, &a, err))
		return -1;
	unsigned bytes = mx_probe_result_bytes(&e->insn);
	int status = 0;
	if (a.bytes != bytes || a.count != *n)
		status = mx_fail(err, "%s: %zu numbers of %s, it needs %zu of u%u", path, a.count,
		                 mx_npy_type(&a), *n, 8 * bytes);
	else if (!(*d = malloc((*n + 1) * sizeof **d)))
		status = mx_fail(err, "out of memory");
	for (size_t i = 0; !status && i < *n; i++)
		(*d)[i] = stored(&a, i);
	mx_npy_free(&a);
	return status;
}
