/* The commands of mxcheck for numbers, code objects and histories. argv[0] is the name of the
 * command; they return the exit status of the program. */
#ifndef MX_COMMAND_H
#define MX_COMMAND_H

int mx_cmd_quant(int argc, char **argv);
int mx_cmd_dequant(int argc, char **argv);
int mx_cmd_mfma(int argc, char **argv);
int mx_cmd_probe(int argc, char **argv);
int mx_cmd_compare(int argc, char **argv);
int mx_cmd_disasm(int argc, char **argv);
int mx_cmd_isa(int argc, char **argv);
int mx_cmd_lint(int argc, char **argv);
int mx_cmd_init(int argc, char **argv);
int mx_cmd_exec(int argc, char **argv);
int mx_cmd_merge(int argc, char **argv);
int mx_cmd_report(int argc, char **argv);
int mx_cmd_version(int argc, char **argv);

#endif
