/* A4: offsets of 32 bits in a buffer of more than 2 and 4 GiB. Signed ones go below the buffer,
 * which is a fault; unsigned ones come back to its first rows, and the last are not written. */
#include "runtime_test.h"

enum { ROWS = 6 };
#define STRIDE (1ull << 30)

static hipModule_t module;

static hipError_t launch(const char *name, void **params) {
	hipFunction_t f;
	must(hipModuleGetFunction(&f, module, name));
	must(hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
	return hipDeviceSynchronize();
}

/* Rows below this have got their number; above it nothing was written. */
static unsigned rows_stored(uint8_t *rows) {
	unsigned n = 0;
	for (uint8_t states[4]; n < ROWS; n++) {
		uint32_t v;
		must(hipMemcpy(&v, rows + n * STRIDE, 4, hipMemcpyDeviceToHost));
		if (!mxhipStates(rows + n * STRIDE, 4, states) || !states[0] || v != 100 + n)
			break;
	}
	return n;
}

static bool is_fault(mx_access_kind access) {
	const struct mx_report *r = mxhipReport();
	for (size_t i = 0; i < r->n_findings; i++)
		if (r->findings[i].kind == MX_FAULT && r->findings[i].access.kind == access)
			return true;
	return false;
}

int main(void) {
	uint32_t n = ROWS, got[ROWS] = { 0 };
	must(hipModuleLoad(&module, built("tests/hip/far.gpu.co")));
	uint8_t *rows = device_bytes(ROWS * STRIDE);
	uint32_t *to = device_bytes(sizeof got);
	ok(launch("store_u32", (void *[]){ &rows, &n }) == hipSuccess && rows_stored(rows) == 0,
	   "A4: unsigned offsets: the rows past 4 GiB are stored over the first");
	ok(launch("store_i64", (void *[]){ &rows, &n }) == hipSuccess && rows_stored(rows) == ROWS,
	   "offsets of 64 bits: all rows are stored where they belong");
	must(launch("load_i64", (void *[]){ &rows, &n, &to }));
	must(hipMemcpy(got, to, sizeof got, hipMemcpyDeviceToHost));
	ok(got[0] == 100 && got[3] == 103 && got[5] == 105, "and loaded from there");
	must(launch("load_u32", (void *[]){ &rows, &n, &to }));
	must(hipMemcpy(got, to, sizeof got, hipMemcpyDeviceToHost));
	ok(got[3] == 103 && got[4] == 100 && got[5] == 101,
	   "A4: unsigned offsets: the rows past 4 GiB are loaded from the first");
	ok(launch("load_i32", (void *[]){ &rows, &n, &to }) != hipSuccess &&
	           is_fault(MX_ACCESS_READ),
	   "A4: signed offsets: a load past 2 GiB is a fault");
	ok(launch("store_i32", (void *[]){ &rows, &n }) != hipSuccess && is_fault(MX_ACCESS_WRITE),
	   "A4: signed offsets: so is a store");
	return done_testing();
}
