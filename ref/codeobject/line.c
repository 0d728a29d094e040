/* Source lines of instructions, by libdw. In a file of their own: libmxhip.so does without libdw.
 */
#include <elfutils/libdw.h>

#include "elf.h"

/* The last row at or before an address, if its sequence goes on after it. */
static Dwarf_Line *find_row(Dwarf_Lines *rows, size_t n, Dwarf_Addr address) {
	Dwarf_Line *found = NULL;
	Dwarf_Addr at, next;
	for (size_t i = 0; i + 1 < n; i++) {
		Dwarf_Line *row = dwarf_onesrcline(rows, i);
		bool ends;
		if (dwarf_lineaddr(row, &at) || dwarf_lineendsequence(row, &ends) || ends ||
		    dwarf_lineaddr(dwarf_onesrcline(rows, i + 1), &next))
			continue;
		if (at <= address && address < next)
			found = row;
	}
	return found;
}

static bool read_row(Dwarf_Line *row, struct mx_source_line *line) {
	int number = 0, column = 0;
	line->file = dwarf_linesrc(row, NULL, NULL);
	if (!line->file || dwarf_lineno(row, &number) || number <= 0)
		return false;
	dwarf_linecol(row, &column);
	line->line = (unsigned)number;
	line->column = column > 0 ? (unsigned)column : 0;
	return true;
}

bool mx_codeobject_line(struct mx_codeobject *co, uint64_t address, struct mx_source_line *line) {
	Dwarf_Off at = 0, next;
	size_t header;
	if (!co->end_lines)
		co->lines = dwarf_begin_elf(co->elf, DWARF_C_READ, NULL);
	co->end_lines = dwarf_end;
	for (; co->lines && !dwarf_nextcu(co->lines, at, &next, &header, NULL, NULL, NULL);
	     at = next) {
		Dwarf_Die unit;
		Dwarf_Lines *rows;
		size_t n;
		if (!dwarf_offdie(co->lines, at + header, &unit) ||
		    dwarf_getsrclines(&unit, &rows, &n))
			continue;
		Dwarf_Line *row = find_row(rows, n, address);
		if (row)
			return read_row(row, line);
	}
	return false;
}
