/*
 * Writer of an archive: all calls of the OTF2 library that write events. The archive is written to a directory of its
 * own, and then moved into place as a whole.
 *
 * The first failure is kept; nothing is written after it. Threads: different threads may write events of different
 * locations; one thread does the rest.
 */
#ifndef HEDDLE_OTF2_CONVERT_TIMELINE_ARCHIVE_H
#define HEDDLE_OTF2_CONVERT_TIMELINE_ARCHIVE_H

#include <otf2/otf2.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define ARCHIVE_PREFIX ".heddle-convert." /* of directories that exist only while a converter works */

struct archive {
  OTF2_Archive *otf2;
  atomic_int failure; /* errno value; 0 none */
  int output;         /* directory that gets the archive */
  int inside;         /* the directory it is written to, inside the output directory */
  char path[4096];    /* of that directory */
  const char *name;   /* of that directory; NULL: it was not made */
  char name_kept[48];
  const char *events;          /* its directory of events, inside `inside` */
  char no_definitions[64];     /* what the library writes as a location's definitions; each location has the same */
  size_t no_definitions_size;  /* 0: it has not written them yet */
  pthread_mutex_t spare_mutex; /* of the next two */
  struct buffer *spare;        /* chunks of closed locations' files */
  unsigned spare_count;
};

/* Period in which a thread had no processor. */
struct off_time {
  uint64_t begin, end; /* archive time; end UINT64_MAX: until the thread's end */
  bool ready;          /* it could have run */
  uint32_t call;       /* 1 + the number of a text (switches.h): its system call; 0: unknown */
  uint32_t region;     /* set by the caller of the sink */
  const void *reason;  /* likewise: of a wait that is as long as this; NULL: none */
};

/* Such periods of a location, to be written between its other events. */
struct off_feed {
  const struct off_time *times; /* in order */
  size_t count, next;
  void (*show_reason)(void *of, const void *reason, uint64_t time, bool begins); /* writes the wait's Enter or Leave */
  void *of;
};

/* Events of a location. */
struct sink {
  struct archive *archive;
  OTF2_EvtWriter *writer;
  OTF2_AttributeList *attributes; /* of the next event; the worker's, while it works on the location */
  uint64_t last;                  /* no event may be earlier */
  bool off_waits;                 /* `off` has a next period */
  struct off_feed off;
};

/* Begins an archive of up to `locations` locations in the directory `output` (open as output_fd). Returns 0 or an errno
 * value. */
int archive_open(struct archive *archive, const char *output, int output_fd, uint32_t locations);
/*
 * Begins a second archive, samples.otf2. It is moved into place with the first one; its failures become the first one's
 * when it is closed. Returns 0 or an errno value.
 */
int archive_open_beside(struct archive *archive, const struct archive *first, uint32_t locations);
/* The same for a third one, calls.otf2. */
int archive_open_calls(struct archive *archive, const struct archive *first, uint32_t locations);
void archive_close_beside(struct archive *archive, struct archive *first);
/* Returns the writer of a location's events; NULL after a failure. Any thread. */
OTF2_EvtWriter *archive_writer(struct archive *archive, uint64_t location);
/* Frees the writer after the last event. */
void archive_close_writer(struct archive *archive, OTF2_EvtWriter *writer);
/* Returns the writer of definitions; NULL after a failure. */
OTF2_GlobalDefWriter *archive_definitions(struct archive *archive);
/* Writes a location's file of local definitions, which has none. Once per location. */
void archive_write_local_definitions(struct archive *archive, uint64_t location);
uint64_t archive_events(struct archive *archive, OTF2_EvtWriter *writer);
void archive_set_property(struct archive *archive, const char *name, const char *value);
/* Notes a failed call. */
void archive_fail(struct archive *archive, OTF2_ErrorCode code);

/* Ends the archive and moves it into place, traces.otf2 last. Returns 0 or an errno value. */
int archive_finish(struct archive *archive);
/* Removes everything. After archive_open(), instead of archive_finish() or after its failure. */
void archive_abandon(struct archive *archive);
/* Removes the directories of killed converters. The caller holds the trace's lock. */
void archive_remove_leftovers(int output_fd);
/* True if the output directory has an archive. */
bool archive_exists(int output_fd);

static inline void archive_check(struct archive *archive, OTF2_ErrorCode code)
{
  if (__builtin_expect(code != OTF2_SUCCESS, 0))
    archive_fail(archive, code);
}

static inline bool archive_failed(const struct archive *archive)
{
  return atomic_load_explicit(&archive->failure, memory_order_relaxed) != 0;
}

/* Writes the periods without a processor before `time`. */
void sink_show_off(struct sink *sink, uint64_t time);

/* Returns the time of an event, which is never before the last one. Writes periods without a processor before it. */
static inline uint64_t sink_time(struct sink *sink, uint64_t time)
{
  if (__builtin_expect(sink->off_waits && time > sink->last, 0))
    sink_show_off(sink, time);
  if (time > sink->last)
    sink->last = time;
  return sink->last;
}

static inline void sink_enter(struct sink *sink, uint64_t time, uint32_t region)
{
  archive_check(sink->archive, OTF2_EvtWriter_Enter(sink->writer, NULL, sink_time(sink, time), region));
}

static inline void sink_leave(struct sink *sink, uint64_t time, uint32_t region)
{
  archive_check(sink->archive, OTF2_EvtWriter_Leave(sink->writer, NULL, sink_time(sink, time), region));
}

/* With the attributes in sink->attributes; the list is empty afterwards. */
static inline void sink_enter_with(struct sink *sink, uint64_t time, uint32_t region)
{
  archive_check(sink->archive, OTF2_EvtWriter_Enter(sink->writer, sink->attributes, sink_time(sink, time), region));
}

static inline void sink_leave_with(struct sink *sink, uint64_t time, uint32_t region)
{
  archive_check(sink->archive, OTF2_EvtWriter_Leave(sink->writer, sink->attributes, sink_time(sink, time), region));
}

/* Enter and Leave at one time. */
static inline void sink_zero_length(struct sink *sink, uint64_t time, uint32_t region)
{
  sink_enter(sink, time, region);
  sink_leave(sink, time, region);
}

static inline void sink_zero_length_with(struct sink *sink, uint64_t time, uint32_t region)
{
  sink_enter_with(sink, time, region);
  sink_leave(sink, time, region);
}

static inline void sink_measurement(struct sink *sink, uint64_t time, bool on)
{
  archive_check(sink->archive, OTF2_EvtWriter_MeasurementOnOff(sink->writer, NULL, sink_time(sink, time),
                                                               on ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF));
}

/* Writes metrics of class 0, in the order of METRICS. */
static inline void sink_metrics(struct sink *sink, uint64_t time, const uint64_t values[3])
{
  static const OTF2_Type types[3] = {OTF2_TYPE_UINT64, OTF2_TYPE_UINT64, OTF2_TYPE_UINT64};
  OTF2_MetricValue metrics[3] = {{.unsigned_int = values[0]}, {.unsigned_int = values[1]}, {.unsigned_int = values[2]}};
  archive_check(sink->archive, OTF2_EvtWriter_Metric(sink->writer, NULL, sink_time(sink, time), 0, 3, types, metrics));
}

/* Writes up to 8 metrics of any class. */
static inline void sink_counters(struct sink *sink, uint64_t time, uint32_t class, unsigned count,
                                 const uint64_t *values)
{
  OTF2_Type types[8];
  OTF2_MetricValue metrics[8];
  for (unsigned i = 0; i < count; i++) {
    types[i] = OTF2_TYPE_UINT64;
    metrics[i].unsigned_int = values[i];
  }
  archive_check(sink->archive, OTF2_EvtWriter_Metric(sink->writer, NULL, sink_time(sink, time), class, (uint8_t)count,
                                                     types, metrics));
}

/* number: as of ThreadCreate; 0: none. */
static inline void sink_thread_begin(struct sink *sink, uint64_t time, uint64_t number)
{
  archive_check(sink->archive,
                OTF2_EvtWriter_ThreadBegin(sink->writer, NULL, sink_time(sink, time), OTF2_UNDEFINED_COMM, number));
}

/* With attributes, as sink_leave_with. */
static inline void sink_thread_end(struct sink *sink, uint64_t time, uint64_t number)
{
  archive_check(sink->archive, OTF2_EvtWriter_ThreadEnd(sink->writer, sink->attributes, sink_time(sink, time),
                                                        OTF2_UNDEFINED_COMM, number));
}

static inline void sink_fork(struct sink *sink, uint64_t time, uint32_t requested)
{
  archive_check(sink->archive,
                OTF2_EvtWriter_ThreadFork(sink->writer, NULL, sink_time(sink, time), OTF2_PARADIGM_OPENMP, requested));
}

static inline void sink_join(struct sink *sink, uint64_t time)
{
  archive_check(sink->archive,
                OTF2_EvtWriter_ThreadJoin(sink->writer, NULL, sink_time(sink, time), OTF2_PARADIGM_OPENMP));
}

static inline void sink_team_begin(struct sink *sink, uint64_t time, uint32_t comm)
{
  archive_check(sink->archive, OTF2_EvtWriter_ThreadTeamBegin(sink->writer, NULL, sink_time(sink, time), comm));
}

static inline void sink_team_end(struct sink *sink, uint64_t time, uint32_t comm)
{
  archive_check(sink->archive, OTF2_EvtWriter_ThreadTeamEnd(sink->writer, NULL, sink_time(sink, time), comm));
}

static inline void sink_acquire(struct sink *sink, uint64_t time, uint32_t lock, uint32_t order)
{
  archive_check(sink->archive, OTF2_EvtWriter_ThreadAcquireLock(sink->writer, NULL, sink_time(sink, time),
                                                                OTF2_PARADIGM_OPENMP, lock, order));
}

static inline void sink_release(struct sink *sink, uint64_t time, uint32_t lock, uint32_t order)
{
  archive_check(sink->archive, OTF2_EvtWriter_ThreadReleaseLock(sink->writer, NULL, sink_time(sink, time),
                                                                OTF2_PARADIGM_OPENMP, lock, order));
}

/* The same for POSIX threads. */
static inline void sink_pthread_acquire(struct sink *sink, uint64_t time, uint32_t lock, uint32_t order)
{
  archive_check(sink->archive, OTF2_EvtWriter_ThreadAcquireLock(sink->writer, NULL, sink_time(sink, time),
                                                                OTF2_PARADIGM_PTHREAD, lock, order));
}

static inline void sink_pthread_release(struct sink *sink, uint64_t time, uint32_t lock, uint32_t order)
{
  archive_check(sink->archive, OTF2_EvtWriter_ThreadReleaseLock(sink->writer, NULL, sink_time(sink, time),
                                                                OTF2_PARADIGM_PTHREAD, lock, order));
}

static inline void sink_pthread_create(struct sink *sink, uint64_t time, uint64_t number)
{
  archive_check(sink->archive,
                OTF2_EvtWriter_ThreadCreate(sink->writer, NULL, sink_time(sink, time), OTF2_UNDEFINED_COMM, number));
}

static inline void sink_pthread_wait(struct sink *sink, uint64_t time, uint64_t number)
{
  archive_check(sink->archive,
                OTF2_EvtWriter_ThreadWait(sink->writer, NULL, sink_time(sink, time), OTF2_UNDEFINED_COMM, number));
}

/* Task in OTF2; generation 0 is the thread's implicit task. */
struct task_name {
  uint32_t comm, creator, generation;
};

static inline void sink_task_create(struct sink *sink, uint64_t time, struct task_name task)
{
  archive_check(sink->archive, OTF2_EvtWriter_ThreadTaskCreate(sink->writer, sink->attributes, sink_time(sink, time),
                                                               task.comm, task.creator, task.generation));
}

static inline void sink_task_switch(struct sink *sink, uint64_t time, struct task_name task)
{
  archive_check(sink->archive, OTF2_EvtWriter_ThreadTaskSwitch(sink->writer, NULL, sink_time(sink, time), task.comm,
                                                               task.creator, task.generation));
}

static inline void sink_task_complete(struct sink *sink, uint64_t time, struct task_name task)
{
  archive_check(sink->archive, OTF2_EvtWriter_ThreadTaskComplete(sink->writer, NULL, sink_time(sink, time), task.comm,
                                                                 task.creator, task.generation));
}

#endif
