/* The conversion that follows a recording. For the commands `record` and `detach`. */
#ifndef HEDDLE_ANALYZER_RECORD_CONVERSION_H
#define HEDDLE_ANALYZER_RECORD_CONVERSION_H

#include "analyzer/record/launch/run.h"

struct record_conversion {
  const char *command;               /* the command that converts, for messages */
  const char *path, *shown;          /* the trace's directory, and as the user wrote it */
  const char *converter;             /* a program; NULL: heddle-convert beside this one */
  const struct launch_result *ended; /* how the program ended, in case it could not record its end; NULL: unknown */
  bool keep_raw;
};

/* Converts the trace, and prints one line on stderr: where the archive is, or why there is none. False: no archive. */
bool record_convert(const struct record_conversion *conversion);

/* Prints the result of the recording and the next command on stderr; the directory is quoted for a shell. */
void record_say_next(const char *what, const char *shown, const char *next);

#endif
