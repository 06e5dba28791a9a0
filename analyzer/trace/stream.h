/*
 * The events of one location, in order, a batch at a time. Each stream has an OTF2 reader: different threads may read
 * different streams at the same time, and one thread at a time a stream.
 */
#ifndef HEDDLE_ANALYZER_TRACE_STREAM_H
#define HEDDLE_ANALYZER_TRACE_STREAM_H

#include "analyzer/trace/definitions.h"
#include "analyzer/trace/event_kinds.h"

#define TRACE_BATCH 4096 /* events; large enough for the cost of a batch not to matter, small enough for the cache */

struct trace_event {
  uint64_t time; /* ticks; never less than that of the event before */
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
 * Any number of streams can exist: they open their files when they read, and only some at a time (open_streams.h).
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
/* Whether the event is a row of a profile: sums, no instance. */
bool trace_is_profile_row(const struct trace *trace, const struct trace_event *event);
/* The region in an attribute; TRACE_NONE: the event has no such attribute. */
uint32_t trace_attribute_region(const struct trace *trace, const struct trace_event *event,
                                OTF2_AttributeRef attribute);
/* Instances of a region that were not recorded, after the last recorded one of the thread. Those that were skipped for
 * the rate of instances are not among them. 0 instances: the event does not say so. */
struct trace_left_out {
  uint32_t region;
  uint64_t instances;
};
struct trace_left_out trace_left_out_by(const struct trace *trace, const struct trace_event *event);
/* Instances of a construct, on all its threads, that were skipped. 0 instances: the event does not say so. */
struct trace_left_out trace_skipped_by(const struct trace *trace, const struct trace_event *event);
/* Whether the task that the event creates has dependences. */
bool trace_task_depends(const struct trace *trace, const struct trace_event *event);

#endif
