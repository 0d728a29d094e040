/* Events of a launch for its observer; call only where w->observed has the kind. */
#ifndef MX_OBSERVE_H
#define MX_OBSERVE_H

#include <stdbool.h>
#include <stdint.h>

struct mx_inst;
struct mx_memop;
struct mx_wave;

/* At the start of each wave, observed or not: finds the kinds of events that it has. */
void mx_observe_begin(struct mx_wave *w);
void mx_observe_issue(struct mx_wave *w, const struct mx_inst *in);
void mx_observe_land(struct mx_wave *w, const struct mx_memop *m); /* NULL: it has landed */
void mx_observe_sgpr(const struct mx_wave *w, unsigned code);
void mx_observe_vgpr(const struct mx_wave *w, unsigned row, uint64_t lanes);
void mx_observe_memory(const struct mx_wave *w, uint64_t address, unsigned bytes, uint32_t value,
                       bool write);
/* Of LDS, where the bytes are. */
void mx_observe_lds(const struct mx_wave *w, unsigned lane, uint64_t at, unsigned bytes,
                    bool write);

#endif
