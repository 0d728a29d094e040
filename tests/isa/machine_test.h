/* The machine of the tests of ref/isa: a program from raw dwords, one region of memory with its
 * state bytes, a launch, and its results.
 *
 * The dwords of every program in these tests come from
 *     llvm-mc -triple=amdgcn-amd-amdhsa -mcpu=gfx950 -show-encoding
 * of the assembly beside them; assembly.t compares them with LLVM. */
#ifndef MACHINE_TEST_H
#define MACHINE_TEST_H

#include "../../ref/isa/encoding/gfx950.h"
#include "../../ref/isa/encoding/instruction_set.h"
#include "../../ref/isa/isa.h"
#include "../random.h"
#include "../tap.h"

#include <stdlib.h>
#include <string.h>

enum {
	ARENA = 1 << 18,
	ALL_WRITTEN = MX_WRITTEN,
	KERNARG_POINTER = 1 << 3, /* of KERNEL_CODE_PROPERTIES: s[0:1] */
	USUAL_MODE = 0x2f0,       /* nearest even, denormals kept, IEEE */
};

/* Device memory, at the address in s[0:1], and its state bytes. */
static _Alignas(4096) uint8_t arena[ARENA], state[ARENA];

/* Regions of a launch: by default all of the arena. */
static struct mx_region whole = { 0, ARENA, state };

/* A launch that tests modify: one wave, 64 VGPRs and AGPRs per lane, s[0:1] the arena, s2 the
 * workgroup. */
struct machine {
	struct mx_kernel kernel;
	struct mx_launch launch;
	struct mx_report report;
	bool ran;
};

static inline struct machine machine(void) {
	whole.base = (uintptr_t)arena;
	return (struct machine){
		.kernel = { .name = "test",
		            .vgprs = 64,
		            .agprs = 64,
		            .user_sgprs = 2,
		            .properties = KERNARG_POINTER,
		            .workgroup_id = { true },
		            .mode = USUAL_MODE },
		.launch = { .memory = { .regions = &whole, .n = 1 },
		            .grid = { 1, 1, 1 },
		            .block = { 64, 1, 1 },
		            .kernarg = (uintptr_t)arena,
		            .seed = 1,
		            .profile = mx_profile_by_name("block32"),
		            .max_instructions = 1 << 20 },
	};
}

/* Runs a program; m->report is valid until the next run. */
static inline void run_bytes(struct machine *m, const uint32_t *code, size_t bytes) {
	struct mx_program *p = mx_program_new(&mx_gfx950, code, bytes, (uintptr_t)code);
	mx_report_free(&m->report);
	m->kernel.entry = (uintptr_t)code;
	m->launch.kernel = &m->kernel;
	m->launch.program = p;
	m->ran = p && mx_launch_run(&m->launch, &m->report);
	mx_program_free(p);
}
#define RUN(m, code) run_bytes(m, code, sizeof(code))

/* A program built from parts. */
struct code {
	size_t bytes;
	uint32_t dwords[512];
};

static inline void append(struct code *c, const uint32_t *part, size_t bytes) {
	memcpy((char *)c->dwords + c->bytes, part, bytes);
	c->bytes += bytes;
}
#define APPEND(c, part) append(c, part, sizeof(part))

static inline void run_code(struct machine *m, const struct code *c) {
	run_bytes(m, c->dwords, c->bytes);
}

/* Opcodes of the vector ALU with float operands or results. */
static inline bool has_floats(const struct mx_op *op) {
	enum { BITS, FLOAT };
	static const uint8_t kinds[] = {
#define MX_TYPE(id, dwords, bits, elements, kind, constants, uses) kind,
#include "../../ref/isa/encoding/types.def"
#undef MX_TYPE
	};
	return mx_has_lanes(op) &&
	       (kinds[op->type] == FLOAT || kinds[op->source_type[0]] == FLOAT ||
	        strstr(op->name, "_class_"));
}

static inline void fill_arena(uint8_t byte) {
	memset(arena, byte, sizeof arena);
	memset(state, ALL_WRITTEN, sizeof state);
}

static inline void put(size_t at, uint32_t value) {
	memcpy(arena + at, &value, 4);
}
static inline uint32_t get(size_t at) {
	uint32_t value;
	memcpy(&value, arena + at, 4);
	return value;
}

static inline bool no_findings(const struct machine *m) {
	return m->ran && !m->report.n_findings;
}

/* Whether all findings are notes of assumptions. */
static inline bool only_notes(const struct machine *m) {
	size_t n = 0;
	while (n < m->report.n_findings && m->report.findings[n].kind == MX_ASSUMED_NOTE)
		n++;
	return m->ran && n == m->report.n_findings;
}

/* The finding if there is exactly one, or NULL. */
static inline const struct mx_finding *only_finding(const struct machine *m) {
	return m->ran && m->report.n_findings == 1 ? &m->report.findings[0] : NULL;
}

/* The text of a finding, in a static buffer. */
static inline const char *in_words(const struct machine *m, const struct mx_finding *f) {
	static char text[MX_LINE_ROOM];
	return mx_finding_text(&m->report, f, text, sizeof text);
}

/* Whether there is exactly one finding, and its text contains `words`. */
static inline bool finding_says(const struct machine *m, const char *words) {
	const struct mx_finding *f = only_finding(m);
	return f && strstr(in_words(m, f), words);
}

/* Whether there is exactly one finding, of this kind, at this byte of the program. */
static inline bool found(const struct machine *m, mx_finding_kind kind, uint64_t pc) {
	const struct mx_finding *f = only_finding(m);
	return f && f->kind == kind && f->pc == pc;
}

static inline void show_findings(const struct machine *m) {
	char proof[MX_LINE_ROOM];
	if (m->report.proof.outcome)
		diag("%s", mx_proof_text(&m->report.proof, proof, sizeof proof));
	if (!m->report.n_findings)
		diag("no finding");
	for (size_t i = 0; i < m->report.n_findings; i++)
		diag("%s: %s", mx_finding_name(m->report.findings[i].kind),
		     in_words(m, &m->report.findings[i]));
}

#endif
