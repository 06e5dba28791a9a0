#include "analyzer/trace/reading_cost.h"
#include "analyzer/trace/samples.h"

#include <stdlib.h>

#define BATCH 1024 /* samples */

struct samples_stream {
  const struct samples *samples;
  const struct trace_location *location;
  struct error *error;
  OTF2_Reader *reader;
  OTF2_EvtReader *events;
  struct samples_event batch[BATCH];
  uint32_t next, count;
  uint64_t last; /* time */
  bool failed, ended;
};

static OTF2_CallbackCode on_sample(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
                                   OTF2_AttributeList *attributes, OTF2_CallingContextRef context, uint32_t unwind,
                                   OTF2_InterruptGeneratorRef generator)
{
  (void)location;
  (void)position;
  (void)attributes;
  (void)unwind;
  (void)generator;
  struct samples_stream *stream = user;
  if (stream->count == BATCH || time < stream->last) {
    error_set(stream->error, "%s: the samples of %s are damaged: time runs backwards", stream->samples->anchor,
              stream->location->name);
    stream->failed = true;
    return OTF2_CALLBACK_INTERRUPT;
  }
  stream->last = time;
  stream->batch[stream->count++] =
      (struct samples_event){.time = time, .context = ref_map_get(&stream->samples->context_of, context)};
  return OTF2_CALLBACK_SUCCESS;
}

static bool fail(struct samples_stream *stream)
{
  stream->failed = true;
  return error_set(stream->error, "%s: cannot read the samples of %s: missing or damaged", stream->samples->anchor,
                   stream->location->name);
}

static bool open_events(struct samples_stream *stream)
{
  OTF2_LocationRef ref = stream->location->ref;
  stream->reader = OTF2_Reader_Open(stream->samples->anchor);
  if (!stream->reader || OTF2_Reader_SetSerialCollectiveCallbacks(stream->reader) != OTF2_SUCCESS ||
      OTF2_Reader_SelectLocation(stream->reader, ref) != OTF2_SUCCESS ||
      OTF2_Reader_OpenEvtFiles(stream->reader) != OTF2_SUCCESS)
    return fail(stream);
  stream->events = OTF2_Reader_GetEvtReader(stream->reader, ref);
  OTF2_EvtReaderCallbacks *callbacks = stream->events ? OTF2_EvtReaderCallbacks_New() : NULL;
  if (!callbacks)
    return fail(stream);
  OTF2_EvtReaderCallbacks_SetCallingContextSampleCallback(callbacks, on_sample);
  OTF2_ErrorCode code = OTF2_Reader_RegisterEvtCallbacks(stream->reader, stream->events, callbacks, stream);
  OTF2_EvtReaderCallbacks_Delete(callbacks);
  return code == OTF2_SUCCESS || fail(stream);
}

struct samples_stream *samples_stream_open(const struct samples *samples, const struct trace_location *location,
                                           struct error *error)
{
  struct samples_stream *stream = calloc(1, sizeof *stream);
  if (stream)
    *stream = (struct samples_stream){.samples = samples, .location = location, .error = error};
  else
    error_set(error, "%s: out of memory", samples->anchor);
  return stream;
}

static void read_batch(struct samples_stream *stream)
{
  uint64_t read = 0;
  stream->next = stream->count = 0;
  if (!stream->reader && !open_events(stream))
    return;
  OTF2_ErrorCode code = OTF2_Reader_ReadLocalEvents(stream->reader, stream->events, BATCH, &read);
  reading_cost_add_events(read);
  stream->ended = read < BATCH;
  if (code != OTF2_SUCCESS && !stream->failed)
    fail(stream);
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
  if (stream->events)
    OTF2_Reader_CloseEvtReader(stream->reader, stream->events);
  if (stream->reader) {
    OTF2_Reader_CloseEvtFiles(stream->reader);
    OTF2_Reader_Close(stream->reader);
  }
  free(stream);
}
