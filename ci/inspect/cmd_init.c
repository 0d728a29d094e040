/* mxcheck init: a case file to start from, by the metadata of a code object and, for Triton, the
 * compile metadata beside it. */
#include "../../cases/schema.h"
#include "../cli/args.h"
#include "../cli/codefile.h"
#include "../cli/command.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
	"usage: mxcheck init FILE.co [KERNEL]\n"
	"\n"
	"Writes a case file for a kernel of a code object on standard output: kernel arguments by\n"
	"offset and type, work-group size, LDS. It runs as it is, with buffers of 4096 bytes and\n"
	"without a verdict on numbers; comments say what to fill in. Beside a Triton kernel,\n"
	"FILE.json gives dynamic LDS and the number of warps.\n"
	"\n"
	"  -h, --help         this text\n"
	"\n"
	"Exit status: 0; 2 usage or bad input.\n";

/* ---- the kernel ---- */

static void list_kernels(const struct mx_codeobject_kernels *all, char *text, size_t room) {
	size_t n = 0;
	text[0] = 0;
	for (size_t i = 0; i < all->n && n < room; i++)
		n += (size_t)snprintf(text + n, room - n, "%s%s", i ? ", " : "",
		                      all->kernel[i].name);
}

/* The kernel of the name, or the only one; NULL, with a message. */
static const struct mx_codeobject_kernel *choose(const struct mx_codefile *f, const char *path,
                                                 const char *name) {
	const struct mx_codeobject_kernels *all;
	struct mx_codeobject_error why;
	char list[1 << 12];
	if (mx_codeobject_kernels(f->object, &all, &why))
		return mx_complain("init", "%s: %s", path, why.text), NULL;
	if (!name && all->n == 1)
		return &all->kernel[0];
	for (size_t i = 0; name && i < all->n; i++)
		if (!strcmp(all->kernel[i].name, name))
			return &all->kernel[i];
	list_kernels(all, list, sizeof list);
	if (!all->n)
		mx_complain("init", "%s: no kernel", path);
	else if (name)
		mx_complain("init", "%s: no kernel %s; it has: %s", path, name, list);
	else
		mx_complain("init", "%s: %zu kernels, name one of: %s", path, all->n, list);
	return NULL;
}

/* ---- Triton's compile metadata: JSON is YAML ---- */

struct compiled {
	bool is_there;
	unsigned long lds, threads;
};

static unsigned long number_of(struct source *s, const char *key, unsigned long other) {
	const yaml_node_t *n = source_key(s, yaml_document_get_root_node(&s->document), key);
	unsigned long v;
	if (!n || n->type != YAML_SCALAR_NODE ||
	    !mx_parse_unsigned((char *)n->data.scalar.value, UINT32_MAX, &v))
		return other;
	return v;
}

/* FILE.json beside FILE.hsaco. A file that is no mapping with num_warps is not Triton's. */
static int read_json(const char *path, struct compiled *c, struct mx_error *err) {
	char json[4096];
	struct source s;
	const char *name = strrchr(path, '/') ? strrchr(path, '/') : path;
	const char *dot = strrchr(name, '.');
	*c = (struct compiled){ 0 };
	if (snprintf(json, sizeof json, "%.*s.json",
	             (int)((dot ? dot : path + strlen(path)) - path), path) >= (int)sizeof json ||
	    access(json, F_OK))
		return 0;
	if (source_open(&s, json, err))
		return -1;
	unsigned long warps = number_of(&s, "num_warps", 0);
	if (warps) {
		c->is_there = true;
		c->lds = number_of(&s, "shared", 0);
		c->threads = warps * number_of(&s, "warp_size", 64);
	}
	source_close(&s);
	return 0;
}

/* ---- arguments ---- */

static bool has_number_size(const struct mx_kernel_arg *a) {
	return a->size == 1 || a->size == 2 || a->size == 4 || a->size == 8;
}

/* Whether it becomes an entry of kernarg; a struct becomes a comment. */
static bool is_written(const struct mx_kernel_arg *a) {
	return !a->hidden && !mx_kernel_arg_is_filling(a) && (mx_kernel_arg_is_pointer(a) || has_number_size(a));
}

/* A name for expressions; numbered if the argument has none, or one that is taken. */
static void name_buffer(const struct mx_kernel_metadata *m, size_t i, char name[80]) {
	const struct mx_kernel_arg *a = &m->args[i];
	bool taken = !a->name[0] || isdigit((unsigned char)a->name[0]) ||
	             (strlen(a->name) == 1 && strchr("MNKGR", a->name[0]));
	for (size_t k = 0; k < i; k++)
		taken |= mx_kernel_arg_is_pointer(&m->args[k]) && !strcmp(m->args[k].name, a->name);
	snprintf(name, 80, taken ? "%s%zu" : "%s", taken ? "ARG" : a->name, i);
	for (char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '_';
}

static void print_buffers(const struct mx_kernel_metadata *m) {
	unsigned n = 0;
	char name[80];
	printf("# Fill in: role (a, a_scale, b, b_scale, c, none), type, rows and cols of each; "
	       "data.\n"
	       "buffers:\n");
	for (size_t i = 0; i < m->n_args; i++)
		if (mx_kernel_arg_is_pointer(&m->args[i])) {
			name_buffer(m, i, name);
			printf("  - {name: %s, role: none, type: u8, rows: 1, cols: 4096, data: "
			       "zero}\n",
			       name);
			n++;
		}
	if (!n)
		printf("  - {name: NONE, role: none, type: u8, rows: 1, cols: 4096, data: zero} # "
		       "no "
		       "pointer in the metadata\n");
}

static void print_argument(const struct mx_kernel_metadata *m, size_t i) {
	const struct mx_kernel_arg *a = &m->args[i];
	char name[80];
	name_buffer(m, i, name);
	if (mx_kernel_arg_is_pointer(a))
		printf("  - {offset: %u, type: ptr, value: %s}\n", a->offset, name);
	else if (a->size == 1 || a->size == 2)
		printf("  - {offset: %u, type: i%u, value: 0} # fill in: %s\n", a->offset,
		       8 * a->size, name);
	else if (a->size == 4 || a->size == 8)
		printf("  - {offset: %u, type: i%u, value: 0} # fill in: %s; or u%u, f%u\n",
		       a->offset, 8 * a->size, name, 8 * a->size, 8 * a->size);
	else
		printf("  # fill in: %s, %u bytes from offset %u (%s), member by member\n", name,
		       a->size, a->offset, a->kind);
}

/* The runtime fills in hidden arguments. */
static void print_kernarg(const struct mx_kernel_metadata *m) {
	uint32_t end = 0;
	bool any = false, hidden = false;
	for (size_t i = 0; i < m->n_args; i++) {
		hidden |= m->args[i].hidden;
		any |= is_written(&m->args[i]);
	}
	printf(any ? "kernarg:\n"
	           : "kernarg: [] # fill in: the metadata do not have the arguments one by one\n");
	for (size_t i = 0; i < m->n_args; i++) {
		const struct mx_kernel_arg *a = &m->args[i];
		if (a->hidden || mx_kernel_arg_is_filling(a))
			continue;
		print_argument(m, i);
		end = is_written(a) ? a->offset + a->size : end;
	}
	if (!hidden && m->kernarg_bytes > (end + 7) / 8 * 8)
		printf("kernarg_size: %u\n", m->kernarg_bytes);
}

/* ---- the file ---- */

static void print_grid(const struct mx_kernel_metadata *m) {
	const uint32_t *c = m->cluster;
	if (c[0])
		printf("grid: [%u, %u, %u] # fill in: workgroups, a whole number of the kernel's "
		       "clusters of %u x %u x %u\n",
		       c[0], c[1], c[2], c[0], c[1], c[2]);
	else
		printf("grid: [1] # fill in: workgroups, for instance [\"ceildiv(N, 128)\", "
		       "\"ceildiv(M, 128)\"]\n");
}

static void print_block(const struct mx_kernel_metadata *m, const struct compiled *c) {
	const uint32_t *need = m->required_workgroup;
	if (need[0])
		printf("block: [%u, %u, %u]\n", need[0], need[1], need[2]);
	else if (c->is_there)
		printf("block: [%lu] # num_warps of Triton\n", c->threads);
	else
		printf("block: [%u] # the most that the kernel allows\n",
		       m->max_workgroup ? m->max_workgroup : 256);
}

/* Case names have no characters that shells or globs use. */
static void print_name(const char *kernel) {
	printf("name: ");
	for (size_t i = 0; kernel[i] && i < 160; i++)
		putchar(isalnum((unsigned char)kernel[i]) || (i && kernel[i] == '.') ? kernel[i]
		                                                                     : '_');
	putchar('\n');
}

/* most: the LDS that a workgroup of the architecture can have. */
static void print_case(const char *path, const struct mx_kernel_metadata *m,
                       const struct compiled *c, uint32_t most) {
	const char *file = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	printf("# Written by mxcheck init. cases/README.md describes each key.\n");
	print_name(m->name);
	printf("code: \"%s\" # beside this file; --co names another\nkernel: \"%s\"\n", file,
	       m->name);
	print_grid(m);
	print_block(m, c);
	if (c->lds > m->lds_bytes)
		printf("lds: %lu # dynamic LDS: `shared` of Triton\n", c->lds - m->lds_bytes);
	else if (m->lds_bytes >= most)
		printf("# static LDS: %u bytes, all that a workgroup can have\n", m->lds_bytes);
	else
		printf("# static LDS: %u bytes; fill in `lds` if the launch adds dynamic LDS, at "
		       "most %u\n",
		       m->lds_bytes, most - m->lds_bytes);
	print_buffers(m);
	print_kernarg(m);
	printf("# Fill in: how to judge. bits, bound, set, close, repack, expect, or none.\n"
	       "verdict: {judge: none}\n"
	       "# Fill in: M, N and K of a product, or sizes of any names.\n"
	       "runs:\n  - {sizes: {SIZE: 1}, regime: general}\n");
}

static int init(const char *path, const char *name) {
	struct mx_codefile f;
	struct compiled c;
	struct mx_error err;
	if (read_json(path, &c, &err) || mx_codefile_open(path, &f, &err))
		return mx_complain("init", "%s", err.text);
	const struct mx_codeobject_kernel *k = choose(&f, path, name);
	int status = k ? 0 : MX_BAD_INPUT;
	if (k && !k->metadata)
		status = mx_complain("init", "%s: kernel %s has no metadata", path, k->name);
	else if (k)
		print_case(path, k->metadata, &c,
		           mx_architecture_by_name(mx_codeobject_isa(f.object))->lds_bytes);
	mx_codefile_close(&f);
	return status;
}

int mx_cmd_init(int argc, char **argv) {
	const struct mx_arg table[] = { { NULL } };
	int n, status = 0;
	if (!mx_args(table, help, argc, argv, &n, &status))
		return status;
	if (n < 1 || n > 2)
		return mx_complain("init", "one FILE.co and at most one KERNEL; see mxcheck init "
		                           "--help");
	return init(argv[1], n > 1 ? argv[2] : NULL);
}
