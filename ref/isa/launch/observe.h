/* Passing the events of a launch to its observer, without a change to the launch. */
#ifndef MX_OBSERVE_H
#define MX_OBSERVE_H

struct mx_run;

/* Adds the watcher for the launch's observer to the run, if there is one. */
void mx_observe(struct mx_run *run);

#endif
