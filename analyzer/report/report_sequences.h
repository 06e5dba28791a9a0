/* Page of `heddle report --pes`: sequences of program states, side by side. README.md describes its bundle. */
#ifndef HEDDLE_ANALYZER_REPORT_REPORT_SEQUENCES_H
#define HEDDLE_ANALYZER_REPORT_REPORT_SEQUENCES_H

#include "analyzer/command/command.h"
#include "analyzer/command/print/json_writer.h"
#include "analyzer/models/sequences/pes.h"
#include "base/error.h"

#include <stdbool.h>

enum { REPORT_PES_MOST = 8 };

struct report_sequences {
  const char *paths[REPORT_PES_MOST];
  unsigned count;
};

/* Takes `--pes FILE` into a struct report_sequences. */
int report_sequences_take(const struct option_given *given, void *into);

/* Reads the sequences and writes the page. `command` is the command line. False: an error, and there is no file. */
bool report_sequences_write(const struct report_sequences *sequences, const char *output, const char *command,
                            struct error *error);

#endif
