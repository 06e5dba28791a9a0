/*
 * Samples of the code that threads ran, from the kernel's log (kernel_log.h) to a second archive beside the first one:
 * samples.otf2, of the same clock and locations. One archive of OTF2 has either calling contexts or regions that are
 * entered and left.
 *
 * One thread at a time, in the pauses of the conversion.
 */
#ifndef HEDDLE_OTF2_CONVERT_SAMPLES_H
#define HEDDLE_OTF2_CONVERT_SAMPLES_H

#include "base/hash.h"
#include "otf2-convert/archive.h"
#include "otf2-convert/kernel_log.h"
#include "otf2-convert/location.h"

#define SAMPLES_NONE UINT32_MAX

/* Codes in the path of a sample that are no addresses. */
#define SAMPLE_JAVA            (1ull << 63) /* and the id of a place of the process (java_names.h); 0: it is unknown */
#define SAMPLE_CALLERS_UNKNOWN 0ull         /* first in a path: its outermost callers are missing */

/* A place on the way from a thread's first function to the one that runs. */
struct sample_node {
  uint32_t parent; /* SAMPLES_NONE: none */
  uint32_t process, depth;
  uint64_t code; /* a return address, or the one behind the begin of the instruction that ran; SAMPLE_... */
};

/* The samples of a location. */
struct sample_lane {
  OTF2_EvtWriter *writer; /* NULL: it has none yet */
  uint64_t last;          /* archive time of the newest one */
  uint32_t node;          /* its place */
  uint64_t count;
};

struct samples {
  struct archive *beside; /* the caller's */
  struct archive archive;
  bool open;
  uint64_t period;                  /* ns of a thread's processor time between two; 0: none were asked for */
  uint64_t count;                   /* that are in the archive */
  uint64_t left_out;                /* of threads that were not recorded, or places that were not kept */
  uint64_t unnamed;                 /* in or below a Java method whose name is unknown */
  uint64_t cut;                     /* whose outermost callers are not known */
  VECTOR(struct sample_node) nodes; /* numbers are refs of calling contexts; parents come first */
  struct hash by_place;             /* parent, process and code, mixed: number of the node */
  VECTOR(struct sample_lane) lanes; /* by location */
};

/* The samples of an archive; none are there before samples_ask. samples_free in any case. */
void samples_begin(struct samples *samples, struct archive *beside);
/* A log has samples: opens their archive, of so many locations. False: as archive_open. */
bool samples_ask(struct samples *samples, uint64_t period, uint32_t locations);
struct sample {
  const struct location *location; /* NULL: of no recorded thread */
  uint32_t stack;                  /* number in its log */
  uint64_t ticks, time;            /* by the process' clock, and the archive's */
};
/* Adds one. False: memory is short. */
bool samples_take(struct samples *samples, const struct kernel_log *log, struct sample sample);
/* Adds one with the codes of its path, outermost first, at an archive time. False: memory is short. */
bool samples_add(struct samples *samples, const struct location *location, uint64_t time, const uint64_t *path,
                 uint32_t depth);
/* Once all samples are there: each location that is defined has a file of events, also one without samples. */
void samples_end_location(struct samples *samples, uint32_t location);
/* How many a location has. */
uint64_t samples_of(const struct samples *samples, uint32_t location);
void samples_free(struct samples *samples);

#endif
