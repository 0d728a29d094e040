/* Handing the events of a launch to its observer. Nothing of it changes the launch. */
#ifndef MX_OBSERVE_H
#define MX_OBSERVE_H

struct mx_run;

/* Puts the watcher for the launch's observer into the run, where there is one. */
void mx_observe(struct mx_run *run);

#endif
