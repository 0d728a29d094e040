/* The report of provenance: chains of instructions as text. */
#ifndef MX_PROVENANCE_REPORT_H
#define MX_PROVENANCE_REPORT_H

#include "provenance.h"
#include "../../oracle/location.h"

/* Finds and prints the chain of instructions that computed a location, `depth` deep. */
int mx_who(struct mx_bench *b, uint64_t schedule, const char *location, unsigned depth,
           struct mx_error *err);

/* "kernel+0xeb8 buffer_store_dword ...; workgroup 0,0,0 wave 1 lane 8, landed at 2927" */
void mx_step_text(const struct mx_bench *b, const struct mx_step *s, char *text, size_t room);

/* One line without its end: the last writer of a byte, with workgroup, wave, lane and time. */
int mx_who_line(struct mx_bench *b, uint64_t schedule, uint64_t address, char *text, size_t room,
                struct mx_error *err);

#endif
