/* Fuzz target: the parsers of arguments. The first byte selects the parser of the rest. A command
 * gets one argument a line, without options that name a file to write. */
#define _GNU_SOURCE
#include "memory_file.h"

#include <string.h>

#include "../../ci/cli/args.h"
#include "../../ci/numbers/codes.h"
#include "../../ci/cli/command.h"
#include "../../ci/cli/options.h"
#include "../hunt/schedule.h"
#include "../../kernels/host/vary.h"
#include "target.h"

static void number(const char *text) {
	char printed[32];
	mx_f32 x;
	unsigned long n;
	if (mx_parse_f32(text, &x))
		mx_f32_text(x, printed);
	mx_parse_unsigned(text, 1000, &n);
}

static void codes(const char *text) {
	struct mx_bytes b;
	struct mx_error err;
	if (mx_is_npy(text))
		return;
	mx_codes_load(text, MX_E2M3, false, &b, &err);
	free(b.v);
}

/* A schedule that is printed and parsed again is the same. */
static void schedule(const char *text) {
	struct mx_schedule s = { 0 }, again = { 0 };
	struct mx_error err;
	if (!mx_schedule_parse(text, &s, &err)) {
		char *printed = mx_schedule_text(&s);
		if (printed && (mx_schedule_parse(printed, &again, &err) || again.n != s.n))
			abort();
		mx_schedule_free(&again);
		free(printed);
	}
	mx_schedule_free(&s);
}

static void vary(const char *text) {
	struct mx_vary v = { 0 };
	struct mx_why why;
	char printed[128];
	if (!mx_vary_parse(text, &v, &why))
		mx_vary_text(&v, true, printed, sizeof printed);
}

static void trace(const char *text) {
	const struct mx_trace_options o = { .wave = text, .stop = text, .lane = -1 };
	struct mx_error err;
	mx_trace_check(&o, &err);
}

static void expression(const char *text) {
	const struct mx_name names[] = { { "M", 5 }, { "N", -7 }, { "K", INT64_MAX } };
	struct mx_error err;
	int64_t value;
	mx_expr_eval(text, names, 3, &value, &err);
}

static void duration(const char *text) {
	double seconds;
	mx_parse_duration(text, &seconds);
}

static bool writes(const char *argument) {
	return !strncmp(argument, "-o", 2) || !strncmp(argument, "--scales", 8);
}

static void command(const char *name, int (*run)(int argc, char **argv), char *text) {
	char *argv[32] = { (char *)name };
	int argc = 1;
	for (char *line; argc < 31 && (line = strsep(&text, "\n")); argc++) {
		if (writes(line) || mx_is_npy(line))
			return;
		argv[argc] = line;
	}
	be_silent();
	run(argc, argv);
	be_loud();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	static void (*const parsers[])(const char *) = { number, codes,      schedule, vary,
		                                         trace,  expression, duration };
	char *text = size && size < 4096 ? malloc(size) : NULL;
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = 0;
	switch (data[0]) {
	case 'q': command("quant", mx_cmd_quant, text); break;
	case 'd': command("dequant", mx_cmd_dequant, text); break;
	case 'm': command("mfma", mx_cmd_mfma, text); break;
	default: parsers[data[0] % (sizeof parsers / sizeof *parsers)](text);
	}
	free(text);
	return 0;
}
