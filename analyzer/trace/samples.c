#include "analyzer/trace/samples.h"

#include "analyzer/trace/definitions.h"
#include "analyzer/trace/stream.h"
#include "common/raw/archive_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct raw_function {
  OTF2_RegionRef ref;
  OTF2_StringRef name, module, file;
  uint32_t line;
};

struct raw_line {
  OTF2_StringRef file;
  uint32_t line;
};

struct raw_context {
  OTF2_RegionRef function;
  OTF2_SourceCodeLocationRef line;
  OTF2_CallingContextRef ref, parent;
};

/* A context with a property. */
struct raw_spin {
  OTF2_CallingContextRef context;
  OTF2_StringRef name;
};

struct samples_raw_attribute {
  OTF2_AttributeRef ref;
  OTF2_StringRef name;
};

struct raw_trigger {
  OTF2_StringRef name;
  OTF2_InterruptGeneratorRef ref;
  bool timed;
  uint64_t period;
};

/* What the archive defines, until all of it is known. */
struct collector {
  struct samples *samples;
  struct error *error;
  uint64_t bytes, text_bytes; /* size of the file, and of its texts so far */
  bool out_of_memory, damaged;
  VECTOR(char *) strings;
  VECTOR(struct raw_function) functions;
  VECTOR(struct raw_line) lines;
  VECTOR(struct raw_context) contexts;
  VECTOR(struct raw_trigger) triggers;
  VECTOR(struct raw_spin) properties;
  VECTOR(struct samples_raw_attribute) attributes;
  struct ref_map string_of, function_of;
};

static OTF2_CallbackCode samples_result_of(struct collector *collector, bool good)
{
  collector->out_of_memory |= !good;
  return good ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
}

static OTF2_CallbackCode samples_on_string(void *user, OTF2_StringRef self, const char *text)
{
  struct collector *collector = user;
  collector->text_bytes += text ? strlen(text) : 0;
  if (collector->text_bytes > collector->bytes)
    return OTF2_CALLBACK_INTERRUPT; /* damaged */
  char *copy = strdup(text ? text : "");
  if (!copy || !vector_push(&collector->strings, copy)) {
    free(copy);
    return samples_result_of(collector, false);
  }
  return samples_result_of(collector, ref_map_set(&collector->string_of, self, (uint32_t)collector->strings.count - 1));
}

static OTF2_CallbackCode samples_on_region(void *user, OTF2_RegionRef self, OTF2_StringRef name,
                                           OTF2_StringRef canonical, OTF2_StringRef description, OTF2_RegionRole role,
                                           OTF2_Paradigm paradigm, OTF2_RegionFlag flags, OTF2_StringRef file,
                                           uint32_t begin_line, uint32_t end_line)
{
  (void)canonical;
  (void)role;
  (void)paradigm;
  (void)flags;
  (void)end_line;
  struct collector *collector = user;
  struct raw_function function = {.ref = self, .name = name, .module = description, .file = file, .line = begin_line};
  return samples_result_of(collector,
                           vector_push(&collector->functions, function) &&
                               ref_map_set(&collector->function_of, self, (uint32_t)collector->functions.count - 1));
}

static OTF2_CallbackCode on_line(void *user, OTF2_SourceCodeLocationRef self, OTF2_StringRef file, uint32_t line)
{
  struct collector *collector = user;
  return samples_result_of(collector,
                           vector_push(&collector->lines, ((struct raw_line){file, line})) &&
                               ref_map_set(&collector->samples->line_of, self, (uint32_t)collector->lines.count - 1));
}

static OTF2_CallbackCode on_context(void *user, OTF2_CallingContextRef self, OTF2_RegionRef function,
                                    OTF2_SourceCodeLocationRef line, OTF2_CallingContextRef parent)
{
  struct collector *collector = user;
  return samples_result_of(collector,
                           vector_push(&collector->contexts, ((struct raw_context){function, line, self, parent})));
}

static OTF2_CallbackCode on_context_property(void *user, OTF2_CallingContextRef self, OTF2_StringRef name,
                                             OTF2_Type type, OTF2_AttributeValue value)
{
  (void)type;
  (void)value;
  struct collector *collector = user;
  return samples_result_of(collector, vector_push(&collector->properties, ((struct raw_spin){self, name})));
}

/* A period of another tool may be a fraction of a second, or a power of 2. 0: it does not fit, or is damaged. */
static uint64_t period_of(bool timed, OTF2_Base base, int64_t exponent, uint64_t period)
{
  unsigned factor = base == OTF2_BASE_BINARY ? 2 : 10;
  if (timed && base == OTF2_BASE_BINARY)
    return 0;
  exponent += timed ? 9 : 0;
  if (exponent < 0 || exponent > 63)
    return 0;
  for (; exponent > 0; exponent--)
    if (__builtin_mul_overflow(period, factor, &period))
      return 0;
  return period;
}

static OTF2_CallbackCode on_generator(void *user, OTF2_InterruptGeneratorRef self, OTF2_StringRef name,
                                      OTF2_InterruptGeneratorMode mode, OTF2_Base base, int64_t exponent,
                                      uint64_t period)
{
  struct collector *collector = user;
  bool timed = mode == OTF2_INTERRUPT_GENERATOR_MODE_TIME;
  struct raw_trigger trigger = {
      .name = name, .ref = self, .timed = timed, .period = period_of(timed, base, exponent, period)};
  return samples_result_of(collector, vector_push(&collector->triggers, trigger));
}

static OTF2_CallbackCode samples_on_attribute(void *user, OTF2_AttributeRef self, OTF2_StringRef name,
                                              OTF2_StringRef description, OTF2_Type type)
{
  (void)description;
  (void)type;
  struct collector *collector = user;
  return samples_result_of(collector,
                           vector_push(&collector->attributes, ((struct samples_raw_attribute){self, name})));
}

static OTF2_CallbackCode samples_on_location(void *user, OTF2_LocationRef self, OTF2_StringRef name,
                                             OTF2_LocationType type, uint64_t events, OTF2_LocationGroupRef group)
{
  (void)name;
  (void)type;
  (void)group;
  struct collector *collector = user;
  return samples_result_of(collector, events == 0 || ref_map_set(&collector->samples->locations, self, 1));
}

static const char *samples_text_of(const struct collector *collector, OTF2_StringRef ref)
{
  uint32_t index = ref_map_get(&collector->string_of, ref);
  return index == REF_MAP_NONE ? "" : collector->strings.items[index];
}

/* Parents come first, so that no way is a circle. */
static bool add_context(struct collector *collector, const struct raw_context *raw)
{
  struct samples *samples = collector->samples;
  uint32_t line = ref_map_get(&samples->line_of, raw->line);
  struct samples_context context = {.function = ref_map_get(&collector->function_of, raw->function),
                                    .parent = ref_map_get(&samples->context_of, raw->parent),
                                    .file = ""};
  bool orphan = context.parent == TRACE_NONE && raw->parent != OTF2_UNDEFINED_CALLING_CONTEXT;
  if (context.function == TRACE_NONE || orphan) {
    collector->damaged = true;
    return error_set(collector->error, "%s: damaged: calling context %" PRIu32 " has %s", samples->anchor, raw->ref,
                     orphan ? "a parent that is not defined before it" : "an undefined function");
  }
  if (line != REF_MAP_NONE) {
    context.file = samples->lines[line].file;
    context.line = samples->lines[line].line;
  }
  samples->contexts[samples->context_count] = context;
  return ref_map_set(&samples->context_of, raw->ref, samples->context_count++);
}

static bool add_trigger(struct collector *collector, const struct raw_trigger *raw)
{
  struct samples *samples = collector->samples;
  samples->triggers[samples->trigger_count] = (struct samples_trigger){
      .name = samples_text_of(collector, raw->name), .timed = raw->timed, .period = raw->period};
  struct samples_trigger *trigger = &samples->triggers[samples->trigger_count];
  trigger->waits = strcmp(trigger->name, NAME_TRIGGER_WAIT) == 0;
  return ref_map_set(&samples->trigger_of, raw->ref, samples->trigger_count++);
}

/* Others' properties are ignored. */
static void add_property(struct collector *collector, const struct raw_spin *raw)
{
  uint32_t context = ref_map_get(&collector->samples->context_of, raw->context);
  const char *name = samples_text_of(collector, raw->name);
  if (context == REF_MAP_NONE)
    return;
  collector->samples->contexts[context].spins |= strcmp(name, CONTEXT_SPINS) == 0;
  collector->samples->contexts[context].atomic |= strcmp(name, CONTEXT_ATOMIC) == 0;
  collector->samples->contexts[context].calls_kernel |= strcmp(name, CONTEXT_CALLS_KERNEL) == 0;
  collector->samples->contexts[context].calls_futex |= strcmp(name, CONTEXT_CALLS_FUTEX) == 0;
}

static bool allocate(const struct collector *collector)
{
  struct samples *samples = collector->samples;
  samples->functions = calloc(collector->functions.count + 1, sizeof *samples->functions);
  samples->contexts = calloc(collector->contexts.count + 1, sizeof *samples->contexts);
  samples->triggers = calloc(collector->triggers.count + 1, sizeof *samples->triggers);
  samples->lines = calloc(collector->lines.count + 1, sizeof *samples->lines);
  samples->attributes = calloc(collector->attributes.count + 1, sizeof *samples->attributes);
  return samples->functions && samples->contexts && samples->triggers && samples->lines && samples->attributes;
}

/* What needs the strings alone. */
static void name(struct collector *collector)
{
  struct samples *samples = collector->samples;
  for (size_t i = 0; i < collector->functions.count; i++) {
    const struct raw_function *raw = &collector->functions.items[i];
    samples->functions[samples->function_count++] =
        (struct samples_function){.name = samples_text_of(collector, raw->name),
                                  .file = samples_text_of(collector, raw->file),
                                  .module = samples_text_of(collector, raw->module),
                                  .line = raw->line};
  }
  for (size_t i = 0; i < collector->lines.count; i++) {
    const struct raw_line *raw = &collector->lines.items[i];
    samples->lines[samples->line_count++] =
        (struct samples_line){.file = samples_text_of(collector, raw->file), .line = raw->line};
  }
  for (size_t i = 0; i < collector->attributes.count; i++) {
    const struct samples_raw_attribute *raw = &collector->attributes.items[i];
    samples->attributes[samples->attribute_count++] =
        (struct samples_attribute){.ref = raw->ref, .name = samples_text_of(collector, raw->name)};
  }
}

/* False: out of memory, or damaged. */
static bool resolve(struct collector *collector)
{
  struct samples *samples = collector->samples;
  bool good = allocate(collector);
  if (good)
    name(collector);
  for (size_t i = 0; good && i < collector->contexts.count; i++)
    good = add_context(collector, &collector->contexts.items[i]);
  for (size_t i = 0; good && i < collector->triggers.count; i++)
    good = add_trigger(collector, &collector->triggers.items[i]);
  for (size_t i = 0; good && i < collector->properties.count; i++)
    add_property(collector, &collector->properties.items[i]);
  samples->weight = OTF2_UNDEFINED_ATTRIBUTE;
  for (size_t i = 0; i < collector->attributes.count; i++)
    if (strcmp(samples_text_of(collector, collector->attributes.items[i].name), NAME_OF_WEIGHT) == 0)
      samples->weight = collector->attributes.items[i].ref;
  samples->strings = collector->strings.items;
  samples->string_count = (uint32_t)collector->strings.count;
  collector->strings.items = NULL;
  collector->strings.count = 0;
  return good;
}

static void collector_free(struct collector *collector)
{
  for (size_t i = 0; i < collector->strings.count; i++)
    free(collector->strings.items[i]);
  vector_free(&collector->strings);
  vector_free(&collector->functions);
  vector_free(&collector->lines);
  vector_free(&collector->contexts);
  vector_free(&collector->triggers);
  vector_free(&collector->properties);
  vector_free(&collector->attributes);
  ref_map_free(&collector->string_of);
  ref_map_free(&collector->function_of);
}

static OTF2_ErrorCode samples_read_definitions(struct collector *collector, OTF2_Reader *reader)
{
  OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_ErrorCode code = definitions && callbacks ? OTF2_SUCCESS : OTF2_ERROR_INVALID;
  uint64_t read = 0;
  if (code == OTF2_SUCCESS) {
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, samples_on_string);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, samples_on_region);
    OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback(callbacks, on_line);
    OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(callbacks, on_context);
    OTF2_GlobalDefReaderCallbacks_SetCallingContextPropertyCallback(callbacks, on_context_property);
    OTF2_GlobalDefReaderCallbacks_SetInterruptGeneratorCallback(callbacks, on_generator);
    OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(callbacks, samples_on_attribute);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, samples_on_location);
    code = OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, collector);
  }
  if (code == OTF2_SUCCESS)
    code = OTF2_Reader_ReadGlobalDefinitions(reader, definitions, collector->bytes, &read);
  if (code == OTF2_SUCCESS && read == collector->bytes)
    code = OTF2_ERROR_INVALID_RECORD; /* they have no end */
  if (callbacks)
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  if (definitions)
    OTF2_Reader_CloseGlobalDefReader(reader, definitions);
  return code;
}

static bool samples_load(struct samples *samples, struct error *error)
{
  struct collector collector = {.samples = samples, .error = error, .bytes = anchor_definition_bytes(samples->anchor)};
  if (!anchor_check(samples->anchor, error))
    return false;
  OTF2_Reader *reader = OTF2_Reader_Open(samples->anchor);
  bool good = reader && OTF2_Reader_SetSerialCollectiveCallbacks(reader) == OTF2_SUCCESS;
  good = good && samples_read_definitions(&collector, reader) == OTF2_SUCCESS;
  if (good && !resolve(&collector)) {
    good = false;
    collector.out_of_memory = !collector.damaged;
  }
  if (collector.out_of_memory)
    good = error_set(error, "%s: out of memory", samples->anchor);
  else if (!good && !collector.damaged)
    error_set(error, "%s: not an OTF2 archive, or damaged", samples->anchor);
  collector_free(&collector);
  if (reader)
    OTF2_Reader_Close(reader);
  return good;
}

struct samples *samples_open_named(const struct trace *trace, const char *name, struct error *error)
{
  const char *slash = strrchr(trace->anchor, '/');
  struct samples *samples = calloc(1, sizeof *samples);
  if (!samples || asprintf(&samples->anchor, "%.*s%s.otf2", slash ? (int)(slash - trace->anchor) + 1 : 0, trace->anchor,
                           name) < 0) {
    error_set(error, "%s: out of memory", trace->anchor);
    free(samples);
    return NULL;
  }
  if (access(samples->anchor, F_OK) != 0)
    error_set(error, "%s: the run's %s are not there: copy them with the trace, %s* of its directory", samples->anchor,
              name, name);
  else if (samples_load(samples, error))
    return samples;
  samples_close(samples);
  return NULL;
}

struct samples *samples_open(const struct trace *trace, bool *none, struct error *error)
{
  *none = trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_SAMPLES) == NULL;
  return *none ? NULL : samples_open_named(trace, "samples", error);
}

void samples_close(struct samples *samples)
{
  if (!samples)
    return;
  for (uint32_t i = 0; i < samples->string_count; i++)
    free(samples->strings[i]);
  free(samples->strings);
  free(samples->functions);
  free(samples->contexts);
  free(samples->triggers);
  free(samples->lines);
  free(samples->attributes);
  free(samples->anchor);
  ref_map_free(&samples->context_of);
  ref_map_free(&samples->trigger_of);
  ref_map_free(&samples->line_of);
  ref_map_free(&samples->locations);
  free(samples);
}

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
      OTF2_Reader_OpenEvtFiles(stream->reader) != OTF2_SUCCESS ||
      !otf2_part_is_whole(stream->reader, stream->samples->anchor, ref, ".evt"))
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
  if (!trace_is_thread(trace, location) || of->excluded)
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
