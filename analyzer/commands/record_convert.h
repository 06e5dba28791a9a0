/* The conversion that follows a recording. For the commands `record` and `detach`. */
#ifndef HEDDLE_ANALYZER_COMMANDS_RECORD_CONVERT_H
#define HEDDLE_ANALYZER_COMMANDS_RECORD_CONVERT_H

#include <stdbool.h>

/*
 * Converts the trace in directory `path` and says in one line on stderr where the archive is, or why there is none.
 * shown: the directory as the user knows it; converter: a program, or NULL for heddle-convert beside this one.
 */
bool record_convert(const char *command, const char *path, const char *shown, const char *converter, bool keep_raw);

#endif
