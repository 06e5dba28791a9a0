/*
 * The events of one location, in order, a batch at a time. A stream has an OTF2 reader of its own, so different
 * streams may be read by different threads at the same time; one stream by one thread at a time.
 */
#ifndef HEDDLE_ANALYZER_TRACE_STREAM_H
#define HEDDLE_ANALYZER_TRACE_STREAM_H

#include "analyzer/trace/definitions.h"
#include "analyzer/trace/event_kinds.h"

#define TRACE_BATCH 4096 /* events; large enough to forget the cost of a batch, small enough to stay in the cache */

struct trace_event {
  uint64_t time; /* ticks; never less than that of the event before */
  enum trace_kind kind;
  uint32_t index; /* Enter, Leave: region; ThreadTeam..., ThreadTask...: team; ...Lock: its number; Metric: class;
                     or TRACE_NONE */
  const OTF2_AttributeList *attributes; /* valid during the call */
  uint64_t weight;                      /* executions that it stands for: 1, unless only some of many were recorded */
  bool estimate;                        /* the weight is an estimate */
  uint64_t stop;                        /* of BufferFlush alone: when it was over */
  bool on;                              /* of MeasurementOnOff alone */
  uint32_t creator, generation;         /* of ThreadTask... alone: with the team they name the task */
  const OTF2_Type *types;               /* of Metric alone, as are the values and how many */
  const OTF2_MetricValue *values;       /* valid during the call */
  uint8_t value_count;
};

/*
 * Called for each event; false ends the reading, and `error` of trace_stream_open() must have been filled, unless
 * trace_stream_stop() was called.
 */
typedef bool trace_handler(void *context, const struct trace_event *event);

struct trace_stream;

/*
 * A location's events, from the first on. `error` is where this stream reports; it outlives the stream. NULL: no
 * memory. The files are opened when they are read, and only so many at once (open_streams.h): any number of streams may
 * be there.
 */
struct trace_stream *trace_stream_open(const struct trace *trace, uint32_t location, trace_handler *handler,
                                       void *context, struct error *error);
void trace_stream_close(struct trace_stream *stream);

/* Delivers up to `limit` events. False: an error. *read says how many were delivered; 0 at the end. */
bool trace_stream_read(struct trace_stream *stream, uint64_t limit, uint64_t *read);

/* For the handler, which returns false then: nobody needs what follows, so the stream is at its end. */
void trace_stream_stop(struct trace_stream *stream);

/* A value of a Metric event as a number. */
double trace_metric_value(const struct trace_event *event, uint8_t index);

/* The name of a kind, as in OTF2. */
const char *trace_kind_name(enum trace_kind kind);

/* The number in an attribute of any unsigned type; `fallback` when the event does not have it. */
uint64_t trace_attribute(const struct trace_event *event, OTF2_AttributeRef attribute, uint64_t fallback);
/* The same for signed types. */
int64_t trace_attribute_signed(const struct trace_event *event, OTF2_AttributeRef attribute, int64_t fallback);
/* The text in an attribute, the trace's; NULL when the event does not have it. */
const char *trace_attribute_text(const struct trace *trace, const struct trace_event *event,
                                 OTF2_AttributeRef attribute);
/* The region in an attribute; TRACE_NONE when the event does not have it. */
uint32_t trace_attribute_region(const struct trace *trace, const struct trace_event *event,
                                OTF2_AttributeRef attribute);
/* Whether the task that the event creates has dependences. */
bool trace_task_depends(const struct trace *trace, const struct trace_event *event);

#endif
