/* Signals that end long work early. */
#include "interrupt.h"

#include <stddef.h>

static volatile sig_atomic_t signalled;

static void on_signal(int number) {
	signalled = number;
}

void mx_interrupt_catch(struct mx_handlers *old) {
	const struct sigaction catch = { .sa_handler = on_signal };
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	signalled = 0;
	sigaction(SIGINT, &catch, &old->interrupt);
	sigaction(SIGTERM, &catch, &old->terminate);
	sigaction(SIGPIPE, &ignore, &old->pipe);
}

void mx_interrupt_restore(const struct mx_handlers *old) {
	sigaction(SIGINT, &old->interrupt, NULL);
	sigaction(SIGTERM, &old->terminate, NULL);
	sigaction(SIGPIPE, &old->pipe, NULL);
}

bool mx_interrupted(void) {
	return signalled != 0;
}
