/* What a launch has accessed of device memory; touched.c. */
#ifndef MX_TOUCHED_H
#define MX_TOUCHED_H

#include "race.h"

/* Adds the accesses of an analysis, if the launch asks for them. False if memory is short. */
bool mx_race_add_touched(const struct mx_launch *l, const struct mx_race_analysis *o);

#endif
