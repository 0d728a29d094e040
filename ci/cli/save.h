/* What a launch left, as .npy files. */
#ifndef MX_SAVE_H
#define MX_SAVE_H

#include "../../oracle/bench.h"

/* Writes every buffer of the last run to folder/NAME_OF_THE_RUN/BUFFER.npy; folders are
 * made as needed. A line of the buffer is a row of the array; codes of MX formats are
 * their packed bytes, bf16 16-bit patterns. Nothing outside the folder is written: a case's name
 * leads nowhere else (cases/check.c). Returns 0, or -1 with err->text. */
int mx_save(const struct mx_bench *b, const char *folder, struct mx_error *err);

#endif
