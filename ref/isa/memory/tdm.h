/* The tensor data mover of gfx1250. */
#ifndef MX_TDM_H
#define MX_TDM_H

#include "../schedule/inflight.h"

/* Issues the copy that a descriptor describes: for MX_STORE from LDS, otherwise into LDS. The wave
 * does it once, whatever EXEC is. A descriptor that no source defines stops the launch. */
void mx_tdm_issue(struct mx_wave *w, const struct mx_inst *in, const uint32_t d[MX_TDM_DWORDS]);

/* Takes the descriptor of a tensor copy from the scalar registers. */
void mx_tdm_operands(const struct mx_inst *in, const uint32_t *sgprs, uint32_t d[MX_TDM_DWORDS]);

#endif
