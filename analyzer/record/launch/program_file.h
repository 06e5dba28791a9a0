/* The file that execvp(3) runs for a name, and the interpreter of a script. */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_PROGRAM_FILE_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_PROGRAM_FILE_H

#include <stdbool.h>

/* The file for a name: the name itself if it has a slash, else the first in PATH. The caller frees it. NULL: there is
 * no file that this process may execute. */
char *program_find(const char *name);

/* The program that runs a file that is not ELF: the one after #! (also through env(1)), else /bin/sh. The caller frees
 * it. NULL: there is none, or the file cannot be read. */
char *program_interpreter(const char *file);

#endif
