/* What a libFuzzer target is: one function on bytes that anybody may have written. */
#ifndef MX_TARGET_H
#define MX_TARGET_H

#include <stddef.h>
#include <stdint.h>

/* Must return, and return 0, whatever the bytes are. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
