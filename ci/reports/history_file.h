/* The SQLite file of a history, private to this folder. */
#ifndef MX_HISTORY_FILE_H
#define MX_HISTORY_FILE_H

#include <sqlite3.h>

#include "../../cases/case.h"

/* Opens the file and checks that it is a history; with `write` it may be new or empty, and gets its
 * tables. 0, or -1 with err->text; then *db is NULL. */
int mx_history_open(const char *path, bool write, sqlite3 **db, struct mx_error *err);

/* The last error of a database, with the name of the file; returns -1. */
int mx_history_fail(const char *path, sqlite3 *db, struct mx_error *err);

#endif
