/*
 * Samples of the code that threads ran. They come from the kernel's log (kernel_log.h) and from records of Java
 * threads. They go to an archive of their own, samples.otf2, with the clock and locations of the first archive. An OTF2
 * archive has either calling contexts or regions that are entered and left.
 *
 * One thread at a time, in the pauses of the conversion.
 */
#ifndef HEDDLE_OTF2_CONVERT_SAMPLES_SAMPLES_H
#define HEDDLE_OTF2_CONVERT_SAMPLES_SAMPLES_H

#include "otf2-convert/samples/sample_paths.h"
#include "otf2-convert/samples/stacks.h"
#include "otf2-convert/timeline/archive.h"

#define SAMPLES_NONE UINT32_MAX

/* A node of the calling-context tree: a function with its callers. */
struct sample_node {
  uint32_t parent; /* SAMPLES_NONE: none */
  uint32_t process, depth;
  bool java;
  bool ran;       /* some sample was right there */
  uint64_t code;  /* as in struct sample_step; 0, and not java: further callers, which are unknown */
  uint64_t forks; /* of a root: key of its outlined code, whose fork is the parent (sample_archive_parent); 0: none */
};

/* The samples of a location. */
struct sample_lane {
  OTF2_EvtWriter *writer; /* NULL: it has none yet */
  uint64_t last;          /* archive time of the newest one */
  uint32_t node;          /* of the newest one */
  uint64_t count;
};

/* Trigger of samples. */
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
  uint32_t empty; /* a location that is there though nobody has samples; UINT32_MAX: none */
  struct sample_paths paths;
  VECTOR(struct sample_trigger) triggers; /* their numbers are refs */
  uint64_t count;                         /* in the archive, by weight */
  uint64_t ignored;                       /* ignored: the thread was not recorded, or the place was not kept */
  uint64_t cut;                           /* the outermost callers are unknown */
  uint64_t unnamed;                       /* in or below a Java method with an unknown name */
  uint64_t lost;                          /* the kernel had no room */
  VECTOR(struct sample_node) nodes;       /* numbers are refs of calling contexts */
  struct hash by_place;                   /* parent, process and code, mixed: number of the node */
  struct hash forked;                     /* key of outlined code -> node that forked it last */
  struct hash leaves;                     /* log, process and stack, mixed -> number of the node */
  VECTOR(struct sample_lane) lanes;       /* by location */
  struct sample_path path;                /* the current one */
};

/* Prepares the samples; the archive is not open yet. Call sample_archive_free() in any case. */
void sample_archive_begin(struct samples *samples, struct archive *beside, struct definitions *definitions);
/* Opens the archive with `locations` locations, unless it is open. False: as archive_open. */
bool sample_archive_open(struct samples *samples, uint32_t locations);
/* Finds the number of a trigger in the archive. False: out of memory. */
bool sample_archive_trigger(struct samples *samples, const char *name, bool by_time, uint64_t period, uint32_t *number);

/* A sample in the archive: thread, trigger and time. */
struct sample_moment {
  const struct location *location;
  uint32_t trigger;
  uint64_t time;
  uint64_t weight; /* number of samples that this one represents */
};
/* Returns the node of a path, which has at least one step. Its number is permanent. SAMPLES_NONE: out of memory. */
uint32_t sample_archive_node(struct samples *samples, const struct process *process, const struct sample_path *path);
/* Adds a sample at a node. cut: the outermost callers are unknown. False: out of memory. */
bool sample_archive_add(struct samples *samples, struct sample_moment moment, uint32_t node, bool cut);

/* Opens the archive if a log has samples. False: as sample_archive_open. */
bool sample_archive_ask(struct samples *samples, const struct kernel_log *log, uint32_t locations);
struct sample {
  struct location *location; /* NULL: the thread was not recorded */
  uint32_t stack, trigger;   /* numbers in its log */
  uint64_t ticks, time;      /* by the process' clock, and the archive's */
};
/* Finds the node of a sample by its stack and ticks; SAMPLES_NONE: unknown. It may depend on earlier samples. *cut: as
 * above. False: out of memory. */
bool sample_archive_leaf(struct samples *samples, const struct kernel_log *log, const struct process *process,
                         const struct sample *sample, uint32_t *leaf, bool *cut);
/* Adds a sample, after the location's earlier waits. False: out of memory. */
bool sample_archive_take(struct samples *samples, const struct kernel_log *log, struct sample sample);

/*
 * Waits that threads recorded themselves (stacks.h) are samples of a trigger of their own. There is one for each period
 * of waiting, written as one event with the attribute `weight`. A remainder counts with the thread's next wait, so the
 * samples represent the time of all waits.
 */
/* Opens the archive if a location has recorded waits. False: as archive_open. */
bool sample_archive_ask_waits(struct samples *samples, const struct location *locations, uint32_t count);
/* Adds the waits of a location before a time. False: out of memory. */
bool sample_archive_take_waits(struct samples *samples, struct location *location, uint64_t until);
/* Ends the archive, after the last sample: readers refuse one without locations, so one location is there in any case.
 */
void sample_archive_end(struct samples *samples, const struct location *locations, uint32_t count);
/* Returns the parent of a node, after the last sample; SAMPLES_NONE: none. */
uint32_t sample_archive_parent(const struct samples *samples, uint32_t node);
/* Returns the number of samples of a location. */
uint64_t sample_archive_of(const struct samples *samples, uint32_t location);
void sample_archive_free(struct samples *samples);

/*
 * Samples of Java threads, from records RAW_JAVA_SAMPLE. If the agent samples a thread, the kernel's samples by time of
 * that thread are ignored from then on: its time would count twice.
 */
/* Makes the path of a call, with at least one step. */
void java_samples_path(const struct java_calls *calls, uint32_t id, struct sample_path *path);

/* Opens the archive with `locations` locations if a process has Java samples. Their trigger is the first one. False: as
 * sample_archive_open. */
bool java_samples_open(struct samples *samples, const struct plan *plan, uint32_t locations);

/* Add the scan's samples of a thread up to an archive time, or of all threads, in a pause of the conversion. A thread's
 * samples come in the order of time, so its older ones go before a sample of the kernel. False: out of memory. */
bool java_samples_until(struct samples *samples, struct location *location, uint64_t time);
bool java_samples_rest(struct samples *samples, struct location *locations, uint32_t count);

/* True if the agent samples a thread's processor time at an archive time, as far as the scan has read. */
bool java_samples_cover(const struct location *location, uint64_t time);

#endif
