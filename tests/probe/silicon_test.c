/* Measured profiles and the silicon itself: the first random dots of seed 1, as the device gave
 * them (tests/silicon/fill.cu), a row for each profile of the file. */
#include "../../cases/npy.h"
#include "../../oracle/probe/family.h"
#include "../../oracle/probe/profile_file.h"
#include "../tap.h"

#include <string.h>

static bool find(const char *name, struct mx_probe_insn *insn) {
	for (size_t i = 0; mx_probe_insn_at(i, insn); i++)
		if (!strcmp(insn->name, name))
			return true;
	return false;
}

static void test_row(const struct mx_profile_row *row, const uint32_t *device, size_t dots) {
	struct mx_probe_product product[MX_PROBE_K];
	struct mx_probe_terms t = { product };
	struct mx_probe_steps steps;
	struct mx_probe_insn insn;
	struct mx_probe_dot d;
	unsigned wrong = 0;
	bool known = find(row->name, &insn);
	if (known)
		mx_probe_steps(&row->profile, insn.k, &steps);
	for (size_t n = 0; known && n < dots; n++) {
		mx_probe_random(&insn, 1, n, &d);
		mx_probe_terms(&insn, &d, &t);
		wrong += mx_probe_result(&insn, &row->profile, &steps, &t) != device[n];
	}
	ok(known && !wrong, "%s: %zu dots as measured, %u differ", row->name, dots, wrong);
}

static void test_device(const char *profiles, const char *results) {
	struct mx_profile_file *f;
	struct mx_npy d;
	struct mx_error err;
	if (mx_profile_file_read(profiles, &f, &err) || mx_npy_read(results, &d, &err)) {
		ok(false, "%s", err.text);
		return;
	}
	ok(d.shape[0] == f->n && d.bytes == 4, "%s: %u instructions", f->device, f->n);
	for (unsigned i = 0; i < f->n && i < d.shape[0]; i++)
		test_row(&f->profiles[i], (const uint32_t *)d.data + i * d.shape[1], d.shape[1]);
	mx_npy_free(&d);
	mx_profile_file_free(f);
}

int main(void) {
	test_device("oracle/probe/measured/nvidia_h100.yaml", "tests/silicon/nvidia_h100.npy");
	return done_testing();
}
