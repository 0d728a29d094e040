/* The reader of code objects: linked and unlinked objects, bundles, objects with one broken part,
 * the bytes of a descriptor, and those of a note. */
#include "../../ref/codeobject/codeobject.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "../tap.h"

enum { KERNELS = 19 }; /* of tests/hip/probe.gpu.c */

static struct mx_codeobject_error why;

static uint8_t *read_built(const char *file, size_t *bytes) {
	char path[512];
	const char *build = getenv("BUILD");
	uint8_t *data = malloc(1 << 20);
	snprintf(path, sizeof path, "%s/%s", build ? build : "build", file);
	FILE *f = fopen(path, "rb");
	if (!f || !data || !(*bytes = fread(data, 1, 1 << 20, f))) {
		printf("Bail out! %s: cannot be read\n", path);
		exit(1);
	}
	fclose(f);
	return data;
}

static struct mx_codeobject *opened(const void *bytes, size_t n) {
	struct mx_codeobject *co = NULL;
	if (mx_codeobject_open(bytes, n, &co, &why)) {
		printf("Bail out! the probe is no code object: %s\n", why.text);
		exit(1);
	}
	return co;
}

static bool one_line(void) {
	return why.text[0] && !strchr(why.text, '\n');
}

/* Whether a call failed with this status, and with this text in its one line. */
static bool refused(mx_codeobject_status got, mx_codeobject_status want, const char *text) {
	if (got == want && one_line() && strstr(why.text, text))
		return true;
	diag("got %d: %s", (int)got, why.text);
	return false;
}

/* ---- kernels ---- */

/* Each kernel has all its parts, and they agree. */
static void test_kernels(struct mx_codeobject *co, const char *what, bool linked) {
	const struct mx_codeobject_kernels *all;
	const struct mx_codeobject_kernel *bad = NULL;
	const struct mx_code *code;
	if (!ok(!mx_codeobject_kernels(co, &all, &why) && !mx_codeobject_code(co, &code, &why) &&
	                all->n == KERNELS,
	        "%s has its kernels", what))
		return;
	for (size_t i = 0; i < all->n; i++) {
		const struct mx_codeobject_kernel *k = &all->kernel[i];
		bool whole = k->metadata && k->descriptor && k->function && k->function->function;
		if (!whole || strcmp(k->metadata->name, k->name) || k->exported != linked ||
		    k->entry != (linked ? k->function->address : 0) ||
		    k->end != k->function->address + k->function->size ||
		    k->descriptor->lds_bytes != k->metadata->lds_bytes ||
		    k->descriptor->scratch_bytes != k->metadata->scratch_bytes ||
		    k->metadata->wavefront_size != 64 || !k->metadata->has_spills)
			bad = k;
	}
	if (!ok(!bad, "  each has code, a descriptor and metadata, which agree"))
		diag("%s: entry %llx, end %llx", bad->name, (unsigned long long)bad->entry,
		     (unsigned long long)bad->end);
	const struct mx_codeobject_kernel *sum = mx_codeobject_kernel(co, "sum");
	ok(sum && !mx_codeobject_kernel(co, "su") && !mx_codeobject_kernel(co, "sum.kd"),
	   "  a kernel is found by its whole name");
}

static void test_metadata_of_probe(struct mx_codeobject *co) {
	const struct mx_metadata *m;
	const struct mx_codeobject_kernel *k = mx_codeobject_kernel(co, "arguments");
	ok(!mx_codeobject_metadata(co, &m, &why) && !strcmp(m->target, "amdgcn-amd-amdhsa--gfx950"),
	   "the metadata names its target");
	ok(k->metadata->n_args >= 5 && k->metadata->max_workgroup == 64 &&
	           k->metadata->args[0].size == 8 && k->metadata->args[1].offset == 8 &&
	           k->metadata->args[1].size == 1 && k->metadata->args[4].offset == 16 &&
	           !k->metadata->args[4].hidden && k->metadata->kernarg_bytes >= 24,
	   "arguments have offsets and sizes");
	k = mx_codeobject_kernel(co, "hidden");
	size_t hidden = 0;
	for (size_t i = 0; i < k->metadata->n_args; i++)
		hidden += k->metadata->args[i].hidden;
	ok(hidden == 13, "hidden arguments are marked (%zu)", hidden);
}

/* ---- code and image ---- */

static void test_code(struct mx_codeobject *co, const uint8_t *file, const char *what) {
	const struct mx_code *c;
	if (!ok(!mx_codeobject_code(co, &c, &why) && c->n_sections >= 1 &&
	                !strcmp(c->sections[0].name, ".text") &&
	                !memcmp(file + c->sections[0].offset, c->sections[0].code,
	                        c->sections[0].bytes),
	        "the code of %s is at its offset", what))
		return;
	size_t n = 0, lost = 0;
	for (const struct mx_code_symbol *s = NULL; (s = mx_code_next(c, s)); n++)
		lost += mx_code_at(c, s->section, mx_code_end(c, s) - 4) != s ||
		        mx_code_find(c, s->name) != s;
	ok(n == KERNELS && !lost, "  each function has its own code (%zu, %zu lost)", n, lost);
}

static void test_image(struct mx_codeobject *co) {
	const struct mx_image *m;
	const struct mx_codeobject_kernel *k = mx_codeobject_kernel(co, "copy");
	bool found = false;
	if (!ok(!mx_codeobject_image(co, &m, &why) && k->entry >= m->code &&
	                k->end <= m->code + m->code_bytes && m->n_relocations == 5,
	        "the image has the code and its relocations"))
		return;
	for (size_t i = 0; i < m->n_symbols; i++)
		found |= !strcmp(m->symbols[i].name, "copy.kd") &&
		         m->symbols[i].address == k->descriptor_address;
	ok(found && !mx_codeobject_check(co, &why),
	   "  and its symbols, and the device can load it");
}

static void test_not_linked(const uint8_t *file, size_t n) {
	struct mx_codeobject *co = opened(file, n);
	const struct mx_image *m;
	test_kernels(co, "an object that is not linked", false);
	test_code(co, file, "it");
	ok(refused(mx_codeobject_check(co, &why), MX_CODEOBJECT_INVALID, "link it with ld.lld") &&
	           refused(mx_codeobject_image(co, &m, &why), MX_CODEOBJECT_INVALID, "no code"),
	   "  it cannot be loaded");
	mx_codeobject_close(co);
}

/* The symbol of a name in .symtab. */
static Elf64_Sym *symbol_of(uint8_t *file, const char *name) {
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)file;
	const Elf64_Shdr *table = (const Elf64_Shdr *)(file + h->e_shoff), *first = table;
	while (table->sh_type != SHT_SYMTAB)
		table++;
	const char *names = (const char *)file + first[table->sh_link].sh_offset;
	Elf64_Sym *s = (Elf64_Sym *)(file + table->sh_offset);
	while (strcmp(names + s->st_name, name))
		s++;
	return s;
}

/* The end of sum; dot follows it. */
static void test_sizes(const uint8_t *good, size_t n) {
	static const struct {
		uint64_t size;
		bool taken;
	} t[] = { { 0, false }, { 8, true }, { 1ull << 40, false }, { UINT64_MAX, false } };
	uint8_t *copy = memcpy(malloc(n), good, n);
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		symbol_of(copy, "sum")->st_size = t[i].size;
		struct mx_codeobject *co = opened(copy, n);
		const struct mx_codeobject_kernel *sum = mx_codeobject_kernel(co, "sum");
		const struct mx_codeobject_kernel *dot = mx_codeobject_kernel(co, "dot");
		ok(sum->end == (t[i].taken ? sum->entry + t[i].size : dot->entry),
		   "a function of size 0x%llx ends %s", (unsigned long long)t[i].size,
		   t[i].taken ? "there" : "where the next begins");
		mx_codeobject_close(co);
	}
	free(copy);
}

/* ---- bundles ---- */

static void test_bundle(const uint8_t *elf, size_t n, const char *id, bool fits) {
	uint8_t *bundle = calloc(1, 4096 + n);
	uint64_t head[4] = { 1, 4096, n, strlen(id) };
	struct mx_codeobject *co = NULL;
	memcpy(bundle, "__CLANG_OFFLOAD_BUNDLE__", 24);
	memcpy(bundle + 24, head, sizeof head);
	memcpy(bundle + 24 + sizeof head, id, strlen(id));
	memcpy(bundle + 4096, elf, n);
	mx_codeobject_status status = mx_codeobject_open(bundle, 4096 + n, &co, &why);
	if (fits)
		test_code(co, bundle, "an entry of a bundle");
	else
		ok(refused(status, MX_CODEOBJECT_OTHER_DEVICE, id) && !co,
		   "a bundle for another device is refused");
	mx_codeobject_close(co);
	free(bundle);
}

/* ---- compressed bundles ---- */

enum { COMPRESSED_ROOM = 1 << 20 };

/* A file of clang's form: version 1 to 3, method 0 (zlib) or 1 (zstd). */
static size_t compress_bundle(unsigned version, unsigned method, const uint8_t *bundle, size_t n,
                              uint8_t *file) {
	const size_t heads[] = { 0, 20, 24, 32 };
	size_t head = heads[version], width = version == 3 ? 8 : 4, at = 8;
	uint16_t begin[2] = { (uint16_t)version, (uint16_t)method };
	uLongf packed = COMPRESSED_ROOM - head;
	if (method)
		packed = ZSTD_compress(file + head, COMPRESSED_ROOM - head, bundle, n, 3);
	else
		compress(file + head, &packed, bundle, n);
	uint64_t sizes[2] = { head + packed, n };
	memcpy(file, "CCOB", 4);
	memcpy(file + 4, begin, 4);
	for (unsigned i = version == 1; i < 2; i++, at += width)
		memcpy(file + at, &sizes[i], width);
	memset(file + at, 0x5A, 8); /* the hash: the reader does not check it */
	return head + packed;
}

static bool is_refused(const uint8_t *file, size_t n, const char *text) {
	struct mx_codeobject *co = NULL;
	return refused(mx_codeobject_open(file, n, &co, &why), MX_CODEOBJECT_INVALID, text) && !co;
}

static void test_compressed(const uint8_t *elf, size_t n) {
	static const char id[] = "hipv4-amdgcn-amd-amdhsa--gfx950";
	uint8_t *bundle = calloc(1, 4096 + n), *file = malloc(COMPRESSED_ROOM);
	uint64_t head[4] = { 1, 4096, n, strlen(id) };
	size_t bytes = 0, same;
	memcpy(bundle, "__CLANG_OFFLOAD_BUNDLE__", 24);
	memcpy(bundle + 24, head, sizeof head);
	memcpy(bundle + 24 + sizeof head, id, strlen(id));
	memcpy(bundle + 4096, elf, n);
	for (unsigned i = 0; i < 6; i++) {
		unsigned version = 1 + i / 2, method = i % 2;
		bytes = compress_bundle(version, method, bundle, 4096 + n, file);
		/* A program has a pointer alone; version 1 does not have its size. */
		struct mx_codeobject *co = opened(file, version == 1 ? bytes : SIZE_MAX);
		ok(!mx_codeobject_check(co, &why) && mx_codeobject_is_compressed(co) &&
		           !memcmp(mx_codeobject_bytes(co, &same), elf, n) && same == n,
		   "version %u, %s, is decompressed", version, method ? "zstd" : "zlib");
		mx_codeobject_close(co);
	}
	ok(is_refused(file, bytes - 1, "truncated") && is_refused(file, 31, "truncated") &&
	           is_refused(file, 7, "truncated"),
	   "a truncated one is refused");
	file[bytes / 2] ^= 0xFF;
	file[bytes - 2] ^= 0xFF;
	file[16]++; /* another size */
	ok(is_refused(file, bytes, "does not decompress"), "and one that is broken");
	file[6] = 7;
	ok(is_refused(file, bytes, "method 7"), "and another method");
	file[4] = 9;
	ok(is_refused(file, bytes, "version 9"), "and another version");
	compress_bundle(1, 0, bundle, 4096 + n, file);
	ok(is_refused(file, SIZE_MAX, "without a size"), "and version 1 without a size");
	bytes = compress_bundle(2, 0, bundle, 4096 + n, file);
	file[12]++;
	ok(is_refused(file, bytes, "does not decompress"), "and a bundle of another size");
	bytes = compress_bundle(3, 1, bundle, 4096 + n, file);
	memset(file + 16, 0xFF, 8);
	ok(is_refused(file, bytes, "more than 1 GiB"), "and 2^64 - 1 bytes");
	free(bundle);
	free(file);
}

/* ---- one broken part ---- */

static void test_broken_metadata(const uint8_t *good, size_t n) {
	uint8_t *copy = memcpy(malloc(n), good, n);
	Elf64_Phdr *p = (Elf64_Phdr *)(copy + ((Elf64_Ehdr *)copy)->e_phoff);
	const struct mx_metadata *m;
	while (p->p_type != PT_NOTE)
		p++;
	copy[p->p_offset + 20] = 0xc1; /* no MessagePack begins so */
	struct mx_codeobject *co = opened(copy, n);
	const struct mx_codeobject_kernel *k = mx_codeobject_kernel(co, "sum");
	ok(refused(mx_codeobject_metadata(co, &m, &why), MX_CODEOBJECT_INVALID, "MessagePack") &&
	           refused(mx_codeobject_check(co, &why), MX_CODEOBJECT_INVALID, "MessagePack"),
	   "a note that is not MessagePack is refused");
	ok(k && !k->metadata && k->descriptor && k->function, "  the other parts are there");
	mx_codeobject_close(co);
	free(copy);
}

static void test_no_object(const uint8_t *good, size_t n) {
	static const struct {
		size_t at;
		uint8_t byte;
		const char *why;
	} t[] = { { 0, 'X', "not a 64-bit little-endian ELF file" },
		  { EI_CLASS, ELFCLASS32, "not a 64-bit little-endian ELF file" },
		  { EI_DATA, ELFDATA2MSB, "not a 64-bit little-endian ELF file" },
		  { 18, 62, "ELF of machine 62, not of an AMD GPU" } };
	struct mx_codeobject *co = NULL;
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		uint8_t *copy = memcpy(malloc(n), good, n);
		copy[t[i].at] = t[i].byte;
		ok(refused(mx_codeobject_open(copy, n, &co, &why), MX_CODEOBJECT_INVALID,
		           t[i].why) &&
		           !co,
		   "byte %zu as 0x%02x: %s", t[i].at, t[i].byte, t[i].why);
		free(copy);
	}
	ok(mx_codeobject_open("", 0, &co, &why) == MX_CODEOBJECT_INVALID && one_line(),
	   "an empty file is refused");
}

/* ---- descriptors ---- */

static void put32(uint8_t *kd, size_t at, uint32_t v) {
	memcpy(kd + at, &v, 4);
}

static void test_descriptor(void) {
	uint8_t kd[MX_DESCRIPTOR_BYTES] = { 0 };
	struct mx_descriptor d;
	put32(kd, 0, 1024);
	put32(kd, 16, 0xffffff00); /* the entry, 256 before */
	put32(kd, 20, 0xffffffff);
	put32(kd, 44, 15);                       /* 64 VGPRs */
	put32(kd, 48, 11 | 13 << 6 | 0xc << 16); /* 96 registers; 112 SGPRs; denormals of f16 */
	put32(kd, 52, 2 << 1 | 1 << 7 | 1 << 11);
	put32(kd, 56, 8);
	mx_descriptor_decode(kd, "gfx950", &d);
	ok(d.lds_bytes == 1024 && d.entry == -256 && d.vgprs == 64 && d.agprs == 32 &&
	           d.sgprs == 112 && d.user_sgprs == 2 && d.workgroup_id[0] && !d.workgroup_id[1] &&
	           d.work_item_ids == 1 && d.mode == 0xc0 && d.properties == 8 && !d.unsupported,
	   "a descriptor's fields");
	put32(kd, 48, 63);
	put32(kd, 44, 0);
	mx_descriptor_decode(kd, "gfx950", &d);
	ok(d.vgprs == 4 && d.agprs == 256, "of 512 registers, 4 of them VGPRs, 256 are AGPRs");
	put32(kd, 44, 63);
	put32(kd, 48, 3);
	mx_descriptor_decode(kd, "gfx950", &d);
	ok(d.vgprs == 32 && !d.agprs, "VGPRs are at most the number of registers");
	put32(kd, 48, 1 << 20);
	mx_descriptor_decode(kd, "gfx950", &d);
	ok(d.unsupported && strstr(d.unsupported, "PRIV"), "an unsupported field is named");
}

/* The dwords that llvm-mc 22 writes for .amdhsa_next_free_vgpr 100, .amdhsa_named_barrier_count 2
 * and .amdhsa_user_sgpr_kernarg_segment_ptr 1. */
static void test_gfx1250_descriptor(void) {
	uint8_t kd[MX_DESCRIPTOR_BYTES] = { 0 };
	struct mx_descriptor d;
	put32(kd, 0, 320 << 10);
	put32(kd, 44, 2 << 14);
	put32(kd, 48, 0xc00c0006);
	put32(kd, 52, 0x84);
	put32(kd, 56, 0x0408);
	mx_descriptor_decode(kd, "gfx1250", &d);
	ok(d.lds_bytes == 320 << 10 && d.vgprs == 112 && !d.agprs && d.sgprs == 106 &&
	           d.user_sgprs == 2 && d.named_barriers == 8 && d.mode == 0xc0 &&
	           d.properties == 0x408 && d.workgroup_id[0] && !d.unsupported,
	   "the fields of gfx1250's, with granules of 16 VGPRs and of 4 named barriers");
	put32(kd, 48, 0xc0000000 | 63);
	put32(kd, 52, 33 << 1);
	mx_descriptor_decode(kd, "gfx1250", &d);
	ok(d.vgprs == 1024 && d.user_sgprs == 33 && !d.unsupported, "  1024 VGPRs, 33 user SGPRs");
	put32(kd, 44, 1 << 17);
	mx_descriptor_decode(kd, "gfx1250", &d);
	ok(d.unsupported && strstr(d.unsupported, "DYNAMIC_VGPR"), "  dynamic VGPRs are named");
}

/* ---- notes ---- */

/* MessagePack of fewer than 16 members and 32 characters. */
struct note {
	uint8_t bytes[512];
	size_t n;
};

static void put_byte(struct note *t, unsigned b) {
	t->bytes[t->n++] = (uint8_t)b;
}

static void put_text(struct note *t, const char *text) {
	put_byte(t, 0xa0 | (unsigned)strlen(text));
	memcpy(t->bytes + t->n, text, strlen(text));
	t->n += strlen(text);
}

static void put_number(struct note *t, const char *key, unsigned v) {
	put_text(t, key);
	put_byte(t, 0xcd);
	put_byte(t, v >> 8);
	put_byte(t, v & 255);
}

/* A kernel of `more` members besides its name, which is left out if empty. */
static void begin_kernel(struct note *t, const char *name, unsigned more) {
	t->n = 0;
	put_byte(t, 0x81);
	put_text(t, "amdhsa.kernels");
	put_byte(t, 0x91);
	put_byte(t, 0x81 + more);
	put_text(t, ".name");
	put_text(t, name);
}

static void test_note(void) {
	struct mx_metadata m = { 0 };
	struct note t;
	begin_kernel(&t, "k", 4);
	put_text(&t, ".reqd_workgroup_size");
	put_byte(&t, 0x93);
	put_byte(&t, 16);
	put_byte(&t, 4);
	put_byte(&t, 1);
	put_number(&t, ".vgpr_spill_count", 300);
	put_text(&t, ".uses_dynamic_stack");
	put_byte(&t, 0xc3);
	put_text(&t, ".args");
	put_byte(&t, 0x91);
	put_byte(&t, 0x82);
	put_text(&t, ".name");
	put_text(&t, "out");
	put_text(&t, ".value_kind");
	put_text(&t, "by_value");
	bool read = !mx_metadata_read(t.bytes, t.n, &m, &why) && m.n_kernels == 1;
	const struct mx_kernel_metadata *k = m.kernels;
	ok(read && k->required_workgroup[0] == 16 && k->required_workgroup[1] == 4 &&
	           k->required_workgroup[2] == 1 && k->dynamic_stack && !k->uniform,
	   "a note's required size and flags");
	ok(read && k->n_args == 1 && !strcmp(k->args[0].name, "out") &&
	           !strcmp(k->args[0].kind, "by_value") && !k->args[0].hidden,
	   "  its arguments, with names");
	ok(read && k->vgpr_spills == 300 && !k->has_spills,
	   "  one of the two counts of spills is not enough");
	ok(refused(mx_metadata_read(t.bytes, t.n, &m, &why), MX_CODEOBJECT_INVALID,
	           "metadata: two notes"),
	   "a second note with kernels is refused");
	mx_metadata_free(&m);
	begin_kernel(&t, "", 0);
	ok(refused(mx_metadata_read(t.bytes, t.n, &m, &why), MX_CODEOBJECT_INVALID,
	           "a kernel without a name"),
	   "a kernel without a name is refused");
	mx_metadata_free(&m);
}

/* An element of each kind of MessagePack, with 1 in its length or count. */
static void test_elements(void) {
	static const struct {
		uint8_t bytes, begin[8];
	} t[] = {
		{ 1, { 0x00 } },
		{ 1, { 0x80 } },
		{ 3, { 0x81, 0xc0, 0xc0 } },
		{ 1, { 0x90 } },
		{ 2, { 0x91, 0xc0 } },
		{ 1, { 0xa0 } },
		{ 2, { 0xa1 } },
		{ 1, { 0xc0 } },
		{ 1, { 0xc2 } },
		{ 1, { 0xc3 } },
		{ 3, { 0xc4, 1 } },
		{ 4, { 0xc5, 0, 1 } },
		{ 6, { 0xc6, 0, 0, 0, 1 } },
		{ 4, { 0xc7, 1 } },
		{ 5, { 0xc8, 0, 1 } },
		{ 7, { 0xc9, 0, 0, 0, 1 } },
		{ 5, { 0xca } },
		{ 9, { 0xcb } },
		{ 2, { 0xcc } },
		{ 3, { 0xcd } },
		{ 5, { 0xce } },
		{ 9, { 0xcf } },
		{ 2, { 0xd0 } },
		{ 3, { 0xd1 } },
		{ 5, { 0xd2 } },
		{ 9, { 0xd3 } },
		{ 3, { 0xd4 } },
		{ 4, { 0xd5 } },
		{ 6, { 0xd6 } },
		{ 10, { 0xd7 } },
		{ 18, { 0xd8 } },
		{ 3, { 0xd9, 1 } },
		{ 4, { 0xda, 0, 1 } },
		{ 6, { 0xdb, 0, 0, 0, 1 } },
		{ 4, { 0xdc, 0, 1, 0xc0 } },
		{ 6, { 0xdd, 0, 0, 0, 1, 0xc0 } },
		{ 5, { 0xde, 0, 1, 0xc0, 0xc0 } },
		{ 7, { 0xdf, 0, 0, 0, 1, 0xc0, 0xc0 } },
		{ 1, { 0xe0 } },
		{ 1, { 0xff } },
	};
	size_t wrong = 0;
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		uint8_t *element = calloc(1, t[i].bytes); /* exact, for sanitizers */
		struct mx_metadata m = { 0 };
		memcpy(element, t[i].begin, t[i].bytes < 8 ? t[i].bytes : 8);
		bool whole = !mx_metadata_read(element, t[i].bytes, &m, &why);
		if ((!whole || !mx_metadata_read(element, t[i].bytes - 1u, &m, &why)) && !wrong++)
			diag("first wrong: 0x%02x is %s", element[0],
			     whole ? "read though it is cut off" : "refused");
		free(element);
	}
	ok(!wrong, "a note of one element of each kind is read, and is refused when cut off");
	static const uint8_t huge[] = { 0xdd, 0xff, 0xff, 0xff, 0xff, 0xc0 };
	struct mx_metadata m = { 0 };
	ok(refused(mx_metadata_read(huge, sizeof huge, &m, &why), MX_CODEOBJECT_INVALID,
	           "MessagePack"),
	   "an incomplete array is refused");
}

int main(void) {
	size_t n, n_object;
	uint8_t *file = read_built("tests/hip/probe.gpu.co", &n);
	uint8_t *object = read_built("tests/hip/probe.gpu.elf", &n_object);
	struct mx_codeobject *co = opened(file, n);
	test_kernels(co, "a linked object", true);
	test_metadata_of_probe(co);
	test_code(co, file, "a linked object");
	test_image(co);
	mx_codeobject_close(co);
	co = opened(file, SIZE_MAX);
	ok(!mx_codeobject_check(co, &why),
	   "an object of unknown size is as long as its headers say");
	mx_codeobject_close(co);
	test_sizes(file, n);
	test_not_linked(object, n_object);
	test_bundle(file, n, "hipv4-amdgcn-amd-amdhsa--gfx950", true);
	test_bundle(file, n, "hipv4-amdgcn-amd-amdhsa--gfx942", false);
	test_compressed(file, n);
	test_broken_metadata(file, n);
	test_no_object(file, n);
	test_descriptor();
	test_gfx1250_descriptor();
	test_note();
	test_elements();
	free(object);
	free(file);
	return done_testing();
}
