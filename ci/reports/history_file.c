/* The SQLite file of a history: its tables, and reading it. */
#include "history_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "history.h"

#define APPLICATION 1836606312 /* PRAGMA application_id: "mxch" */
#define SCHEMA      3          /* PRAGMA user_version */
#define TEXT(x)     TEXT_(x)
#define TEXT_(x)    #x

enum { PATIENCE = 10000 }; /* ms that another process may hold the file */

static const char tables[] =
	"BEGIN IMMEDIATE;"
	"CREATE TABLE entry (id INTEGER PRIMARY KEY, time INTEGER NOT NULL, version TEXT,"
	" device TEXT NOT NULL, arch TEXT NOT NULL, runtime TEXT, seed TEXT NOT NULL,"
	" hardware TEXT, profile TEXT);"
	"CREATE TABLE run (entry INTEGER NOT NULL REFERENCES entry (id), name TEXT NOT NULL,"
	" kernel TEXT, code TEXT, compiler TEXT, revision TEXT, outcome TEXT NOT NULL,"
	" status INTEGER NOT NULL, findings TEXT, snr_deq REAL, snr_unq REAL, worst_row REAL,"
	" equal REAL, ulp REAL, seconds REAL);"
	"CREATE INDEX run_by_name ON run (name, entry);"
	"PRAGMA application_id = " TEXT(APPLICATION) ";"
						     "PRAGMA user_version = " TEXT(SCHEMA) ";"
											   "COMMIT";

int mx_history_fail(const char *path, sqlite3 *db, struct mx_error *err) {
	return mx_fail(err, "%s: %s", path, db ? sqlite3_errmsg(db) : "out of memory");
}

/* ---- opening ---- */

/* The number that a statement gives; -1 after a failure. */
static long long number_of(sqlite3 *db, const char *sql) {
	sqlite3_stmt *s = NULL;
	long long n = -1;
	if (!sqlite3_prepare_v2(db, sql, -1, &s, NULL) && sqlite3_step(s) == SQLITE_ROW)
		n = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return n;
}

/* The columns that an older schema lacks, in the order in which they were added. */
static const char *const later[SCHEMA] = { NULL, "hardware", "profile" };

/* An older schema can be read; before it is written, it becomes this one. Another process may do
 * the same. */
static bool has_schema(bool write, sqlite3 *db) {
	long long version = number_of(db, "PRAGMA user_version");
	for (; write && version >= 1 && version < SCHEMA; version++) {
		char sql[160];
		snprintf(sql, sizeof sql,
		         "BEGIN IMMEDIATE; ALTER TABLE entry ADD COLUMN %s TEXT;"
		         "PRAGMA user_version = %lld; COMMIT",
		         later[version], version + 1);
		if (sqlite3_exec(db, sql, NULL, NULL, NULL))
			sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	}
	version = number_of(db, "PRAGMA user_version");
	return version == SCHEMA || (version >= 1 && version < SCHEMA && !write);
}

static int check(const char *path, bool write, sqlite3 *db, struct mx_error *err) {
	/* In this order: another process makes both at once. */
	long long parts = number_of(db, "SELECT count(*) FROM sqlite_master");
	long long application = number_of(db, "PRAGMA application_id");
	if (application < 0 || parts < 0)
		return mx_history_fail(path, db, err);
	if (write && !parts && !application) {
		if (!sqlite3_exec(db, tables, NULL, NULL, NULL))
			return 0;
		struct mx_error why;
		mx_history_fail(path, db, &why);
		sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
		application = number_of(db, "PRAGMA application_id");
		if (application != APPLICATION) /* else another process was first */
			return mx_fail(err, "%s", why.text);
	}
	if (application != APPLICATION)
		return mx_fail(err, "%s: not a history of mxcheck", path);
	if (!has_schema(write, db))
		return mx_fail(err, "%s: a history of another version of mxcheck", path);
	return 0;
}

/* SQLite opens a read-only file without an error, for reading. */
int mx_history_open(const char *path, bool write, sqlite3 **db, struct mx_error *err) {
	struct stat s;
	int flags = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
	*db = NULL;
	if (!write && access(path, R_OK))
		return mx_fail(err, "%s: cannot be read: %s", path, strerror(errno));
	if (!stat(path, &s) && !S_ISREG(s.st_mode))
		return mx_fail(err, "%s: not a regular file", path);
	int status = sqlite3_open_v2(path, db, flags, NULL) ? mx_history_fail(path, *db, err) : 0;
	if (!status) {
		sqlite3_busy_timeout(*db, PATIENCE);
		sqlite3_exec(*db, "PRAGMA synchronous = NORMAL", NULL, NULL, NULL);
		status = check(path, write, *db, err);
	}
	if (status) {
		sqlite3_close(*db);
		*db = NULL;
	}
	return status;
}

/* ---- reading ---- */

static char *text_of(sqlite3_stmt *s, int column) {
	const char *text = (const char *)sqlite3_column_text(s, column);
	return strdup(text ? text : "");
}

static double number_at(sqlite3_stmt *s, int column) {
	return sqlite3_column_type(s, column) == SQLITE_NULL ? NAN
	                                                     : sqlite3_column_double(s, column);
}

/* Room for one more; the array doubles when n is a power of 2. */
static void *grown(void *array, size_t n, size_t bytes) {
	return n & (n - 1) ? array : realloc(array, (n ? 2 * n : 1) * bytes);
}

static bool add_entry(struct mx_past *p, sqlite3_stmt *s) {
	struct mx_past_entry *all = grown(p->entries, p->n_entries, sizeof *all);
	if (!all)
		return false;
	p->entries = all;
	all[p->n_entries++] = (struct mx_past_entry){
		.id = sqlite3_column_int64(s, 0),
		.time = sqlite3_column_int64(s, 1),
		.device = text_of(s, 2),
		.arch = text_of(s, 3),
		.seed = text_of(s, 4),
		.revision = text_of(s, 5),
		.runs = (size_t)sqlite3_column_int64(s, 6),
		.failed = (size_t)sqlite3_column_int64(s, 7),
		.hardware = text_of(s, 8),
		.profile = text_of(s, 9),
	};
	return true;
}

/* Entries are in the order of their ids. */
static size_t find_entry(const struct mx_past *p, long long id) {
	size_t low = 0, high = p->n_entries;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (p->entries[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool add_run(struct mx_past *p, sqlite3_stmt *s) {
	size_t entry = find_entry(p, sqlite3_column_int64(s, 0));
	struct mx_past_run *all = grown(p->runs, p->n_runs, sizeof *all);
	if (!all)
		return false;
	p->runs = all;
	if (entry >= p->n_entries)
		return true;
	struct mx_past_run *r = &all[p->n_runs++];
	*r = (struct mx_past_run){
		.entry = entry,
		.name = text_of(s, 1),
		.revision = text_of(s, 2),
		.compiler = text_of(s, 3),
		.code = text_of(s, 4),
		.outcome = text_of(s, 5),
		.findings = text_of(s, 6),
		.status = sqlite3_column_int(s, 7),
		.seconds = number_at(s, 8),
	};
	for (int i = 0; i < MX_MEASURES; i++)
		r->accuracy.at[i] = number_at(s, 9 + i);
	return true;
}

static int each_row(const char *path, sqlite3 *db, const char *sql, struct mx_past *p,
                    bool (*add)(struct mx_past *p, sqlite3_stmt *s), struct mx_error *err) {
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &s, NULL);
	if (!rc)
		while ((rc = sqlite3_step(s)) == SQLITE_ROW && add(p, s))
			;
	int status = rc == SQLITE_DONE  ? 0
	             : rc == SQLITE_ROW ? mx_fail(err, "out of memory")
	                                : mx_history_fail(path, db, err);
	sqlite3_finalize(s);
	return status;
}

int mx_past_read(const char *path, struct mx_past *p, struct mx_error *err) {
	static const char entries[] =
		"SELECT id, time, device, arch, seed, (SELECT revision FROM run WHERE entry = id"
		" LIMIT 1), count(name), sum(status <> 0), %s, %s FROM entry JOIN run ON entry = id"
		" GROUP BY id ORDER BY id";
	static const char runs[] =
		"SELECT entry, name, revision, compiler, code, outcome, findings, status, seconds,"
		" snr_deq, snr_unq, worst_row, equal, ulp FROM run ORDER BY name, entry";
	sqlite3 *db;
	char query[sizeof entries + 32];
	*p = (struct mx_past){ 0 };
	if (mx_history_open(path, false, &db, err))
		return -1;
	long long version = number_of(db, "PRAGMA user_version");
	snprintf(query, sizeof query, entries, version > 1 ? later[1] : "NULL",
	         version > 2 ? later[2] : "NULL");
	int status = each_row(path, db, query, p, add_entry, err);
	if (!status)
		status = each_row(path, db, runs, p, add_run, err);
	sqlite3_close(db);
	if (status)
		mx_past_free(p);
	return status;
}

void mx_past_free(struct mx_past *p) {
	for (size_t i = 0; i < p->n_entries; i++) {
		struct mx_past_entry *e = &p->entries[i];
		free(e->device);
		free(e->arch);
		free(e->seed);
		free(e->revision);
		free(e->hardware);
		free(e->profile);
	}
	for (size_t i = 0; i < p->n_runs; i++) {
		struct mx_past_run *r = &p->runs[i];
		free(r->name);
		free(r->revision);
		free(r->compiler);
		free(r->code);
		free(r->outcome);
		free(r->findings);
	}
	free(p->entries);
	free(p->runs);
	*p = (struct mx_past){ 0 };
}
