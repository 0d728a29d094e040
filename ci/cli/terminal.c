/* What a terminal gets beside the report: colour, and progress. */
#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"

bool mx_output_is_terminal(void) {
	return isatty(STDOUT_FILENO);
}

bool mx_errors_are_terminal(void) {
	return isatty(STDERR_FILENO);
}

static bool has_colour(void) {
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	return mx_output_is_terminal() && !(no && no[0]) && !(term && !strcmp(term, "dumb"));
}

void mx_print_coloured(mx_colour colour, const char *word) {
	if (has_colour())
		printf("\033[%dm%s\033[0m", colour, word);
	else
		fputs(word, stdout);
}

static bool shown;

void mx_progress_show(size_t done, size_t of, double seconds) {
	static double last;
	if (!mx_errors_are_terminal() || done >= of || (done > 1 && seconds - last < 0.1))
		return;
	last = seconds;
	mx_progress_clear();
	shown = true;
	double rate = seconds > 0 ? (double)done / seconds : 0;
	fprintf(stderr, "%zu of %zu runs, %.1f a second", done, of, rate);
	if (rate > 0)
		mx_print_left((double)(of - done) / rate);
}

void mx_progress_clear(void) {
	if (shown)
		fputs("\r\033[K", stderr);
	shown = false;
}
