/* Libraries that few runs need, loaded by the first call of one of their functions, so that all
 * other runs start sooner. mxcheck is linked with this file in place of them. Code that calls them,
 * and the programs of the tests, are compiled as always. LATE in the Makefile names the libraries.
 *
 * late.def, which late.sh writes, lists the functions. Each is a stub here: a jump to what its entry
 * holds. At first that is the stub's own second half, which has mx_late_bind look the function up,
 * with all registers that can hold arguments saved [System V ABI for AMD64, 3.2.3], and goes on
 * there. A library that is missing ends the process with a line that names it, as the loader does
 * for libraries that are loaded at the start; there it would be every run. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

enum { CANNOT_RUN = 2 }; /* exit status */

struct mx_late {
	void *target; /* of the stub's jump */
	const char *function, *library;
};

void *mx_late_bind(struct mx_late *l) {
	void *library = dlopen(l->library, RTLD_LAZY | RTLD_LOCAL);
	void *function = library ? dlsym(library, l->function) : NULL;
	if (!function) {
		fprintf(stderr, "mxcheck: %s: %s\n", l->function, dlerror());
		_exit(CANNOT_RUN);
	}
	return l->target = function;
}

#define MX_LATE(name, soname)                                                                      \
	__asm__(".text\n"                                                                          \
		".globl " #name "\n"                                                               \
		".hidden " #name "\n"                                                              \
		".type " #name ", @function\n" #name ":\n"                                         \
		"	endbr64\n"                                                                 \
		"	jmp *1f(%rip)\n"                                                           \
		"0:	endbr64\n"                                                                 \
		"	lea 1f(%rip), %r11\n"                                                      \
		"	jmp mx_late_call\n"                                                        \
		".size " #name ", . - " #name "\n"                                                 \
		".data\n"                                                                          \
		".balign 8\n"                                                                      \
		"1:	.quad 0b, 2f, 3f\n"                                                        \
		".section .rodata.str1.1, \"aMS\", @progbits, 1\n"                                 \
		"2:	.string \"" #name "\"\n"                                                   \
		"3:	.string \"" soname "\"\n"                                                  \
		".text\n");
#include "late.def"

/* r11: the entry. No argument is in r10 or r11. */
__asm__(".text\n"
	"mx_late_call:\n"
	"	push %rax\n"
	"	push %rdi\n"
	"	push %rsi\n"
	"	push %rdx\n"
	"	push %rcx\n"
	"	push %r8\n"
	"	push %r9\n"
	"	sub $128, %rsp\n"
	"	movaps %xmm0, (%rsp)\n"
	"	movaps %xmm1, 16(%rsp)\n"
	"	movaps %xmm2, 32(%rsp)\n"
	"	movaps %xmm3, 48(%rsp)\n"
	"	movaps %xmm4, 64(%rsp)\n"
	"	movaps %xmm5, 80(%rsp)\n"
	"	movaps %xmm6, 96(%rsp)\n"
	"	movaps %xmm7, 112(%rsp)\n"
	"	mov %r11, %rdi\n"
	"	call mx_late_bind\n"
	"	mov %rax, %r11\n"
	"	movaps (%rsp), %xmm0\n"
	"	movaps 16(%rsp), %xmm1\n"
	"	movaps 32(%rsp), %xmm2\n"
	"	movaps 48(%rsp), %xmm3\n"
	"	movaps 64(%rsp), %xmm4\n"
	"	movaps 80(%rsp), %xmm5\n"
	"	movaps 96(%rsp), %xmm6\n"
	"	movaps 112(%rsp), %xmm7\n"
	"	add $128, %rsp\n"
	"	pop %r9\n"
	"	pop %r8\n"
	"	pop %rcx\n"
	"	pop %rdx\n"
	"	pop %rsi\n"
	"	pop %rdi\n"
	"	pop %rax\n"
	"	jmp *%r11\n");
