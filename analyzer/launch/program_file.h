/* Which file execvp(3) runs for a name, and what runs that file if it is a script. */
#ifndef HEDDLE_ANALYZER_LAUNCH_PROGRAM_FILE_H
#define HEDDLE_ANALYZER_LAUNCH_PROGRAM_FILE_H

#include <stdbool.h>

/* The file that is run for a name: the name itself if it has a slash, else the first in PATH. To be freed; NULL: there
 * is none that this process may execute. */
char *program_find(const char *name);

/* The program that runs a file which is no ELF file: what #! says (through env(1), too), else /bin/sh. To be freed.
 * NULL: there is none, or the file can't be read. */
char *program_interpreter(const char *file);

#endif
