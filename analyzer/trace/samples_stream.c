#include "analyzer/trace/open_streams.h"
#include "analyzer/trace/reading_cost.h"
#include "analyzer/trace/samples.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#define SAMPLES_STREAM_BATCH 1024         /* samples */
#define WEIGHT_MOST          (1ull << 40) /* sums of so many fit into a number */

struct samples_stream {
  const struct samples *samples;
  const struct trace_location *location;
  struct error *error;
  struct open_stream place; /* while it is open, `reader` and `events` are valid */
  OTF2_Reader *reader;
  OTF2_EvtReader *events;
  uint64_t position; /* events that the library has delivered */
  struct samples_event *batch;
  uint32_t next, count;
  uint64_t last; /* time */
  bool going_on; /* the event comes once more, after the stream was closed */
  bool failed, ended;
};

static OTF2_CallbackCode fail_sample(struct samples_stream *stream, const char *why)
{
  stream->failed = true;
  error_set(stream->error, "%s: the samples of %s are damaged: %s", stream->samples->anchor, stream->location->name,
            why);
  return OTF2_CALLBACK_INTERRUPT;
}

/* Damaged ones stand for one. */
static uint64_t weight_of(const struct samples *samples, const OTF2_AttributeList *attributes)
{
  OTF2_Type type;
  OTF2_AttributeValue value;
  bool has = samples->weight != OTF2_UNDEFINED_ATTRIBUTE && attributes &&
             OTF2_AttributeList_TestAttributeByID(attributes, samples->weight) &&
             OTF2_AttributeList_GetAttributeByID(attributes, samples->weight, &type, &value) == OTF2_SUCCESS;
  return has && type == OTF2_TYPE_UINT64 && value.uint64 > 0 && value.uint64 < WEIGHT_MOST ? value.uint64 : 1;
}

static OTF2_CallbackCode on_sample(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
                                   OTF2_AttributeList *attributes, OTF2_CallingContextRef context, uint32_t unwind,
                                   OTF2_InterruptGeneratorRef generator)
{
  (void)location;
  (void)position;
  (void)unwind;
  struct samples_stream *stream = user;
  struct samples_event event = {.time = time,
                                .context = ref_map_get(&stream->samples->context_of, context),
                                .trigger = ref_map_get(&stream->samples->trigger_of, generator),
                                .weight = weight_of(stream->samples, attributes)};
  if (stream->going_on)
    return OTF2_CALLBACK_SUCCESS;
  if (time < stream->last)
    return fail_sample(stream, "time runs backwards");
  if (event.context == REF_MAP_NONE)
    return fail_sample(stream, "one is in an undefined calling context");
  if (event.trigger == REF_MAP_NONE)
    return fail_sample(stream, "one has an undefined trigger");
  stream->last = time;
  stream->batch[stream->count++] = event;
  return OTF2_CALLBACK_SUCCESS;
}

static bool fail(struct samples_stream *stream)
{
  const char *anchor = stream->samples->anchor;
  if (stream->failed)
    return false;
  stream->failed = true;
  if (errno == EMFILE || errno == ENFILE)
    return error_set(stream->error, "%s: too many open files; raise the limit (ulimit -n)", anchor);
  if (errno == ENOMEM)
    return error_set(stream->error, "%s: out of memory", anchor);
  return error_set(stream->error, "%s: cannot read the samples of %s: missing or damaged", anchor,
                   stream->location->name);
}

/* Seeks the last event (the library counts from 1) and reads past it, as there may be no next one. */
static bool go_on(struct samples_stream *stream)
{
  uint64_t read;
  if (stream->position == 0)
    return true;
  stream->going_on = true;
  bool good = OTF2_EvtReader_Seek(stream->events, stream->position) == OTF2_SUCCESS &&
              OTF2_Reader_ReadLocalEvents(stream->reader, stream->events, 1, &read) == OTF2_SUCCESS;
  stream->going_on = false;
  return good;
}

static bool samples_stream_open_events(struct samples_stream *stream)
{
  OTF2_LocationRef ref = stream->location->ref;
  errno = 0;
  stream->reader = OTF2_Reader_Open(stream->samples->anchor);
  if (!stream->reader || OTF2_Reader_SetSerialCollectiveCallbacks(stream->reader) != OTF2_SUCCESS ||
      OTF2_Reader_SelectLocation(stream->reader, ref) != OTF2_SUCCESS ||
      OTF2_Reader_OpenEvtFiles(stream->reader) != OTF2_SUCCESS)
    return false;
  stream->events = OTF2_Reader_GetEvtReader(stream->reader, ref);
  OTF2_EvtReaderCallbacks *callbacks = stream->events ? OTF2_EvtReaderCallbacks_New() : NULL;
  if (!callbacks)
    return false;
  OTF2_EvtReaderCallbacks_SetCallingContextSampleCallback(callbacks, on_sample);
  OTF2_ErrorCode code = OTF2_Reader_RegisterEvtCallbacks(stream->reader, stream->events, callbacks, stream);
  OTF2_EvtReaderCallbacks_Delete(callbacks);
  return code == OTF2_SUCCESS && go_on(stream);
}

static void samples_stream_close_events(struct open_stream *place)
{
  struct samples_stream *stream = (struct samples_stream *)((char *)place - offsetof(struct samples_stream, place));
  open_streams_close(&stream->reader, &stream->events);
}

struct samples_stream *samples_stream_open(const struct samples *samples, const struct trace_location *location,
                                           struct error *error)
{
  struct samples_stream *stream = calloc(1, sizeof *stream);
  if (stream)
    *stream = (struct samples_stream){.samples = samples,
                                      .location = location,
                                      .error = error,
                                      .place = {.close = samples_stream_close_events},
                                      .ended = ref_map_get(&samples->locations, location->ref) == REF_MAP_NONE};
  else
    error_set(error, "%s: out of memory", samples->anchor);
  return stream;
}

bool samples_stream_of(const struct trace *trace, const struct samples *samples, uint32_t location,
                       struct samples_stream **stream, struct error *error)
{
  const struct trace_location *of = &trace->locations[location];
  *stream = NULL;
  if (!trace_is_thread(trace, location) || of->left_out)
    return true;
  *stream = samples_stream_open(samples, of, error);
  return *stream;
}

static bool samples_stream_read_events(struct samples_stream *stream)
{
  uint64_t read = 0;
  bool open = open_streams_use(&stream->place);
  bool good = open || samples_stream_open_events(stream);
  errno = 0;
  good =
      good && OTF2_Reader_ReadLocalEvents(stream->reader, stream->events, SAMPLES_STREAM_BATCH, &read) == OTF2_SUCCESS;
  stream->position += read;
  reading_cost_add_events(read);
  stream->ended = read < SAMPLES_STREAM_BATCH;
  return good;
}

static void read_batch(struct samples_stream *stream)
{
  stream->next = stream->count = 0;
  if (!stream->batch && !(stream->batch = calloc(SAMPLES_STREAM_BATCH, sizeof *stream->batch)))
    errno = ENOMEM;
  if (!stream->batch || !samples_stream_read_events(stream))
    fail(stream);
  if (stream->failed || stream->ended)
    open_streams_drop(&stream->place);
  else
    open_streams_rest(&stream->place);
}

const struct samples_event *samples_stream_peek(struct samples_stream *stream)
{
  while (stream->next == stream->count && !stream->ended && !stream->failed)
    read_batch(stream);
  return stream->next < stream->count && !stream->failed ? &stream->batch[stream->next] : NULL;
}

void samples_stream_take(struct samples_stream *stream)
{
  stream->next++;
}

bool samples_stream_failed(const struct samples_stream *stream)
{
  return stream->failed;
}

void samples_stream_close(struct samples_stream *stream)
{
  if (!stream)
    return;
  open_streams_drop(&stream->place);
  free(stream->batch);
  free(stream);
}
