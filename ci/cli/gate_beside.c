/* The runs on the emulator that go beside those on a real device. */
#include <stdlib.h>

#include "gate.h"
#include "progress.h"
#include "result.h"
#include "terminal.h"

static void count_done(void *context, size_t i) {
	struct mx_gate *g = context;
	g->done[i] = true;
	g->n_done++;
	if (!g->o->race)
		mx_progress_show(g->n_done, g->selection.n_runs, mx_seconds() - g->start);
}

/* The gate of the emulator: the same selection, and results of its own. */
static int run_emulator(struct mx_gate *g, struct mx_error *err) {
	struct mx_gate e = { .o = g->o,
		             .device = g->emu,
		             .kernel_dir = g->kernel_dir,
		             .selection = g->selection,
		             .results = g->emulated,
		             .done = calloc(g->selection.n_runs + 1, sizeof *e.done),
		             .start = g->start,
		             .keeps_outputs = true };
	int status = e.done ? mx_gate_work(&e, count_done, err) : mx_fail(err, "out of memory");
	mx_progress_clear();
	g->interrupted = e.interrupted;
	free(e.done);
	return status;
}

int mx_gate_emulate(struct mx_gate *g, struct mx_error *err) {
	int status = run_emulator(g, err);
	if (!status && !g->interrupted)
		return 0;
	for (size_t i = 0; i < g->selection.n_runs; i++)
		mx_result_free(&g->emulated[i]);
	free(g->emulated);
	g->emulated = NULL;
	return status;
}
