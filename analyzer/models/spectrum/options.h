/* What a caller of spectrum.h chooses: a signal, and how it is sampled. */
#ifndef HEDDLE_ANALYZER_MODELS_SPECTRUM_OPTIONS_H
#define HEDDLE_ANALYZER_MODELS_SPECTRUM_OPTIONS_H

#include "analyzer/models/sequences/pes.h"

enum spectrum_domain { SPECTRUM_EVENT, SPECTRUM_TIME };

enum spectrum_kind {
  SPECTRUM_STATES,    /* the number of the state, in order of first appearance */
  SPECTRUM_STATE,     /* 1 in that state, else 0 */
  SPECTRUM_COMPONENT, /* the id of a component's value */
  SPECTRUM_THREADS_IN /* the number of components with that value */
};

struct spectrum_signal {
  enum spectrum_kind kind;
  const char
      *of; /* STATE: name or #NUMBER; COMPONENT: index or name; THREADS_IN: name or code of a value. Not owned. */
};

enum {
  SPECTRUM_SAMPLES_MAX = 1 << 24, /* they and their results need half a gigabyte */
  SPECTRUM_EXACT_MAX = 4096,      /* up to here all lines are in double precision */
  SPECTRUM_TOP_MAX = 100
};

struct spectrum_options {
  enum spectrum_domain domain;
  struct spectrum_signal signal;
  uint64_t delta;   /* time domain: ticks between samples; 0: the duration divided by the samples */
  uint64_t samples; /* 0: all, but a number that is fast to transform; time domain: 4096 */
  unsigned top;     /* how many of the strongest lines to return, 1 to SPECTRUM_TOP_MAX */
};

/* Reads "states", "state=NAME", "component=0", "threads-in=VALUE". False: the text is none of these. */
bool spectrum_parse_signal(const char *text, struct spectrum_signal *signal);

#endif
