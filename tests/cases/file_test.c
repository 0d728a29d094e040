/* Buffers with `data`, `expect` and `order`, and arguments of all types. */
#include "../../cases/files.h"
#include "../../cases/npy.h"
#include "case_file.h"

/* A 2 x 3 array of 16-bit patterns, in C order. */
static const uint16_t numbers[] = { 0x0102, 0x0304, 0x0506, 0x0708, 0x090a, 0x0b0c };

static void write_npy(const char *name, char kind, unsigned bytes, size_t rows, size_t cols) {
	char at[128];
	struct mx_error err;
	struct mx_npy a = { kind, bytes, 2, { rows, cols }, rows * cols, (void *)numbers };
	snprintf(at, sizeof at, "%s/%s", folder, name);
	if (mx_npy_write(&(struct mx_npy_file){ at, &a }, 1, &err)) {
		fprintf(stderr, "file_test: %s\n", err.text);
		exit(2);
	}
}

static const char buffer_w[] = "type: bf16, rows: 3, cols: 5, ld: 16";

/* Plans and fills the case with `w` as buffer W; false with err->text. */
static bool fill(const char *w, struct mx_case **c, struct mx_plan *p, struct mx_data *d,
                 struct mx_error *err) {
	*c = load_good(buffer_w, w);
	return !mx_plan_make(*c, 1, 16, 32, MX_REGIME_EXACT, p, err) && !mx_data_make(p, 1, d, err);
}

static void filled_as_told(void) {
	struct mx_error err;
	struct mx_case *c;
	struct mx_plan p;
	struct mx_data d;

	bool good = fill("type: i32, rows: 2, cols: 2, ld: 12, data: zero", &c, &p, &d, &err);
	static const uint8_t zeros[] = { 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 0 };
	ok(good && !memcmp(d.bytes[5], zeros, sizeof zeros), "zero: lines are 0, padding poison");
	ok(mx_buffer_is_filled(&p, &p.buffers[5]) && !mx_buffer_is_filled(&p, &p.buffers[4]),
	   "a zeroed buffer counts as written, an output without data does not");
	mx_data_free(&d);
	mx_case_free(c);

	good = fill("type: i32, rows: 1, cols: 2, data: poison", &c, &p, &d, &err);
	ok(good && !memcmp(d.bytes[5], "\xff\xff\xff\xff\xff\xff\xff\xff", 8) &&
	           !mx_buffer_is_filled(&p, &p.buffers[5]),
	   "poison: it counts as unwritten");
	mx_data_free(&d);
	mx_case_free(c);

	good = fill("type: u16, rows: 2, cols: 2, ld: 6, data: index", &c, &p, &d, &err);
	static const uint8_t counted[] = { 0, 0, 1, 0, 255, 255, 2, 0, 3, 0 };
	ok(good && !memcmp(d.bytes[5], counted, sizeof counted),
	   "index: elements are their numbers");
	mx_data_free(&d);
	mx_case_free(c);

	write_npy("w.npy", 'u', 2, 2, 3);
	good = fill("type: u16, rows: 2, cols: 3, ld: 8, data: w.npy", &c, &p, &d, &err);
	if (!ok(good && !memcmp(d.bytes[5], numbers, 6) && !memcmp(d.bytes[5] + 8, numbers + 3, 6),
	        "a file beside the case fills lines"))
		diag("%s", err.text);
	char back[128];
	uint8_t again[16];
	memset(again, 0xee, sizeof again);
	snprintf(back, sizeof back, "%s/back.npy", folder);
	ok(good && !mx_data_write(&p, 5, d.bytes[5], back, &err) &&
	           !mx_data_read(&p, 5, "back.npy", again, &err) && !memcmp(again, numbers, 6) &&
	           again[6] == 0xee && !memcmp(again + 8, numbers + 3, 6),
	   "a written file is read again, and padding stays");
	mx_data_free(&d);
	mx_case_free(c);

	good = fill("type: u16, rows: 3, cols: 2, order: col, data: w.npy", &c, &p, &d, &err);
	ok(good && p.buffers[5].lines == 2 && mx_buffer_at(&p.buffers[5], 2, 1) == 10 &&
	           mx_buffer_at(&p.buffers[5], 0, 1) == 6,
	   "order col: columns are the lines");
	mx_data_free(&d);
	mx_case_free(c);
}

static void refused(void) {
	static const struct {
		const char *what, *w, *error;
	} rows[] = {
		{ "a file that is not there", "type: u16, rows: 2, cols: 3, data: none.npy",
		  "none.npy" },
		{ "a file of another type", "type: i16, rows: 2, cols: 3, data: w.npy",
		  "has u16, but must have i16" },
		{ "a file of another shape", "type: u16, rows: 3, cols: 3, data: w.npy",
		  "is 2 x 3, but must be 3 x 3" },
		{ "codes of a file are bytes", "type: e2m1, rows: 2, cols: 6, data: w.npy",
		  "has u16, but must have u8" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct mx_error err = { "" };
		struct mx_case *c;
		struct mx_plan p;
		struct mx_data d;
		bool good = fill(rows[i].w, &c, &p, &d, &err);
		if (!ok(!good && strstr(err.text, rows[i].error), "%s", rows[i].what))
			diag("%s", err.text);
		mx_case_free(c);
	}
}

static void operands_of_files(void) {
	struct mx_error err;
	struct mx_plan p;
	struct mx_data d;
	write_npy("sa.npy", 'u', 1, 1, 1); /* the first byte of numbers: 0x02 */
	struct mx_case *c = load_good("cols: K / 32, ld: KS}\n  - {name: B",
	                              "cols: K / 32, ld: KS, data: sa.npy}\n  - {name: B");
	bool good = !mx_plan_make(c, 1, 16, 32, MX_REGIME_GENERAL, &p, &err) &&
	            !mx_data_make(&p, 1, &d, &err);
	ok(good && d.bytes[1][0] == 0x02 && !d.a && !d.b,
	   "scales of a file replace the quantised data");
	mx_data_free(&d);
	mx_case_free(c);
}

static void arguments(void) {
	static const char all[] = "  - {offset: 0,  type: ptr, value: A}\n"
				  "  - {offset: 8,  type: f32, value: 1.5}\n"
				  "  - {offset: 12, type: u8, value: 255}\n"
				  "  - {offset: 13, type: i8, value: -M}\n"
				  "  - {offset: 14, type: i16, value: -32768}\n"
				  "  - {offset: 16, type: f64, value: -0.1}\n"
				  "  - {offset: 24, type: u16, value: 65535}\n";
	static const uint8_t want[] = { 0,    0,    0xc0, 0x3f, 0xff, 0xff, 0,    0x80, 0x9a,
		                        0x99, 0x99, 0x99, 0x99, 0x99, 0xb9, 0xbf, 0xff, 0xff };
	uint64_t address[MX_MAX_BUFFERS] = { 0 };
	uint8_t out[256];
	struct mx_error err;
	struct mx_plan p;
	struct mx_case *c = load_good("  - {offset: 0,  type: ptr, value: A}\n"
	                              "  - {offset: 8,  type: ptr, value: C + 16}\n"
	                              "  - {offset: 20, type: i32, value: M - 2}\n"
	                              "  - {offset: 24, type: u32, value: 0xfffffff0}\n",
	                              all);
	bool good = !mx_plan_make(c, 1, 16, 32, MX_REGIME_EXACT, &p, &err) &&
	            !mx_plan_kernarg(&p, 0, address, out, &err);
	/* f32 1.5, then u8, i8 -1, i16, f64 -0.1, u16: all little-endian. */
	ok(good && out[8] == 0 && !memcmp(out + 10, want + 2, 2) && out[12] == 0xff &&
	           out[13] == 0xff && !memcmp(out + 14, want + 6, 12),
	   "arguments of every width, and floating point");
	mx_case_free(c);
	c = load_good("verdict:", "kernarg_size: 160\nverdict:");
	ok(!mx_plan_make(c, 1, 16, 32, MX_REGIME_EXACT, &p, &err) &&
	           p.steps[0].kernarg_bytes == 160,
	   "a segment may be longer than its arguments");
	mx_case_free(c);
	c = load_good("type: i64, value: -N", "type: f32, value: -N / 32");
	float half = -0.5f;
	ok(!mx_plan_make(c, 1, 16, 32, MX_REGIME_EXACT, &p, &err) &&
	           !mx_plan_kernarg(&p, 0, address, out, &err) && !memcmp(out + 32, &half, 4),
	   "a floating-point argument may be an expression of sizes, with fractions");
	mx_case_free(c);
	c = load_good("type: i64, value: -N", "type: f32, value: A");
	ok(mx_plan_make(c, 1, 16, 32, MX_REGIME_EXACT, &p, &err) &&
	           strstr(err.text, "kernarg[4].value: unknown name 'A'"),
	   "but not an address");
	mx_case_free(c);
}

/* "././ ... ./f" is in the folder of the link, but from the root its path is too long. */
static void a_link_that_is_too_long(void) {
	char to[4090], at[128];
	struct mx_error err = { "" };
	size_t n = sizeof to - 2;
	for (size_t i = 0; i < n; i++)
		to[i] = i % 2 ? '/' : '.';
	strcpy(to + n, "f");
	snprintf(at, sizeof at, "%s/link", folder);
	need(!symlink(to, at), "a link");
	struct mx_file f = { at, { { "x", 1 } } };
	if (!ok(mx_files_write(&f, 1, &err) && strstr(err.text, "File name too long"),
	        "a link to a path that is too long is refused"))
		diag("%s", err.text);
	unlink(at);
}

static void remove_files(void) {
	static const char *const names[] = { "w.npy", "back.npy", "sa.npy" };
	char at[128];
	for (size_t i = 0; i < COUNT(names); i++) {
		snprintf(at, sizeof at, "%s/%s", folder, names[i]);
		unlink(at);
	}
}

int main(void) {
	make_folder();
	filled_as_told();
	refused();
	operands_of_files();
	arguments();
	a_link_that_is_too_long();
	remove_files();
	remove_folder();
	return done_testing();
}
