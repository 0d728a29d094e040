/* The folders of an installed program, or of a build: kernels are in the build folder, cases beside
 * it. A build folder outside the source tree uses the cases of MX_SOURCE. */
#ifndef MX_FOLDERS_H
#define MX_FOLDERS_H

#include <limits.h>

enum { MX_FOLDER_ROOM = PATH_MAX + 32 };
void mx_folders_find(char cases[MX_FOLDER_ROOM], char kernels[MX_FOLDER_ROOM]);

#endif
