/* What a start of mxcheck costs: commands as processes, in milliseconds of wall time and of
 * processor time, its own and that of the processes that it waits for. Argument: runs of each. */
#define _GNU_SOURCE
#include "bench.h"

#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { WORDS = 8, MOST = 1000 };

static void fail(const char *what) {
	fprintf(stderr, "start_bench: %s\n", what);
	exit(1);
}

/* Runs a program without its output; its processor time in milliseconds. */
static double run(char *const argv[]) {
	posix_spawn_file_actions_t to;
	struct rusage used;
	pid_t child;
	int status;
	posix_spawn_file_actions_init(&to);
	posix_spawn_file_actions_addopen(&to, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	if (posix_spawnp(&child, argv[0], &to, NULL, argv, environ) ||
	    wait4(child, &status, 0, &used) != child || status)
		fail(argv[0]);
	posix_spawn_file_actions_destroy(&to);
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
	       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-3;
}

/* `command`: words with single spaces between them. */
static void start(const char *name, const char *program, const char *command, int runs) {
	char words[256], row[64], *argv[WORDS + 2] = { (char *)program };
	double wall[MOST], cpu[MOST];
	unsigned n = 1;
	snprintf(words, sizeof words, "%s", command);
	for (char *w = strtok(words, " "); w && n <= WORDS; w = strtok(NULL, " "))
		argv[n++] = w;
	run(argv);
	for (int i = 0; i < runs; i++) {
		double began = bench_now();
		cpu[i] = run(argv);
		wall[i] = (bench_now() - began) * 1e3;
	}
	snprintf(row, sizeof row, "start/%s", name);
	bench_print_of(row, "ms", wall, runs);
	snprintf(row, sizeof row, "start/%s/processor", name);
	bench_print_of(row, "ms", cpu, runs);
}

int main(int argc, char **argv) {
	static const struct {
		const char *name, *command;
	} rows[] = {
		{ "help", "quant --help" },
		{ "version", "--version" },
		{ "list", "--list" },
		{ "disasm", "disasm kernels/gemm/mxfp4_gemm.co" }, /* in the build's folder */
		{ "1x1x32", "--device emu gemm/mxfp4_f32/1x1x32/exact" },
		{ "gemm", "--device emu gemm/mxfp4_f32/64x64x256/general" },
		{ "gemm/plain", "--device emu --no-analysis gemm/mxfp4_f32/64x64x256/general" },
		{ "quantise", "--device emu quantise/mxfp4_rows/7x1x96/special" },
	};
	const char *build = getenv("BUILD") ? getenv("BUILD") : "build";
	int runs = argc > 1 ? atoi(argv[1]) : 40;
	if (runs < 1 || runs > MOST)
		fail("1 to 1000 runs");
	if (chdir(build))
		fail(build);
	start("true", "true", "", runs); /* what any process costs here */
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		start(rows[i].name, "./mxcheck", rows[i].command, runs);
	return 0;
}
