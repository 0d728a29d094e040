/* How matrix instructions accumulate in launches without options: MXHIP_PROFILE, a name of
 * profiles.def, or a list of profiles in a file (ref/mma/family.h). */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../mma/family.h"
#include "../mma/matrix_profiles.h"
#include "runtime.h"

static struct {
	const mx_profile *all;
	struct mx_matrix_profiles single;
	bool any_single;
} wish;

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Takes one line of a list; NULL, or why it is wrong. The profile stays. */
static const char *take_line(char *line) {
	char *name = strsep(&line, " \t\n");
	mx_profile *p = malloc(sizeof *p);
	if (!p || !(name = strdup(name)))
		return "out of memory";
	if (!mx_family_read(line, p) || mx_profile_check(p))
		return "it is no profile";
	p->name = name;
	if (mx_matrix_profile_check(p))
		return "its instruction cannot have it";
	if (!strcmp(name, MX_FAMILY_ALL))
		wish.all = p;
	else if (mx_matrix_profiles_add(&wish.single, p))
		wish.any_single = true;
	else
		return "it names no matrix instruction of gfx950";
	return NULL;
}

static bool take_list(const char *path, FILE *list) {
	char *line = NULL;
	const char *wrong = NULL;
	size_t room = 0;
	for (unsigned n = 1; !wrong && getline(&line, &room, list) > 0; n++)
		if (!strchr("#\n", *line) && (wrong = take_line(line)))
			fprintf(stderr, "libmxhip: ignored: MXHIP_PROFILE: %s:%u: %s\n", path, n,
			        wrong);
	free(line);
	fclose(list);
	return !wrong;
}

static void read_environment(void) {
	const char *text = getenv("MXHIP_PROFILE");
	if (!text || !*text || (wish.all = mx_profile_by_name(text)))
		return;
	FILE *list = fopen(text, "r");
	if (!list)
		fprintf(stderr, "libmxhip: ignored: MXHIP_PROFILE: %s: %s\n", text,
		        strerror(errno));
	else if (!take_list(text, list))
		memset(&wish, 0, sizeof wish);
}

void mx_environment_arithmetic(struct mx_launch *l) {
	pthread_once(&once, read_environment);
	if (wish.all)
		l->profile = wish.all;
	if (wish.any_single)
		l->profiles = &wish.single;
}
