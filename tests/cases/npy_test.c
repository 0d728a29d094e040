/* cases/npy: files of NumPy's format, typed byte by byte from its description, and refused files
 * with the reason. */
#include "../../cases/npy.h"
#include "../tap.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file: magic, version, header, data. Returns its length. */
static size_t make(uint8_t *file, int version, const char *header, const void *data, size_t bytes) {
	size_t n = strlen(header), lead = version == 1 ? 10 : 12;
	memcpy(file, "\x93NUMPY", 6);
	file[6] = (uint8_t)version;
	file[7] = 0;
	for (size_t i = 8; i < lead; i++)
		file[i] = (uint8_t)(n >> 8 * (i - 8));
	memcpy(file + lead, header, n);
	if (bytes)
		memcpy(file + lead + n, data, bytes);
	return lead + n + bytes;
}

static void test_versions(void) {
	static const char header[] =
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }          \n";
	const uint32_t data[6] = { 0x3F800000, 0x40000000, 0xFFC00001, 1, 0x80000000, 0x7F800000 };
	uint8_t file[256];
	struct mx_error err = { "" };
	for (int version = 1; version <= 3; version++) {
		struct mx_npy a;
		size_t n = make(file, version, header, data, sizeof data);
		int status = mx_npy_parse("x.npy", file, n, &a, &err);
		if (!ok(!status && a.kind == 'f' && a.bytes == 4 && a.rank == 2 &&
		                a.shape[0] == 2 && a.shape[1] == 3 && a.count == 6 &&
		                !memcmp(a.data, data, sizeof data),
		        "version %d: a 2 x 3 array of float32 is read bit for bit", version))
			diag("%s", err.text);
		mx_npy_free(&a);
	}
}

static void test_header_forms(void) {
	static const struct {
		const char *header;
		unsigned rank;
		size_t count, bytes;
		const char *type;
	} forms[] = {
		{ "{\"shape\":(4,),\"descr\":\"|u1\",\"fortran_order\":False}", 1, 4, 4, "u8" },
		{ "{'descr':'<u2','fortran_order':False,'shape':()}", 0, 1, 2, "u16" },
		{ "{'descr': '<f8', 'fortran_order': False, 'shape': (1L, 2L), }", 2, 2, 16,
		  "f64" },
		{ "{'descr': '<f2', 'fortran_order': False, 'shape': (0, 5), }", 2, 0, 0, "f16" },
		{ "{'descr': '>i1', 'fortran_order': False, 'shape': (3,), }", 1, 3, 3, "i8" },
		{ "{'descr': '<u4', 'fortran_order': False, 'shape': (1, 1, 2), }", 3, 2, 8,
		  "u32" },
		{ "{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }", 1, 1, 8, "i64" },
	};
	static const uint8_t zeros[16];
	uint8_t file[256];
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct mx_npy a;
		struct mx_error err = { "" };
		size_t n = make(file, 1, forms[i].header, zeros, forms[i].bytes);
		int status = mx_npy_parse("x.npy", file, n, &a, &err);
		if (!ok(!status && a.rank == forms[i].rank && a.count == forms[i].count &&
		                !strcmp(mx_npy_type(&a), forms[i].type),
		        "header %s is read", forms[i].header))
			diag("%s", err.text);
		mx_npy_free(&a);
	}
}

/* Element (i,j,k) is 100 i + 10 j + k, laid out with i fastest, as numpy.asfortranarray does. */
static void test_fortran(void) {
	static const size_t shapes[][4] = { { 35, 1, 1, 66 }, { 2, 3, 4, 5 }, { 7, 1, 2, 1 } };
	static const char *const headers[] = {
		"{'descr': '<u4', 'fortran_order': True, 'shape': (35, 1, 1, 66), }",
		"{'descr': '<u4', 'fortran_order': True, 'shape': (2, 3, 4, 5), }",
		"{'descr': '<u4', 'fortran_order': True, 'shape': (7, 1, 2, 1), }"
	};
	static uint8_t file[20000];
	struct mx_error err;
	int wrong = 0;
	for (int t = 0; t < 3; t++) {
		const size_t *n = shapes[t], count = n[0] * n[1] * n[2] * n[3];
		size_t length = strlen(headers[t]), at = 0;
		uint32_t *data = calloc(count, 4);
		struct mx_npy a;
		for (size_t l = 0; l < n[3]; l++)
			for (size_t k = 0; k < n[2]; k++)
				for (size_t j = 0; j < n[1]; j++)
					for (size_t i = 0; i < n[0]; i++)
						data[at++] = ((i * n[1] + j) * n[2] + k) * n[3] + l;
		memcpy(file, "\x93NUMPY\x01\x00", 8);
		file[8] = length;
		file[9] = 0;
		memcpy(file + 10, headers[t], length);
		memcpy(file + 10 + length, data, count * 4);
		free(data);
		if (mx_npy_parse("x.npy", file, 10 + length + count * 4, &a, &err)) {
			wrong++;
			continue;
		}
		for (size_t i = 0; i < count; i++)
			wrong += ((uint32_t *)a.data)[i] != i;
		mx_npy_free(&a);
	}
	ok(!wrong, "arrays in Fortran order are read into C order");
}

static void test_refused(void) {
#define HEADER(descr, order, shape)                                                                \
	"{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }"
	static const struct {
		const char *what, *header;
		size_t bytes;
		const char *reason;
	} bad[] = {
		{ "big-endian data", HEADER("'>f4'", "False", "(2,)"), 8, "big-endian" },
		{ "complex numbers", HEADER("'<c8'", "False", "(1,)"), 8, "dtype '<c8'" },
		{ "bool", HEADER("'|b1'", "False", "(1,)"), 1, "dtype '|b1'" },
		{ "float128", HEADER("'<f16'", "False", "(1,)"), 16, "dtype '<f16'" },
		{ "float8 of ml_dtypes", HEADER("'|V1'", "False", "(1,)"), 1, "view" },
		{ "Python objects", HEADER("'|O'", "False", "(1,)"), 8, "dtype '|O'" },
		{ "records", HEADER("[('a', '<f4')]", "False", "(1,)"), 4, "structured" },
		{ "too little data", HEADER("'<f4'", "False", "(3,)"), 8, "8 bytes of data" },
		{ "too much data", HEADER("'<f4'", "False", "(1,)"), 8, "4 bytes more" },
		{ "a shape beyond memory", HEADER("'<f8'", "False", "(4294967296, 4294967296)"), 8,
		  "does not fit memory" },
		{ "a shape of zero times too much",
		  HEADER("'<f8'", "False", "(9223372036854775807, 4, 0)"), 0,
		  "does not fit memory" },
		{ "a dimension beyond 64 bits", HEADER("'<f4'", "False", "(18446744073709551616,)"),
		  4, "64 bits" },
		{ "a dimension of thirty digits",
		  HEADER("'<f4'", "False", "(100000000000000000000000000000,)"), 4, "64 bits" },
		{ "a negative dimension", HEADER("'<f4'", "False", "(-1,)"), 4, "malformed" },
		{ "33 dimensions",
		  HEADER("'<f4'", "False",
		         "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"),
		  4, "more than 32 dimensions" },
		{ "a missing key", "{'descr': '<f4', 'shape': (1,), }", 4, "malformed" },
		{ "an unknown key", "{'descr': '<f4', 'colour': 1}", 4, "malformed" },
		{ "a header cut short", "{'descr': '<f4', 'fortran_order': False, 'shape': (1", 4,
		  "malformed" },
		{ "an unclosed string", "{'descr': '<f4", 4, "malformed" },
		{ "an empty header", "", 4, "malformed" },
	};
	static const uint8_t zeros[16];
	uint8_t file[512];
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct mx_npy a;
		struct mx_error err = { "" };
		size_t n = make(file, 1, bad[i].header, zeros, bad[i].bytes);
		int status = mx_npy_parse("x.npy", file, n, &a, &err);
		if (!ok(status == -1 && !a.data && !strncmp(err.text, "x.npy: ", 7) &&
		                strstr(err.text, bad[i].reason) && !strchr(err.text, '\n'),
		        "%s: refused with '%s'", bad[i].what, bad[i].reason))
			diag("status %d: %s", status, err.text);
		mx_npy_free(&a);
	}
}

/* Every prefix of a good file, and every single wrong byte of its header, is parsed or refused,
 * without reads out of bounds (which sanitizers detect). */
static void test_damage(void) {
	static const char header[] =
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";
	static const uint8_t zeros[24];
	uint8_t file[256];
	size_t n = make(file, 1, header, zeros, sizeof zeros), accepted = 0;
	struct mx_npy a;
	struct mx_error err;
	for (size_t length = 0; length < n; length++) {
		uint8_t *exact = malloc(length ? length : 1);
		memcpy(exact, file, length);
		accepted += !mx_npy_parse("x", exact, length, &a, &err);
		mx_npy_free(&a);
		free(exact);
	}
	if (!ok(!accepted, "no prefix of a file is accepted"))
		diag("%zu are", accepted);
	for (size_t at = 0; at < n - sizeof zeros; at++)
		for (int flip = 1; flip < 256; flip++) {
			file[at] ^= (uint8_t)flip;
			if (!mx_npy_parse("x", file, n, &a, &err) && a.count * a.bytes != 24)
				accepted++;
			mx_npy_free(&a);
			file[at] ^= (uint8_t)flip;
		}
	ok(!accepted, "no wrong byte in a header gives an array of another size than the file");
}

static void test_versions_refused(void) {
	static const char header[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (), }";
	static const uint8_t zeros[4];
	uint8_t file[128];
	struct mx_npy a;
	struct mx_error err = { "" };
	size_t n = make(file, 1, header, zeros, 4);
	file[6] = 4;
	ok(mx_npy_parse("x", file, n, &a, &err) && strstr(err.text, "version 4.0"),
	   "version 4 is refused");
	file[0] = 'P';
	ok(mx_npy_parse("x", file, n, &a, &err) && strstr(err.text, "not a .npy file"),
	   "a file with another beginning is not a .npy file");
	ok(mx_npy_read("/nonexistent/x.npy", &a, &err) && strstr(err.text, "No such file"),
	   "a missing file is named with the reason");
}

static unsigned entries(const char *dir) {
	unsigned n = 0;
	DIR *d = opendir(dir);
	for (struct dirent *e; d && (e = readdir(d));)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

static void test_writing(void) {
	char dir[] = "/tmp/npy-XXXXXX", one[64], two[64];
	uint16_t data[6] = { 1, 2, 3, 4, 5, 0xFFFF };
	struct mx_npy a = { 'u', 2, 2, { 2, 3 }, 6, data }, back;
	struct mx_error err = { "" };
	uint8_t start[10] = { 0 };
	ok(mkdtemp(dir) != NULL, "a folder to write in");
	snprintf(one, sizeof one, "%s/one.npy", dir);
	snprintf(two, sizeof two, "%s/no/two.npy", dir);

	struct mx_npy_file files[2] = { { one, &a }, { two, &a } };
	ok(mx_npy_write(files, 2, &err) == -1 && strstr(err.text, "two.npy") && !entries(dir),
	   "if one of two files cannot be written, neither is, nor a temporary one");
	int status = mx_npy_write(files, 1, &err) || mx_npy_read(one, &back, &err);
	if (!ok(!status && back.kind == 'u' && back.bytes == 2 && back.rank == 2 &&
	                back.shape[0] == 2 && back.shape[1] == 3 &&
	                !memcmp(back.data, data, sizeof data),
	        "a written array is read again"))
		diag("%s", err.text);
	mx_npy_free(&back);
	FILE *f = fopen(one, "rb");
	ok(f && fread(start, 1, 10, f) == 10 && !memcmp(start, "\x93NUMPY\x01", 8) &&
	           (start[8] + 256 * start[9] + 10) % 64 == 0 && entries(dir) == 1,
	   "in version 1.0, data at a multiple of 64 bytes, under its own name alone");
	if (f)
		fclose(f);
	files[0].path = dir;
	ok(mx_npy_write(files, 1, &err) == -1 && strstr(err.text, "is a folder"),
	   "a folder is not overwritten");
	unlink(one);
	rmdir(dir);
}

int main(void) {
	test_versions();
	test_header_forms();
	test_fortran();
	test_refused();
	test_damage();
	test_versions_refused();
	test_writing();
	return done_testing();
}
