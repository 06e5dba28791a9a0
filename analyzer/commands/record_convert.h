/* The conversion that follows a recording. For the commands `record` and `detach`. */
#ifndef HEDDLE_ANALYZER_COMMANDS_RECORD_CONVERT_H
#define HEDDLE_ANALYZER_COMMANDS_RECORD_CONVERT_H

#include "analyzer/launch/run.h"

struct record_conversion {
  const char *command;               /* that converts, for messages */
  const char *path, *shown;          /* the trace's directory, and how the user knows it */
  const char *converter;             /* a program; NULL: heddle-convert beside this one */
  const struct launch_result *ended; /* how the program did, which may not have been able to tell; NULL: not known */
  bool keep_raw;
};

/* Converts the trace and says in one line on stderr where the archive is, or why there is none. */
bool record_convert(const struct record_conversion *conversion);

/* Says what came of the recording, and which command is next; the directory is quoted for a shell. */
void record_say_next(const char *what, const char *shown, const char *next);

#endif
