/*
 * Periodograms of program execution sequences: how much of a signal's power lies at which frequency, and is one of them
 * the frequency of a period? docs/models.md has formulas and decisions.
 *
 * A signal makes one number of each program state. Its samples g_0 ... g_(N-1) are taken at each record (event domain)
 * or every delta ticks (time domain: the state that the program was in then). Line k has frequency k / (N delta) and
 * power P_k; the powers of all lines add up to the sum of g_j^2, and P_0 is the part of the mean alone.
 */
#ifndef HEDDLE_ANALYZER_SPECTRUM_SPECTRUM_H
#define HEDDLE_ANALYZER_SPECTRUM_SPECTRUM_H

#include "analyzer/pes/pes.h"

enum spectrum_domain { SPECTRUM_EVENT, SPECTRUM_TIME };

enum spectrum_kind {
  SPECTRUM_STATES,    /* the number of the state, in order of first appearance */
  SPECTRUM_STATE,     /* 1 in that state, else 0 */
  SPECTRUM_COMPONENT, /* the id of a component's value */
  SPECTRUM_THREADS_IN /* how many components have that value */
};

struct spectrum_signal {
  enum spectrum_kind kind;
  const char
      *of; /* STATE: name or #NUMBER; COMPONENT: index or name; THREADS_IN: name or code of a value. Not owned. */
};

enum {
  SPECTRUM_SAMPLES_MAX = 1 << 24, /* what fits into half a gigabyte with all that is computed from it */
  SPECTRUM_EXACT_MAX = 4096,      /* up to here all lines are computed in double precision */
  SPECTRUM_TOP_MAX = 100
};

struct spectrum_options {
  enum spectrum_domain domain;
  struct spectrum_signal signal;
  uint64_t delta;   /* time domain: ticks from sample to sample; 0: the duration divided by the samples */
  uint64_t samples; /* 0: as many as there are, up to what is quick to transform; 4096 in the time domain */
  unsigned top;     /* how many of the strongest lines are wanted, 1 to SPECTRUM_TOP_MAX */
};

/* One of the strongest lines, computed in double precision. */
struct spectrum_line {
  size_t k;
  double power;
  double p;          /* against the lines around it, for all lines that were tested; 0 to 1 */
  unsigned harmonic; /* of the period that was found: 1 for itself, 2, 3, ...; 0: none */
};

enum spectrum_verdict {
  SPECTRUM_CONSTANT, /* the signal never changes */
  SPECTRUM_NOISE,    /* white noise would often have a line as strong */
  SPECTRUM_SLOW,     /* white noise would not, but no line that repeats often enough stands out of those around it */
  SPECTRUM_PERIOD
};

struct spectrum {
  uint64_t samples;              /* N */
  double delta;                  /* ticks, or 1 record */
  uint64_t records;              /* of the sequence */
  uint64_t unseen;               /* records that no sample saw: they lie behind the last, or between two */
  double mean, squares, varying; /* mean; sum of g^2; sum of (g - mean)^2 */
  double powers;                 /* sum of P_k, P_0 included */
  bool exact;                    /* all lines in double precision; else only `strongest`, the others to about 1e-6 */

  double *power;                   /* P_0 to P_(N/2) */
  size_t lines;                    /* N/2 */
  struct spectrum_line *strongest; /* the highest power first */
  size_t strongest_count;

  size_t tested;  /* lines strictly between 0 and N/2, whose powers are alike in white noise */
  double p_white; /* Fisher's test of the strongest line against white noise */
  enum spectrum_verdict verdict;
  size_t base;   /* PERIOD: the line of the period */
  double p_base; /* ... against the lines around */
};

/* "states", "state=NAME", "component=0", "threads-in=VALUE". False: it is none of these. */
bool spectrum_parse_signal(const char *text, struct spectrum_signal *signal);

/* Reads the stream twice. NULL: an error. */
struct spectrum *spectrum_compute(struct pes_stream *stream, const struct spectrum_options *options,
                                  struct error *error);
void spectrum_free(struct spectrum *spectrum);

/* Cycles a tick, or a record, of line k. */
double spectrum_frequency(const struct spectrum *spectrum, double k);

/* The power of lines 1 to N/2 in `count` equal ranges of frequency up to 1 / (2 delta); a line on a limit is below it.
 */
void spectrum_bins(const struct spectrum *spectrum, size_t count, double *power);

#endif
