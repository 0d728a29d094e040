/* A run on a real device and on the emulator, side by side.
 *
 * The result of such a run is that of the device, and has what the emulator found as well: its
 * races need no luck. A difference of the outputs is a finding `devices-differ` where no
 * accumulation, and no order, explains it: in the exact regime, and where bytes are copied.
 * Elsewhere it is a measurement: the finding `profile`, which fails nothing, in place of the
 * device's wrong-bits. */
#ifndef MX_BESIDE_H
#define MX_BESIDE_H

#include "../../oracle/outputs.h"
#include "report.h"

struct mx_beside {
	struct mx_result emu;            /* of the emulator, with what it owns */
	struct mx_difference difference; /* of the device's outputs; elements 0: not compared */
	struct mx_measurement measurement;
	bool disagree; /* the outputs differ, and no accumulation explains it */
};

/* Compares r, the judged run that b has just done on the device, with the result of the emulator.
 * r->beside has all but `emu`. 0, or -1 with r->err. */
int mx_beside_compare(struct mx_bench *b, const struct mx_result *emu, struct mx_result *r);

/* Joins the result of the emulator to r, also to one that was not compared, because its process
 * died. Takes what *emu owns. Short of memory r stays as it is. */
void mx_beside_join(struct mx_result *emu, struct mx_result *r);

/* "outputs as on emu", or "outputs: 6 of 65536 elements differ from emu, at most 1 ULP; first
 * C[0][3]
 * ...". */
char *mx_beside_text(const struct mx_beside *s, char *text, size_t room);

#endif
