/* Device memory by address: which bytes may be touched, and which are unwritten. */
#ifndef MX_DEVICE_MEMORY_H
#define MX_DEVICE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mx_inst;
struct mx_wave;

/* Whether [address, address + bytes) may be touched. An access outside every allocation is a fault
 * and stops the launch; one to a guard is reported, and the launch goes on. */
bool mx_memory_check(struct mx_wave *w, const struct mx_inst *in, int lane, uint64_t address,
                     size_t bytes, bool write);

/* Whether the bytes may be touched and there is nothing to report; else mx_memory_check reports. */
bool mx_memory_is_plain(struct mx_wave *w, uint64_t address, size_t bytes, bool write);

/* Up to 4 bytes of memory that has been checked, for an instruction that lands, or NULL; *unwritten
 * gets a bit for each bit. lane: -1: through the scalar cache. */
uint32_t mx_memory_read(struct mx_wave *w, const struct mx_inst *in, int lane, uint64_t address,
                        unsigned bytes, uint32_t *unwritten);
void mx_memory_write(struct mx_wave *w, const struct mx_inst *in, int lane, uint64_t address,
                     unsigned bytes, uint32_t value, uint32_t unwritten);

#endif
