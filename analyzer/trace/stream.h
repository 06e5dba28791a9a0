/*
 * The events of one location, in order, a batch at a time. Each stream has an OTF2 reader: different threads may read
 * different streams at the same time, and one thread at a time a stream.
 */
#ifndef HEDDLE_ANALYZER_TRACE_STREAM_H
#define HEDDLE_ANALYZER_TRACE_STREAM_H

#include "analyzer/trace/definitions.h"
#include "base/pool.h"

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Every kind of event in OTF2 3, by OTF2's name. Some refer to a region or team (with the map that resolves the
 * reference, and its type). Some are about locks, tasks and threads. Some have contents that no analysis needs (with
 * the parameters of their callback). BufferFlush, MeasurementOnOff and Metric are handled by stream.c one by one.
 * Unknown is for kinds of later versions of OTF2.
 */
#define TRACE_REFERRING_EVENTS(X)                                                                                      \
  X(Enter, region_of, OTF2_RegionRef)                                                                                  \
  X(Leave, region_of, OTF2_RegionRef)                                                                                  \
  X(ThreadTeamBegin, team_of, OTF2_CommRef)                                                                            \
  X(ThreadTeamEnd, team_of, OTF2_CommRef)

/* Those about a lock, with the parameters before its number. */
#define TRACE_LOCK_EVENTS(X)                                                                                           \
  X(OmpAcquireLock)                                                                                                    \
  X(OmpReleaseLock)                                                                                                    \
  X(ThreadAcquireLock, OTF2_Paradigm paradigm)                                                                         \
  X(ThreadReleaseLock, OTF2_Paradigm paradigm)

/* Those about a task. */
#define TRACE_TASK_EVENTS(X)                                                                                           \
  X(ThreadTaskCreate)                                                                                                  \
  X(ThreadTaskSwitch)                                                                                                  \
  X(ThreadTaskComplete)

/* Those about the life of a thread. */
#define TRACE_THREAD_EVENTS(X)                                                                                         \
  X(ThreadCreate)                                                                                                      \
  X(ThreadBegin)                                                                                                       \
  X(ThreadWait)                                                                                                        \
  X(ThreadEnd)

#define TRACE_PLAIN_EVENTS(X)                                                                                          \
  X(MpiSend, uint32_t a, OTF2_CommRef b, uint32_t c, uint64_t d)                                                       \
  X(MpiIsend, uint32_t a, OTF2_CommRef b, uint32_t c, uint64_t d, uint64_t e)                                          \
  X(MpiIsendComplete, uint64_t a)                                                                                      \
  X(MpiIrecvRequest, uint64_t a)                                                                                       \
  X(MpiRecv, uint32_t a, OTF2_CommRef b, uint32_t c, uint64_t d)                                                       \
  X(MpiIrecv, uint32_t a, OTF2_CommRef b, uint32_t c, uint64_t d, uint64_t e)                                          \
  X(MpiRequestTest, uint64_t a)                                                                                        \
  X(MpiRequestCancelled, uint64_t a)                                                                                   \
  X(MpiCollectiveBegin)                                                                                                \
  X(MpiCollectiveEnd, OTF2_CollectiveOp a, OTF2_CommRef b, uint32_t c, uint64_t d, uint64_t e)                         \
  X(OmpFork, uint32_t a)                                                                                               \
  X(OmpJoin)                                                                                                           \
  X(OmpTaskCreate, uint64_t a)                                                                                         \
  X(OmpTaskSwitch, uint64_t a)                                                                                         \
  X(OmpTaskComplete, uint64_t a)                                                                                       \
  X(ParameterString, OTF2_ParameterRef a, OTF2_StringRef b)                                                            \
  X(ParameterInt, OTF2_ParameterRef a, int64_t b)                                                                      \
  X(ParameterUnsignedInt, OTF2_ParameterRef a, uint64_t b)                                                             \
  X(RmaWinCreate, OTF2_RmaWinRef a)                                                                                    \
  X(RmaWinDestroy, OTF2_RmaWinRef a)                                                                                   \
  X(RmaCollectiveBegin)                                                                                                \
  X(RmaCollectiveEnd, OTF2_CollectiveOp a, OTF2_RmaSyncLevel b, OTF2_RmaWinRef c, uint32_t d, uint64_t e, uint64_t f)  \
  X(RmaGroupSync, OTF2_RmaSyncLevel a, OTF2_RmaWinRef b, OTF2_GroupRef c)                                              \
  X(RmaRequestLock, OTF2_RmaWinRef a, uint32_t b, uint64_t c, OTF2_LockType d)                                         \
  X(RmaAcquireLock, OTF2_RmaWinRef a, uint32_t b, uint64_t c, OTF2_LockType d)                                         \
  X(RmaTryLock, OTF2_RmaWinRef a, uint32_t b, uint64_t c, OTF2_LockType d)                                             \
  X(RmaReleaseLock, OTF2_RmaWinRef a, uint32_t b, uint64_t c)                                                          \
  X(RmaSync, OTF2_RmaWinRef a, uint32_t b, OTF2_RmaSyncType c)                                                         \
  X(RmaWaitChange, OTF2_RmaWinRef a)                                                                                   \
  X(RmaPut, OTF2_RmaWinRef a, uint32_t b, uint64_t c, uint64_t d)                                                      \
  X(RmaGet, OTF2_RmaWinRef a, uint32_t b, uint64_t c, uint64_t d)                                                      \
  X(RmaAtomic, OTF2_RmaWinRef a, uint32_t b, OTF2_RmaAtomicType c, uint64_t d, uint64_t e, uint64_t f)                 \
  X(RmaOpCompleteBlocking, OTF2_RmaWinRef a, uint64_t b)                                                               \
  X(RmaOpCompleteNonBlocking, OTF2_RmaWinRef a, uint64_t b)                                                            \
  X(RmaOpTest, OTF2_RmaWinRef a, uint64_t b)                                                                           \
  X(RmaOpCompleteRemote, OTF2_RmaWinRef a, uint64_t b)                                                                 \
  X(ThreadFork, OTF2_Paradigm a, uint32_t b)                                                                           \
  X(ThreadJoin, OTF2_Paradigm a)                                                                                       \
  X(CallingContextEnter, OTF2_CallingContextRef a, uint32_t b)                                                         \
  X(CallingContextLeave, OTF2_CallingContextRef a)                                                                     \
  X(CallingContextSample, OTF2_CallingContextRef a, uint32_t b, OTF2_InterruptGeneratorRef c)                          \
  X(IoCreateHandle, OTF2_IoHandleRef a, OTF2_IoAccessMode b, OTF2_IoCreationFlag c, OTF2_IoStatusFlag d)               \
  X(IoDestroyHandle, OTF2_IoHandleRef a)                                                                               \
  X(IoDuplicateHandle, OTF2_IoHandleRef a, OTF2_IoHandleRef b, OTF2_IoStatusFlag c)                                    \
  X(IoSeek, OTF2_IoHandleRef a, int64_t b, OTF2_IoSeekOption c, uint64_t d)                                            \
  X(IoChangeStatusFlags, OTF2_IoHandleRef a, OTF2_IoStatusFlag b)                                                      \
  X(IoDeleteFile, OTF2_IoParadigmRef a, OTF2_IoFileRef b)                                                              \
  X(IoOperationBegin, OTF2_IoHandleRef a, OTF2_IoOperationMode b, OTF2_IoOperationFlag c, uint64_t d, uint64_t e)      \
  X(IoOperationTest, OTF2_IoHandleRef a, uint64_t b)                                                                   \
  X(IoOperationIssued, OTF2_IoHandleRef a, uint64_t b)                                                                 \
  X(IoOperationComplete, OTF2_IoHandleRef a, uint64_t b, uint64_t c)                                                   \
  X(IoOperationCancelled, OTF2_IoHandleRef a, uint64_t b)                                                              \
  X(IoAcquireLock, OTF2_IoHandleRef a, OTF2_LockType b)                                                                \
  X(IoReleaseLock, OTF2_IoHandleRef a, OTF2_LockType b)                                                                \
  X(IoTryLock, OTF2_IoHandleRef a, OTF2_LockType b)                                                                    \
  X(ProgramBegin, OTF2_StringRef a, uint32_t b, const OTF2_StringRef *c)                                               \
  X(ProgramEnd, int64_t a)                                                                                             \
  X(NonBlockingCollectiveRequest, uint64_t a)                                                                          \
  X(NonBlockingCollectiveComplete, OTF2_CollectiveOp a, OTF2_CommRef b, uint32_t c, uint64_t d, uint64_t e,            \
    uint64_t f)                                                                                                        \
  X(CommCreate, OTF2_CommRef a)                                                                                        \
  X(CommDestroy, OTF2_CommRef a)

#define TRACE_EVENTS(X)                                                                                                \
  TRACE_REFERRING_EVENTS(X)                                                                                            \
  TRACE_LOCK_EVENTS(X)                                                                                                 \
  TRACE_TASK_EVENTS(X)                                                                                                 \
  X(BufferFlush) X(MeasurementOnOff) X(Metric) TRACE_PLAIN_EVENTS(X) TRACE_THREAD_EVENTS(X) X(Unknown)

enum trace_kind {
#define X(name, ...) TRACE_##name,
  TRACE_EVENTS(X)
#undef X
      TRACE_KINDS
};

#define TRACE_BATCH 4096 /* events; large enough for the cost of a batch not to matter, small enough for the cache */

struct trace_event {
  uint64_t time; /* ticks; never less than the time of the event before */
  enum trace_kind kind;
  uint32_t index; /* Enter, Leave: region; ThreadTeam..., ThreadTask...: team; ...Lock: its number; Metric: class;
                     or TRACE_NONE */
  const OTF2_AttributeList *attributes; /* valid during the call */
  uint64_t weight;                      /* executions that the event stands for; 1: only itself */
  uint64_t stop;                        /* only of BufferFlush: its end */
  bool on;                              /* only of MeasurementOnOff */
  uint32_t creator, generation;         /* only of ThreadTask...: with the team they name the task */
  uint64_t number;                /* only of Thread{Create,Begin,Wait,End}: the thread's in its process; 0: none */
  const OTF2_Type *types;         /* only of Metric, as are the next two */
  const OTF2_MetricValue *values; /* valid during the call */
  uint8_t value_count;
};

/* Called for each event. False ends the reading: the handler has filled the `error` of trace_stream_open(), or called
 * trace_stream_stop(). */
typedef bool trace_handler(void *context, const struct trace_event *event);

struct trace_stream;

/*
 * A location's events, from the first on. Later calls also fill `error`, which outlives the stream. NULL: no memory.
 * Any number of streams can exist: they open their files when they read, and only some at a time (see below).
 */
struct trace_stream *trace_stream_open(const struct trace *trace, uint32_t location, trace_handler *handler,
                                       void *context, struct error *error);
void trace_stream_close(struct trace_stream *stream);

/* Delivers up to `limit` events. False: an error. *read: how many; 0 at the end. */
bool trace_stream_read(struct trace_stream *stream, uint64_t limit, uint64_t *read);

/* For the handler, which then returns false: the rest is not needed, and the stream ends. */
void trace_stream_stop(struct trace_stream *stream);

/* A value of a Metric event as a number. */
double trace_metric_value(const struct trace_event *event, uint8_t index);

/* The name of a kind, as in OTF2. */
const char *trace_kind_name(enum trace_kind kind);

/* The number in an attribute of any unsigned type; `fallback`: the event has no such attribute. */
uint64_t trace_attribute(const struct trace_event *event, OTF2_AttributeRef attribute, uint64_t fallback);
/* The same for signed types. */
int64_t trace_attribute_signed(const struct trace_event *event, OTF2_AttributeRef attribute, int64_t fallback);
/* The same for real numbers. *number stays as it is: the event has no such attribute, and then it is false. */
bool trace_attribute_real(const struct trace_event *event, OTF2_AttributeRef attribute, double *number);
/* The text in an attribute, owned by the trace. NULL: the event has no such attribute. */
const char *trace_attribute_text(const struct trace *trace, const struct trace_event *event,
                                 OTF2_AttributeRef attribute);
/* True if the event is a row of a profile: sums, no instance. */
bool trace_is_profile_row(const struct trace *trace, const struct trace_event *event);
/* The region in an attribute; TRACE_NONE: the event has no such attribute. */
uint32_t trace_attribute_region(const struct trace *trace, const struct trace_event *event,
                                OTF2_AttributeRef attribute);
/* Instances of a region that were not recorded, after the last recorded one of the thread. Instances that were omitted
 * for the rate of instances are not among them. 0 instances: the event does not say so. */
struct trace_omitted {
  uint32_t region;
  uint64_t instances;
};
struct trace_omitted trace_omitted_by(const struct trace *trace, const struct trace_event *event);
/* Instances of a construct, on all its threads, that were omitted. 0 instances: the event does not say so. */
struct trace_omitted trace_omitted_construct_by(const struct trace *trace, const struct trace_event *event);
/* True if the task that the event creates has dependences. */
bool trace_task_depends(const struct trace *trace, const struct trace_event *event);

/*
 * Limits the number of streams with an open reader. A reader has an open file and at least 256 KiB of memory, so ten
 * thousand threads cannot all have one. A stream over the limit is closed, and later continues where it was. Any thread
 * may call all functions.
 */

/* A part of each stream. All zero: closed. */
struct open_stream {
  void (*close)(struct open_stream *stream); /* called by any thread; never while the stream is in use */
  struct open_stream *below;                 /* in the stack of streams that are open and not in use */
  struct open_stream *above;
  bool open;
};

/* The stream is in use from now on. False: it is closed, and the caller opens it now; it counts as open already. */
bool open_streams_use(struct open_stream *stream);

/* The stream is no longer in use, and may be closed until it is used again. */
void open_streams_rest(struct open_stream *stream);

/* The stream ends, in use or not: calls its `close` if it is open. */
void open_streams_drop(struct open_stream *stream);

/* For a `close`: closes a stream's reader and its events' reader; either may be NULL, and both are then. */
void open_streams_close(OTF2_Reader **reader, OTF2_EvtReader **events);

/* How many may be open from now on; 0: as many as the process's limit of open files allows, at most 250. For tests. */
void open_streams_limit(unsigned limit);

/* Settings of the OTF2 library. */

/*
 * Keeps the OTF2 library from printing lines of its own, in the whole process: callers report its errors through struct
 * error.
 */
void otf2_library_quiet(void);

/*
 * False: a location's file of events or definitions (".evt", ".def") is cut off. The library would then read what was
 * in its buffer's memory before: more records, or no end. True for files that cannot be opened, too.
 */
bool otf2_part_is_whole(OTF2_Reader *reader, const char *anchor, uint64_t ref, const char *suffix);

/*
 * What reading traces cost this process so far. No command shows it; tests hold commands to it. Any thread may add and
 * ask.
 */

struct reading_cost {
  uint64_t events;        /* decoded, of all streams; an event that is decoded again counts again */
  uint64_t written, read; /* bytes of temporary files */
};

struct reading_cost reading_cost_so_far(void);

void reading_cost_add_events(uint64_t events);
void reading_cost_add_written(uint64_t bytes);
void reading_cost_add_read(uint64_t bytes);

/* All locations of a trace, one item of work each, for the workers of a pool. */

/* Works on one location, like pool_work (base/pool.h). False: an error, and `error` is filled. */
typedef bool trace_scan_work(void *context, unsigned worker, uint32_t location, struct error *error);

/* Calls `work` for each location, those with most events first, so that the workers end at about the same time. */
bool trace_scan(const struct trace *trace, struct pool *pool, trace_scan_work *work, void *context,
                struct error *error);

#endif
