/* Waivers at the end of a run. */
#ifndef MX_CI_WAIVERS_H
#define MX_CI_WAIVERS_H

#include "select.h"

/* Prints a line for each waiver of the selected cases, and of --waive, that waived no finding. */
void mx_waivers_report(const struct mx_options *o, const struct mx_selection *s);

#endif
