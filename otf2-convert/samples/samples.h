/*
 * Samples of the code that threads ran, from the kernel's log (kernel_log.h) and from records of Java threads
 * (java_samples.h) to a second archive beside the first one: samples.otf2, of the same clock and locations. One archive
 * of OTF2 has either calling contexts or regions that are entered and left.
 *
 * One thread at a time, in the pauses of the conversion.
 */
#ifndef HEDDLE_OTF2_CONVERT_SAMPLES_SAMPLES_H
#define HEDDLE_OTF2_CONVERT_SAMPLES_SAMPLES_H

#include "otf2-convert/samples/sample_paths.h"
#include "otf2-convert/samples/stacks.h"
#include "otf2-convert/timeline/archive.h"

#define SAMPLES_NONE UINT32_MAX

/* A place on the way from a thread's first function to the one that runs. */
struct sample_node {
  uint32_t parent; /* SAMPLES_NONE: none */
  uint32_t process, depth;
  bool java;
  uint64_t code;  /* as in struct sample_step; 0, and not java: further callers, which are not known */
  uint64_t forks; /* of a first one: the parent is what forked so outlined code (sample_archive_parent); 0: nothing */
};

/* The samples of a location. */
struct sample_lane {
  OTF2_EvtWriter *writer; /* NULL: it has none yet */
  uint64_t last;          /* archive time of the newest one */
  uint32_t node;          /* its place */
  uint64_t count;
};

/* What takes samples. */
struct sample_trigger {
  char *name;
  bool by_time;
  uint64_t period;
};

struct samples {
  struct archive *beside; /* the caller's */
  struct archive archive;
  OTF2_AttributeList *attributes; /* of the next event */
  bool open;
  struct sample_paths paths;
  VECTOR(struct sample_trigger) triggers; /* their numbers are refs */
  uint64_t count;                         /* that are in the archive, with their weights */
  uint64_t left_out;                      /* of threads that were not recorded, or whose place was not kept */
  uint64_t cut;                           /* whose outermost callers are not known */
  uint64_t unnamed;                       /* in or below a Java method whose name is unknown */
  uint64_t lost;                          /* that the kernel had no room for */
  VECTOR(struct sample_node) nodes;       /* numbers are refs of calling contexts */
  struct hash by_place;                   /* parent, process and code, mixed: number of the node */
  struct hash forked;                     /* key of outlined code -> the node that forked it last */
  struct hash leaves;                     /* log, process and stack, mixed -> number of the node */
  VECTOR(struct sample_lane) lanes;       /* by location */
  struct sample_path path;                /* the one at work */
};

/* The samples of an archive; none are there before it is open. sample_archive_free in any case. */
void sample_archive_begin(struct samples *samples, struct archive *beside, struct definitions *definitions);
/* Opens their archive, of so many locations, unless it is open. False: as archive_open. */
bool sample_archive_open(struct samples *samples, uint32_t locations);
/* The number of a trigger among those of all samples. False: memory is short. */
bool sample_archive_trigger(struct samples *samples, const char *name, bool by_time, uint64_t period, uint32_t *number);

/* A thread that a trigger met at an archive time. */
struct sample_moment {
  const struct location *location;
  uint32_t trigger;
  uint64_t time;
  uint64_t weight; /* how many samples this one stands for */
};
/* The number of the node for the last place of a path, of one step at least; it stays. SAMPLES_NONE: memory is short.
 */
uint32_t sample_archive_node(struct samples *samples, const struct process *process, const struct sample_path *path);
/* Adds a sample there; cut: the path's outermost callers are not known. False: memory is short. */
bool sample_archive_add(struct samples *samples, struct sample_moment moment, uint32_t node, bool cut);

/* Opens their archive if a log has samples. False: as sample_archive_open. */
bool sample_archive_ask(struct samples *samples, const struct kernel_log *log, uint32_t locations);
struct sample {
  struct location *location; /* NULL: of no recorded thread */
  uint32_t stack, trigger;   /* numbers in its log */
  uint64_t ticks, time;      /* by the process' clock, and the archive's */
};
/* The node of a sample's place, with its stack and ticks; SAMPLES_NONE: it is not known. It may depend on the samples
 * before. *cut: as above. False: memory is short. */
bool sample_archive_leaf(struct samples *samples, const struct kernel_log *log, const struct process *process,
                         const struct sample *sample, uint32_t *leaf, bool *cut);
/* Adds one, after the location's waits before it. False: memory is short. */
bool sample_archive_take(struct samples *samples, const struct kernel_log *log, struct sample sample);
/*
 * Waits that threads recorded themselves (stacks.h), as samples of a trigger of their own: as if one was taken
 * each time that a thread has waited for its period. One event has the attribute `weight` instead. What is left over
 * counts with the thread's next wait, so all of them stand for the time of all waits.
 */
/* Opens the archive if a location has any. False: as archive_open. */
bool sample_archive_ask_waits(struct samples *samples, const struct location *locations, uint32_t count);
/* Adds those of a location before a time. False: memory is short. */
bool sample_archive_take_waits(struct samples *samples, struct location *location, uint64_t until);
/* All samples were taken: each of the locations has its file, for readers look for it. */
void sample_archive_end(struct samples *samples, const struct location *locations, uint32_t count);
/* The node above one, once all samples were taken; SAMPLES_NONE: none. */
uint32_t sample_archive_parent(const struct samples *samples, uint32_t node);
/* How many a location has. */
uint64_t sample_archive_of(const struct samples *samples, uint32_t location);
void sample_archive_free(struct samples *samples);

#endif
