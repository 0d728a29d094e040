/* Ends long work early, with its results until then: SIGINT and SIGTERM set a flag. SIGPIPE is
 * ignored. */
#ifndef MX_INTERRUPT_H
#define MX_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

struct mx_handlers {
	struct sigaction interrupt, terminate, pipe;
};

void mx_interrupt_catch(struct mx_handlers *old);
void mx_interrupt_restore(const struct mx_handlers *old);

/* Whether a signal came after mx_interrupt_catch. */
bool mx_interrupted(void);

#endif
