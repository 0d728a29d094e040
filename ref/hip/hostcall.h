/* Calls of the host by the waves of a running launch: printf, device memory, functions. */
#ifndef MX_HOSTCALL_H
#define MX_HOSTCALL_H

#include <stdio.h>

#include "runtime.h"

/* ---- hostcall.c ---- */

/* The hostcall buffer of one launch of so many waves, and its doorbell. NULL if memory is short. */
struct mx_hostcall *mx_hostcall_new(uint64_t waves);
void mx_hostcall_free(struct mx_hostcall *h);

/* The value of hidden_hostcall_buffer. */
uint64_t mx_hostcall_address(const struct mx_hostcall *h);
const struct mx_doorbell *mx_hostcall_doorbell(struct mx_hostcall *h);

/* Whether an assertion of the kernel has failed. */
bool mx_hostcall_asserted(const struct mx_hostcall *h);

/* From now on printf of a kernel prints nothing; or to standard error, whatever it names. h may be
 * NULL. */
void mx_hostcall_silence(struct mx_hostcall *h);
void mx_hostcall_to_stderr(struct mx_hostcall *h);

/* ---- device_printf.c ---- */

/* Prints a format string, padded to 8 bytes, and its arguments, each 8 bytes or a string that is
 * padded to them. Returns the number of characters, or -1. */
int mx_device_printf(FILE *to, const uint64_t *words, size_t n);

/* The printf buffer, which is printed after the launch: its size, 4096 bytes for each of the 1024
 * work-items that a workgroup may have [clr printfBufferSize_]; its beginning, and what it has.
 * formats: those of the kernel's module. to: NULL is the stream that each call names. */
enum { MX_PRINTF_BYTES = 4096 * 1024 };
void mx_printf_buffer_begin(uint8_t *buffer);
void mx_printf_buffer_print(const uint8_t *buffer, const struct ihipModule_t *module, FILE *to);

/* ---- device_heap.c ---- */

/* Bytes of the pool, hipLimitMallocHeapSize; and another number, until a kernel has needed it:
 * false after that. */
size_t mx_device_heap_bytes(void);
bool mx_device_heap_resize(size_t bytes);

/* The value of hidden_heap_v1; 0 if memory is short. */
uint64_t mx_device_heap(void);

/* The heap and the pool of its memory, 0 if they are not made; parts of the pool that are taken,
 * and requests so far. */
struct mx_heap_use {
	uint64_t heap, pool;
	size_t parts;
	uint64_t requests;
};
struct mx_heap_use mx_device_heap_use(void);

/* Memory for device code, 0 if there is none; and its end. */
uint64_t mx_device_heap_take(uint64_t bytes);
bool mx_device_heap_give(uint64_t address);

#endif
