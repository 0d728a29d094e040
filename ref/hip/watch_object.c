/* The code objects of a watched program, for the source lines of its findings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "watch.h"

void mx_watch_keep(struct ihipModule_t *m, const void *elf, size_t bytes) {
	m->elf = mx_watching() ? malloc(bytes) : NULL;
	if (m->elf) {
		memcpy(m->elf, elf, bytes);
		m->elf_bytes = bytes;
	}
	m->loaded = mx_recording() ? malloc(m->image_bytes) : NULL;
	if (m->loaded)
		memcpy(m->loaded, m->image, m->image_bytes);
}

const char *mx_watch_object(const char *folder, struct ihipModule_t *m) {
	static unsigned n;
	char path[4096];
	if (m->file[0] || !m->elf)
		return m->file[0] ? m->file : "-";
	snprintf(m->file, sizeof m->file, "%ld-%u.co", (long)getpid(), n++);
	snprintf(path, sizeof path, "%s/%s", folder, m->file);
	FILE *f = fopen(path, "wb");
	bool ok = f && fwrite(m->elf, 1, m->elf_bytes, f) == m->elf_bytes;
	if (f && fclose(f))
		ok = false;
	if (!ok)
		strcpy(m->file, "-");
	return m->file;
}
