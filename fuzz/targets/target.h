/* The interface of a libFuzzer target: one function on arbitrary bytes. */
#ifndef MX_TARGET_H
#define MX_TARGET_H

#include <stddef.h>
#include <stdint.h>

/* Must return 0 for any bytes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
