/* The number of wave instructions that a core executes in a second, in a loop of vector ALU
 * instructions with all lanes active; and the time of an instruction of memory, from issue to
 * landing, with its lanes accessed together and one by one. */
#include "../isa/machine_test.h"
#include "bench.h"

enum { LOOPS = 0x1000, FLOATS = 8, INTEGERS = 8, SCALARS = 3, UNROLLED = 15 };

static const uint32_t prologue[] = {
	0xbe8400ff, 0x00001000, /* s_mov_b32 s4, 0x1000 */
	0x7e020d00,             /* v_cvt_f32_u32_e32 v1, v0 */
	0x7e0402f2,             /* v_mov_b32_e32 v2, 1.0 */
	0x7e0602f4,             /* v_mov_b32_e32 v3, 2.0 */
	0x7e080300,             /* v_mov_b32_e32 v4, v0 */
	0x7e0a0300,             /* v_mov_b32_e32 v5, v0 */
	0x7e0c02f2,             /* v_mov_b32_e32 v6, 1.0 */
	0x240e0084,             /* v_lshlrev_b32_e32 v7, 4, v0 */
	0x24100082,             /* v_lshlrev_b32_e32 v8, 2, v0 */
	0xdc5c8000, 0x0c000007, /* global_load_dwordx4 v[12:15], v7, s[0:1] */
	0xbe900100,             /* s_mov_b64 s[16:17], s[0:1] */
	0xbe9200ff, 0x00020000, /* s_mov_b32 s18, 0x20000 */
	0xbe9300ff, 0x00027000, /* s_mov_b32 s19, 0x27000 */
	0xb07c1000,             /* s_movk_i32 m0, 0x1000 */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0xd9be0000, 0x00000c07, /* ds_write_b128 v7, v[12:15] */
	0xdc7c4000, 0x007f0c00, /* scratch_store_dwordx4 off, v[12:15], off */
};

static const uint32_t floats[] = {
	0x02020302,             /* v_add_f32_e32 v1, v2, v1 */
	0x0a0606f0,             /* v_mul_f32_e32 v3, 0.5, v3 */
	0xd1cb0002, 0x040a0701, /* v_fma_f32 v2, v1, v3, v2 */
	0x760c0501,             /* v_fmac_f32_e32 v6, v1, v2 */
	0xd1cb0001, 0x040de101, /* v_fma_f32 v1, v1, 0.5, v3 */
	0x04060501,             /* v_sub_f32_e32 v3, v1, v2 */
	0x0a040701,             /* v_mul_f32_e32 v2, v1, v3 */
	0x020204f2,             /* v_add_f32_e32 v1, 1.0, v2 */
};

static const uint32_t integers[] = {
	0x68080905,             /* v_add_u32_e32 v4, v5, v4 */
	0x240a0883,             /* v_lshlrev_b32_e32 v5, 3, v4 */
	0x2a0a0b04,             /* v_xor_b32_e32 v5, v4, v5 */
	0x260808ff, 0x7fffffff, /* v_and_b32_e32 v4, 0x7fffffff, v4 */
	0xd1fd0004, 0x04110505, /* v_lshl_add_u32 v4, v5, 2, v4 */
	0xd2850005, 0x00020b04, /* v_mul_lo_u32 v5, v4, v5 */
	0xd1c80004, 0x02510705, /* v_bfe_u32 v4, v5, 3, 20 */
	0xd1ff0005, 0x04020b04, /* v_add3_u32 v5, v4, v5, v0 */
};

/* Instructions of memory. */
static const struct {
	const char *name;
	uint32_t dwords[2];
} memory[] = {
	{ "buffer_load_dwordx4 lds",
	  { 0xe05d1000, 0x80040007, /* buffer_load_dwordx4 v7, s[16:19], 0 offen lds */ } },
	{ "buffer_load_dwordx2",
	  { 0xe0541000, 0x80040c07, /* buffer_load_dwordx2 v[12:13], v7, s[16:19], 0 offen */ } },
	{ "global_load_dwordx4",
	  { 0xdc5c8000, 0x0c000007, /* global_load_dwordx4 v[12:15], v7, s[0:1] */ } },
	{ "buffer_store_dword",
	  { 0xe0701000, 0x80040108, /* buffer_store_dword v1, v8, s[16:19], 0 offen */ } },
	{ "buffer_store_dwordx4",
	  { 0xe07c1000, 0x80040c07, /* buffer_store_dwordx4 v[12:15], v7, s[16:19], 0 offen */ } },
	{ "ds_read_b128", { 0xd9fe0000, 0x0c000007, /* ds_read_b128 v[12:15], v7 */ } },
	{ "ds_write_b128", { 0xd9be0000, 0x00000c07, /* ds_write_b128 v7, v[12:15] */ } },
	{ "scratch_load_dwordx4",
	  { 0xdc5c4000, 0x0c7f0000, /* scratch_load_dwordx4 v[12:15], off, off */ } },
	{ "scratch_store_dwordx4",
	  { 0xdc7c4000, 0x007f0c00, /* scratch_store_dwordx4 off, v[12:15], off */ } },
};

static const uint32_t wait_for_all[] = {
	0xbf8c0070, /* s_waitcnt vmcnt(0) lgkmcnt(0) */
};

/* The end of the loop without the branch, which depends on its length. */
static const uint32_t count_down[] = {
	0x80848104, /* s_sub_u32 s4, s4, 1 */
	0xbf078004, /* s_cmp_lg_u32 s4, 0 */
};

struct job {
	struct machine m;
	struct code code;
	struct mx_program *program;
};

static void launch(void *arg) {
	struct job *j = arg;
	mx_launch_run(&j->m.launch, &j->m.report);
}

static void make(struct job *j, const uint32_t *body, size_t bytes) {
	*j = (struct job){ .m = machine() };
	APPEND(&j->code, prologue);
	append(&j->code, body, bytes);
	APPEND(&j->code, count_down);
	uint32_t back = (uint32_t)((bytes + sizeof count_down) / 4 + 1);
	uint32_t end[] = { 0xbf850000 | (-back & 0xffff), 0xbf810000 /* s_endpgm */ };
	APPEND(&j->code, end);
	j->program = mx_program_new(&mx_gfx950, j->code.dwords, j->code.bytes,
	                            (uintptr_t)j->code.dwords);
	j->m.kernel.entry = (uintptr_t)j->code.dwords;
	j->m.kernel.lds_bytes = 1 << 14;
	j->m.kernel.scratch_bytes = 64;
	j->m.launch.kernel = &j->m.kernel;
	j->m.launch.program = j->program;
	fill_arena(0);
}

static void finish(struct job *j, const char *name) {
	char line[MX_LINE_ROOM];
	if (j->m.report.n_findings)
		fprintf(stderr, "%s: %s\n", name,
		        mx_finding_text(&j->m.report, j->m.report.findings, line, sizeof line));
	mx_report_free(&j->m.report);
	mx_program_free(j->program);
}

static void report(const char *name, const uint32_t *body, size_t bytes, unsigned instructions) {
	static struct job j;
	make(&j, body, bytes);
	bench(name, "M wave-instructions/s", LOOPS * (instructions + SCALARS) * 1e-6, launch, &j);
	finish(&j, name);
}

/* In turn, so that other load slows both. The loop itself counts too. */
static void report_memory(unsigned i) {
	static struct job j;
	struct code body = { 0 };
	double ns[2][BENCH_RUNS];
	char name[100];
	for (unsigned k = 0; k < UNROLLED; k++)
		append(&body, memory[i].dwords, sizeof memory[i].dwords);
	APPEND(&body, wait_for_all);
	make(&j, body.dwords, body.bytes);
	launch(&j);
	for (unsigned run = 0; run < 2 * BENCH_RUNS; run++) {
		j.m.launch.lane_by_lane = run % 2;
		double start = bench_processor_now();
		launch(&j);
		ns[run % 2][run / 2] = (bench_processor_now() - start) * 1e9 / (LOOPS * UNROLLED);
	}
	for (unsigned way = 0; way < 2; way++) {
		snprintf(name, sizeof name, "memory/%s/%s", memory[i].name,
		         way ? "lane by lane" : "lanes together");
		bench_print(name, "ns a wave-instruction", ns[way]);
	}
	finish(&j, memory[i].name);
}

int main(void) {
	report("valu/f32", floats, sizeof floats, FLOATS);
	report("valu/integer", integers, sizeof integers, INTEGERS);
	for (unsigned i = 0; i < sizeof memory / sizeof *memory; i++)
		report_memory(i);
	return 0;
}
