/* Each row of hazards.def for gfx950 has a program in kernels/probe/waits.def that lacks its wait
 * states, or a reason why it has none. */
#include "../../ci/cli/codefile.h"
#include "../../ref/isa/waitstates/hazard.h"
#include "../tap.h"

#include <stdlib.h>
#include <string.h>

#define NAME(one, of_one, two, of_two, condition)                                                  \
	"wait_" #one "_" #of_one "_" #two "_" #of_two "_" #condition

static const struct {
	const char *name;
	mx_hazard_set set;
} rows[] = {
#define MX_HAZARD(set, one, of_one, two, of_two, condition, ...)                                   \
	{ NAME(one, of_one, two, of_two, condition), MX_HAZARDS_##set },
#include "../../ref/isa/waitstates/hazards.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static const struct {
	const char *name, *reason; /* NULL: there is a program */
} waits[] = {
#define MX_WAIT(one, of_one, two, of_two, condition, ...)                                          \
	{ NAME(one, of_one, two, of_two, condition), NULL },
#define MX_NO_WAIT(one, of_one, two, of_two, condition, reason)                                    \
	{ NAME(one, of_one, two, of_two, condition), reason },
#include "../../kernels/probe/waits.def"
};
enum { WAITS = sizeof waits / sizeof *waits };

static struct mx_codefile file;
static struct mx_program *program;

/* Pairs of instructions of a kernel that lack wait states by a row. */
static unsigned lacking(size_t row, const struct mx_code_symbol *s) {
	const struct mx_hazard_traits *t = mx_program_traits(program, UINT64_MAX); /* of all code */
	uint64_t base = mx_program_base(program), end = mx_code_end(file.code, s) - base;
	unsigned n = 0;
	for (uint64_t i = s->address - base; i < end; i += t[i / 4].in->size) {
		unsigned states = 0;
		for (uint64_t j = i + t[i / 4].in->size; j < end && states < MX_HAZARD_HORIZON;
		     j += t[j / 4].in->size) {
			n += mx_hazard_row(row, &t[i / 4], &t[j / 4]) > states;
			states += t[j / 4].states;
		}
	}
	return n;
}

static void test_row(size_t row) {
	const char *name = rows[row].name;
	unsigned entries = 0, n = 0;
	for (size_t i = 0; i < WAITS; i++) {
		if (strcmp(waits[i].name, name))
			continue;
		const struct mx_code_symbol *s = mx_code_find(file.code, name);
		entries++;
		n = waits[i].reason ? *waits[i].reason && !s : s ? lacking(row, s) : 0;
	}
	if (!ok(entries == 1 && n == 1, "%s: a program that lacks them once, or a reason", name))
		diag("%u entries in waits.def; lacking %u times", entries, n);
}

static bool is_row(const char *name) {
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].set == MX_HAZARDS_GFX950 && !strcmp(rows[i].name, name))
			return true;
	return false;
}

int main(void) {
	const char *build = getenv("BUILD");
	struct mx_error err;
	char path[400];
	snprintf(path, sizeof path, "%s/kernels/probe/wait_states.co", build ? build : "build");
	if (mx_codefile_open(path, &file, &err)) {
		printf("Bail out! %s\n", err.text);
		return 1;
	}
	const struct mx_code_section *c = &file.code->sections[0];
	program = mx_program_new(file.isa, c->code, c->bytes, c->address);
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].set == MX_HAZARDS_GFX950)
			test_row(i);
	for (size_t i = 0; i < WAITS; i++)
		if (!is_row(waits[i].name))
			ok(false, "%s is a row of hazards.def", waits[i].name);
	mx_program_free(program);
	mx_codefile_close(&file);
	return done_testing();
}
