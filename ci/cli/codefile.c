/* A code object file, as the commands read it. */
#include "codefile.h"

#include <stdlib.h>

#include "../../cases/files.h"
#include "../../ref/isa/isa.h"

enum { MOST_BYTES = 1 << 30 };

int mx_codefile_open_text(const char *path, struct mx_codefile *f, struct mx_error *err) {
	struct mx_codeobject_error why;
	*f = (struct mx_codefile){ 0 };
	if (mx_file_read(path, MOST_BYTES, &f->bytes, &f->n, err))
		return -1;
	if (!mx_codeobject_open(f->bytes, f->n, &f->object, &why) &&
	    !mx_codeobject_check_target(f->object, &why) &&
	    !mx_codeobject_code(f->object, &f->code, &why)) {
		f->isa = mx_isa_by_name(mx_codeobject_isa(f->object));
		return 0;
	}
	mx_codefile_close(f);
	return mx_fail(err, "%s: %s", path, why.text);
}

int mx_codefile_open(const char *path, struct mx_codefile *f, struct mx_error *err) {
	if (mx_codefile_open_text(path, f, err))
		return -1;
	const struct mx_isa *isa = f->isa;
	if (mx_isa_executes(isa))
		return 0;
	mx_codefile_close(f);
	return mx_fail(err,
	               "%s: built for %s, whose instructions are not executed yet; mxcheck disasm "
	               "prints them",
	               path, isa->name);
}

void mx_codefile_close(struct mx_codefile *f) {
	mx_codeobject_close(f->object);
	free(f->bytes);
	*f = (struct mx_codefile){ 0 };
}
