/* `mxcheck quant` and `mxcheck dequant` with --scheme: scales that are no MX recipe's. */
#ifndef MX_SCHEMES_H
#define MX_SCHEMES_H

#include "codes.h"

/* The options that only schemes have; NULL where one is not given. */
struct mx_scheme_options {
	const char *scheme;
	const char *per;          /* what shares a scale */
	const char *tensor_scale; /* a number */
	const char *tensor;       /* a file of one: quant writes it, dequant reads it */
};

/* What they ask for, with a format or, for NULL, the scheme's first. False after a complaint on
 * stderr. given: where a->tensor_scale points to, if it is given. */
bool mx_choose_scheme(const char *command, const struct mx_scheme_options *o, const char *format,
                      struct mx_scheme_args *a, mx_f32 *given);

/* x to files of codes, scales and - o->tensor - the scale of the tensor; or, if `codes` is NULL, to
 * a table, of 64 numbers or with `verbose` all. transposed: blocks down the columns of x, codes and
 * scales of the transpose. */
struct mx_scheme_files {
	const char *codes, *scales;
	bool packed, transposed, verbose;
};
int mx_quant_scheme(const struct mx_scheme_args *a, const struct mx_scheme_options *o,
                    const struct mx_tensor *x, const struct mx_scheme_files *files,
                    struct mx_error *err);

/* Codes and files->scales to a table, or to `output`. */
int mx_dequant_scheme(const struct mx_scheme_args *a, const struct mx_bytes *codes,
                      const struct mx_scheme_files *files, const char *output,
                      struct mx_error *err);

/* A line for each. */
void mx_print_schemes(void);

#endif
