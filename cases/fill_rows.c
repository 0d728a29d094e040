/* The rows of an operand on several threads. Each element depends on its place alone, so their
 * number changes nothing. */
#include "fill.h"

#include <pthread.h>

enum { MOST = 64, ROWS_LEAST = 64 };
static unsigned threads = 1;

void mx_data_threads(unsigned n) {
	threads = n;
}

struct part {
	struct operand o;
	fill_part *fill;
	const void *how;
	mx_status status;
	pthread_t thread;
	bool started;
};

static void *run(void *argument) {
	struct part *p = argument;
	p->status = p->fill(&p->o, p->how);
	return NULL;
}

static size_t count_parts(size_t rows) {
	size_t n = rows / ROWS_LEAST < threads ? rows / ROWS_LEAST : threads;
	return n > MOST ? MOST : n ? n : 1;
}

/* The calling thread has the first part, and those for which no thread could be started. */
mx_status fill_rows(const struct operand *o, fill_part *fill, const void *how) {
	size_t rows = o->to - o->from, n = count_parts(rows);
	struct part part[MOST];
	mx_status status = MX_OK;
	for (size_t i = 0; i < n; i++) {
		struct part *p = &part[i];
		*p = (struct part){ .o = *o, .fill = fill, .how = how };
		p->o.from = o->from + rows * i / n;
		p->o.to = o->from + rows * (i + 1) / n;
		if (o->values)
			p->o.values += (p->o.from - o->from) * o->codes->cols;
		p->started = i && !pthread_create(&p->thread, NULL, run, p);
	}
	for (size_t i = 0; i < n; i++) {
		if (part[i].started)
			pthread_join(part[i].thread, NULL);
		else
			run(&part[i]);
		status = status ? status : part[i].status;
	}
	return status;
}
