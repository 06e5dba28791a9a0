/* Options and results of a periodogram. */
#ifndef HEDDLE_ANALYZER_MODELS_SPECTRUM_PERIODOGRAM_H
#define HEDDLE_ANALYZER_MODELS_SPECTRUM_PERIODOGRAM_H

#include "analyzer/models/sequences/pes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
  SPECTRUM_SAMPLES_MAX = 1 << 24, /* samples and results need half a gigabyte */
  SPECTRUM_EXACT_MAX = 4096,      /* up to this size, all lines are in double precision */
  SPECTRUM_TOP_MAX = 100
};

struct spectrum_options {
  enum spectrum_domain domain;
  struct spectrum_signal signal;
  uint64_t delta;   /* time domain: ticks between samples; 0: the duration divided by the samples */
  uint64_t samples; /* 0: all, but a number that is fast to transform; time domain: 4096 */
  unsigned top;     /* number of strongest lines to return, 1 to SPECTRUM_TOP_MAX */
};

/* Strong line, computed in double precision. */
struct spectrum_line {
  size_t k;
  double power;
  double p;          /* probability of chance, compared with the lines around it, for all tested lines; 0 to 1 */
  unsigned harmonic; /* of the period: 1 for itself, 2, 3, ...; 0: none */
};

enum spectrum_verdict {
  SPECTRUM_CONSTANT, /* the signal never changes */
  SPECTRUM_NOISE,    /* white noise often has a line as strong */
  SPECTRUM_SLOW,     /* white noise does not, but no line with enough repetitions stands out from those around it */
  SPECTRUM_PERIOD
};

struct spectrum {
  uint64_t samples;              /* N */
  double delta;                  /* ticks, or 1 record */
  uint64_t records;              /* of the sequence */
  uint64_t not_sampled;          /* records without a sample: between two samples, or after the last one */
  double mean, squares, varying; /* mean; sum of g^2; sum of (g - mean)^2 */
  double powers;                 /* sum of P_k, P_0 included */
  bool exact; /* all lines are in double precision; else only `strongest`, the others have errors of about 1e-6 */

  double *power;                   /* P_0 to P_(N/2) */
  size_t lines;                    /* N/2 */
  struct spectrum_line *strongest; /* the highest power first */
  size_t strongest_count;

  size_t tested;  /* lines strictly between 0 and N/2: their powers have the same distribution in white noise */
  double p_white; /* Fisher's test of the strongest line against white noise */
  enum spectrum_verdict verdict;
  size_t base;   /* PERIOD: the line of the period */
  double p_base; /* PERIOD: its p */
};

#endif
