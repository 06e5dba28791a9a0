/* The command line of heddle-convert. */
#ifndef HEDDLE_OTF2_CONVERT_OPTIONS_H
#define HEDDLE_OTF2_CONVERT_OPTIONS_H

#include "base/error.h"
#include "otf2-convert/plan/end_seen.h"
#include "otf2-convert/plan/plan.h"

struct options {
  const char *trace;
  const char *output; /* NULL: the trace directory */
  unsigned jobs;      /* 0: as many as there are processors */
  bool keep_raw;
  bool remove_raw;
  bool quiet;
  enum plan_live live;
  struct end_seen end;
};

enum options_result {
  OPTIONS_TAKEN,    /* there is a trace to convert */
  OPTIONS_ANSWERED, /* they asked for the help or the version, which is printed */
  OPTIONS_WRONG     /* the error says what is wrong */
};

/* Reads the command line; the options' texts are those of `arguments`. */
enum options_result options_parse(struct options *options, int count, char **arguments, struct error *error);

#endif
