/* A folder of questions and results, for devices that mxcheck does not drive: mxcheck-probe.5. */
#ifndef MX_PROBE_SET_H
#define MX_PROBE_SET_H

#include "probe.h"

enum { MX_PROBE_BLOCK_DOTS = 1 << 18, MX_PROBE_TEXT = 256 };

struct mx_probe_plan {
	const char *insns; /* patterns of fnmatch(3), separated by commas */
	uint64_t seed;
	uint64_t dots; /* random dots of each instruction */
	bool bare;     /* no files of random dots: the program makes them by random.h */
};

/* Whether one of the patterns fits. */
bool mx_probe_is_selected(const char *patterns, const char *name);

/* 0 if each of the patterns fits an instruction, of gfx950 if that is set. */
int mx_probe_check_patterns(const char *patterns, bool gfx950, struct mx_error *err);

/* Writes a folder without a manifest. `begin` is called before the first file, with the number of
 * instructions and the bytes of their dots; headers and the manifest are not counted. */
typedef void mx_probe_begin(const char *folder, size_t insns, uint64_t bytes);
int mx_probe_emit(const char *folder, const struct mx_probe_plan *p, mx_probe_begin *begin,
                  struct mx_error *err);

/* What the manifest says of one instruction. */
struct mx_probe_entry {
	struct mx_probe_insn insn;
	uint64_t dots;
	size_t of_question[MX_QUESTIONS]; /* dots, which are in this order */
};

struct mx_probe_set {
	const char *folder; /* of mx_probe_open, not owned */
	uint64_t seed;
	struct mx_probe_entry *entry;
	size_t n;
	char device[MX_PROBE_TEXT], driver[MX_PROBE_TEXT],
		date[MX_PROBE_TEXT]; /* "" if not given */
};

int mx_probe_open(const char *folder, struct mx_probe_set *s, struct mx_error *err);
void mx_probe_close(struct mx_probe_set *s);

/* The questions in the folder, which may be those of another version. The caller frees *dots. */
int mx_probe_read_questions(const struct mx_probe_set *s, const struct mx_probe_entry *e,
                            struct mx_probe_dot **dots, size_t *n, struct mx_error *err);

/* The results of the questions (block 0), or of a block of random dots (1, 2 ...), which are
 * *first, *first + 1 ... The caller frees *d. Returns 1 if the program has not written them. */
int mx_probe_results(const struct mx_probe_set *s, const struct mx_probe_entry *e, unsigned block,
                     size_t questions, uint64_t **d, uint64_t *first, size_t *n,
                     struct mx_error *err);

/* The dots of a block, of which *first is the number of the first. */
size_t mx_probe_block_dots(unsigned block, size_t questions, uint64_t dots, uint64_t *first);

/* Random blocks of an instruction. */
static inline unsigned mx_probe_blocks(uint64_t dots) {
	return (unsigned)((dots + MX_PROBE_BLOCK_DOTS - 1) / MX_PROBE_BLOCK_DOTS);
}

#endif
