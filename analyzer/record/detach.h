/* Ends the recording of a JVM, for `heddle detach` and `heddle attach --for`. */
#ifndef HEDDLE_ANALYZER_RECORD_DETACH_H
#define HEDDLE_ANALYZER_RECORD_DETACH_H

#include <stdbool.h>
#include <sys/types.h>

struct detach_options {
  bool keep_raw, no_convert;
};

/* Makes the archive, too. False: an error, after a message of the command on stderr. */
bool detach_jvm(const char *command, pid_t pid, const struct detach_options *options);

#endif
