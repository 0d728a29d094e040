/* The first wrong element and its neighbours, `got` above `want`. */
#include "product.h"

#include <stdio.h>

enum { ROWS = 3, COLS = 4 };

static size_t start(size_t at, size_t n, size_t show) {
	size_t before = show / 2;
	size_t from = at > before ? at - before : 0;
	return n <= show ? 0 : from + show > n ? n - show : from;
}

static size_t line(const struct mx_output *o, size_t row, size_t col, const uint32_t *codes,
                   const char *name, char *text, size_t room) {
	size_t n =
		(size_t)snprintf(text, room, "[%zu][%zu..] %s", o->row + row, o->col + col, name);
	for (size_t c = col; c < o->g.n && c < col + COLS && n < room; c++) {
		size_t i = row * o->g.n + c;
		n += (size_t)snprintf(text + n, room - n, " %13.7g%s",
		                      mx_code_value(o->format, codes[i]),
		                      o->differs[i] ? "*" : " ");
	}
	if (n + 1 < room)
		n += (size_t)snprintf(text + n, room - n, "\n");
	return n;
}

void mx_window(const struct mx_output *o, char *text, size_t room) {
	size_t row = start(o->first / o->g.n, o->g.m, ROWS);
	size_t col = start(o->first % o->g.n, o->g.n, COLS), n = 0;
	text[0] = 0;
	for (size_t r = row; r < o->g.m && r < row + ROWS; r++) {
		if (n < room)
			n += line(o, r, col, o->got, "got ", text + n, room - n);
		if (n < room)
			n += line(o, r, col, o->want, "want", text + n, room - n);
	}
}
