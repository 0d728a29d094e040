/* The buffers after a launch, as .npy files. */
#ifndef MX_SAVE_H
#define MX_SAVE_H

#include "../../oracle/bench.h"

/* Writes every buffer of the last run to folder/NAME_OF_THE_RUN/BUFFER.npy and makes the folders.
 * A line of the buffer is a row of the array. Codes of MX formats are their packed bytes; bf16 is
 * u16. Nothing outside the folder is written: cases/check.c refuses a case name that leads out of
 * it. Returns 0, or -1 with err->text. */
int mx_save(const struct mx_bench *b, const char *folder, struct mx_error *err);

#endif
