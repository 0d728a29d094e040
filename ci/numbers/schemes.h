/* `mxcheck quant` and `mxcheck dequant` with --scheme: scales other than those of an MX recipe. */
#ifndef MX_SCHEMES_H
#define MX_SCHEMES_H

#include "codes.h"

/* The options of schemes; NULL if not given. */
struct mx_scheme_options {
	const char *scheme;
	const char *per;          /* the elements that share a scale */
	const char *tensor_scale; /* a number */
	const char *tensor;       /* a file with it: quant writes the file, dequant reads it */
};

/* The scheme of the options, with `format` or, for NULL, its first format. False after a message on
 * stderr. a->tensor_scale points to *given if a scale is given. */
bool mx_choose_scheme(const char *command, const struct mx_scheme_options *o, const char *format,
                      struct mx_scheme_args *a, mx_f32 *given);

/* Quantises x to files of codes, scales and (o->tensor) the scale of the tensor; or, if `codes` is
 * NULL, to a table of up to 64 numbers, or with `verbose` of all. transposed: blocks down the
 * columns of x, codes and scales of the transpose. */
struct mx_scheme_files {
	const char *codes, *scales;
	bool packed, transposed, verbose;
};
int mx_quant_scheme(const struct mx_scheme_args *a, const struct mx_scheme_options *o,
                    const struct mx_tensor *x, const struct mx_scheme_files *files,
                    struct mx_error *err);

/* Dequantises codes with files->scales to a table, or to `output`. */
int mx_dequant_scheme(const struct mx_scheme_args *a, const struct mx_bytes *codes,
                      const struct mx_scheme_files *files, const char *output,
                      struct mx_error *err);

/* Prints a line for each scheme. */
void mx_print_schemes(void);

#endif
