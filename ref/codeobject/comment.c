/* The compiler that made a code object, by its section .comment. */
#include <stdio.h>
#include <string.h>

#include "elf.h"

static Elf_Data *find_comment(struct mx_codeobject *co) {
	GElf_Shdr sh;
	size_t names;
	if (elf_getshdrstrndx(co->elf, &names))
		return NULL;
	for (Elf_Scn *scn = NULL; mx_elf_next(co, &scn, &sh);) {
		const char *name = elf_strptr(co->elf, names, sh.sh_name);
		if (name && !strcmp(name, ".comment") && sh.sh_type == SHT_PROGBITS)
			return elf_getdata(scn, NULL);
	}
	return NULL;
}

/* The linker adds a line of its own to those of the compilers. */
char *mx_codeobject_compiler(struct mx_codeobject *co, char *text, size_t room) {
	Elf_Data *data = find_comment(co);
	const char *at = data ? data->d_buf : NULL, *end = at ? at + data->d_size : NULL;
	text[0] = 0;
	for (size_t n; at && at < end; at += n + 1) {
		n = strnlen(at, (size_t)(end - at));
		if (n && strncmp(at, "Linker: ", n < 8 ? n : 8)) {
			snprintf(text, room, "%.*s", (int)n, at);
			break;
		}
	}
	return text;
}
