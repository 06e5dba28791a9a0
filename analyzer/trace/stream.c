#include "analyzer/trace/stream.h"

#include <errno.h>
#include <inttypes.h>
#include <otf2/OTF2_ErrorCodes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* What the library writes behind the last record of a file. */
enum { END_OF_FILE = 1, END_OF_CHUNK = 2 };

struct trace_stream {
  const struct trace *trace;
  uint32_t location;
  trace_handler *handler;
  void *context;
  struct error *error;
  struct open_stream place; /* while it is open, `reader` and `events` are valid */
  OTF2_Reader *reader;
  OTF2_EvtReader *events;
  uint64_t position;        /* events delivered */
  struct trace_event event; /* the last one */
  bool no_definitions;      /* the location has none of its own; known once the stream has been open */
  bool ended;               /* the library has no more events */
  bool stopped;             /* the handler wants no more */
  bool failed;
};

static OTF2_CallbackCode fail_backwards(struct trace_stream *stream, uint64_t time)
{
  stream->failed = true;
  error_set(stream->error, "%s: the time of %s runs backwards (%" PRIu64 " after %" PRIu64 ")", stream->trace->anchor,
            stream->trace->locations[stream->location].name, time, stream->event.time);
  return OTF2_CALLBACK_INTERRUPT;
}

/* A weight of 0 is damage: the event would not count. */
static void weigh(const struct trace *trace, struct trace_event *event)
{
  uint64_t weight = trace_attribute(event, trace->weight, 1);
  event->weight = weight ? weight : 1;
}

/* Calls the handler. Members that only some kinds have (stop, on, number, creator, generation) are set already. */
static inline OTF2_CallbackCode deliver(struct trace_stream *stream, enum trace_kind kind, uint64_t time,
                                        uint32_t index, const OTF2_AttributeList *attributes)
{
  struct trace_event *event = &stream->event;
  if (time < event->time)
    return fail_backwards(stream, time);
  event->time = time;
  event->kind = kind;
  event->index = index;
  event->attributes = attributes;
  event->weight = 1;
  if (stream->trace->weight != OTF2_UNDEFINED_ATTRIBUTE && attributes)
    weigh(stream->trace, event);
  if (stream->handler(stream->context, event))
    return OTF2_CALLBACK_SUCCESS;
  stream->failed = !stream->stopped;
  return OTF2_CALLBACK_INTERRUPT;
}

/* The callbacks, one a kind of event, with the library's parameters. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define COMMON                                                                                                         \
  OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user, OTF2_AttributeList *attributes

/* Events that refer to a region or a team. */
#define STREAM_X(name, map, ref_type)                                                                                  \
  static OTF2_CallbackCode on_##name(COMMON, ref_type ref)                                                             \
  {                                                                                                                    \
    struct trace_stream *stream = user;                                                                                \
    return deliver(stream, TRACE_##name, time, ref_map_get(&stream->trace->map, ref), attributes);                     \
  }
TRACE_REFERRING_EVENTS(STREAM_X)
#undef STREAM_X

/* Those about a lock. */
#define STREAM_X(name, ...)                                                                                            \
  static OTF2_CallbackCode on_##name(COMMON __VA_OPT__(, ) __VA_ARGS__, uint32_t lock, uint32_t order)                 \
  {                                                                                                                    \
    return deliver(user, TRACE_##name, time, lock, attributes);                                                        \
  }
TRACE_LOCK_EVENTS(STREAM_X)
#undef STREAM_X

/* Those about a task. */
#define STREAM_X(name)                                                                                                 \
  static OTF2_CallbackCode on_##name(COMMON, OTF2_CommRef team, uint32_t creator, uint32_t generation)                 \
  {                                                                                                                    \
    struct trace_stream *stream = user;                                                                                \
    stream->event.creator = creator;                                                                                   \
    stream->event.generation = generation;                                                                             \
    return deliver(stream, TRACE_##name, time, ref_map_get(&stream->trace->team_of, team), attributes);                \
  }
TRACE_TASK_EVENTS(STREAM_X)
#undef STREAM_X

/* Those about the life of a thread. */
#define STREAM_X(name)                                                                                                 \
  static OTF2_CallbackCode on_##name(COMMON, OTF2_CommRef contingent, uint64_t number)                                 \
  {                                                                                                                    \
    struct trace_stream *stream = user;                                                                                \
    stream->event.number = number;                                                                                     \
    return deliver(stream, TRACE_##name, time, TRACE_NONE, attributes);                                                \
  }
TRACE_THREAD_EVENTS(STREAM_X)
#undef STREAM_X

/* Those whose contents no analysis needs: only their kind and time count. */
#define STREAM_X(name, ...)                                                                                            \
  static OTF2_CallbackCode on_##name(COMMON __VA_OPT__(, ) __VA_ARGS__)                                                \
  {                                                                                                                    \
    return deliver(user, TRACE_##name, time, TRACE_NONE, attributes);                                                  \
  }
TRACE_PLAIN_EVENTS(STREAM_X)
STREAM_X(Unknown)
#undef STREAM_X

static OTF2_CallbackCode on_BufferFlush(COMMON, OTF2_TimeStamp stop)
{
  struct trace_stream *stream = user;
  stream->event.stop = stop < time ? time : stop;
  return deliver(stream, TRACE_BufferFlush, time, TRACE_NONE, attributes);
}

static OTF2_CallbackCode on_MeasurementOnOff(COMMON, OTF2_MeasurementMode mode)
{
  struct trace_stream *stream = user;
  stream->event.on = mode == OTF2_MEASUREMENT_ON;
  return deliver(stream, TRACE_MeasurementOnOff, time, TRACE_NONE, attributes);
}

static OTF2_CallbackCode on_Metric(COMMON, OTF2_MetricRef metric, uint8_t count, const OTF2_Type *types,
                                   const OTF2_MetricValue *values)
{
  struct trace_stream *stream = user;
  stream->event.types = types;
  stream->event.values = values;
  stream->event.value_count = count;
  return deliver(stream, TRACE_Metric, time, ref_map_get(&stream->trace->metric_class_of, metric), attributes);
}
#undef COMMON
#pragma GCC diagnostic pop

static OTF2_EvtReaderCallbacks *make_callbacks(void)
{
  OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
  if (!callbacks)
    return NULL;
#define STREAM_X(name, ...) OTF2_EvtReaderCallbacks_Set##name##Callback(callbacks, on_##name);
  TRACE_EVENTS(STREAM_X)
#undef STREAM_X
  return callbacks;
}

/* NULL, errno is set: the file cannot be opened, or there is no memory. */
static FILE *open_location_file(const char *anchor, uint64_t ref, const char *suffix)
{
  const char *end = strrchr(anchor, '.');
  char *path = NULL;
  errno = ENOMEM;
  if (!end || asprintf(&path, "%.*s/%" PRIu64 "%s", (int)(end - anchor), anchor, ref, suffix) < 0)
    return NULL;
  FILE *file = fopen(path, "rbe");
  free(path);
  return file;
}

bool otf2_part_is_whole(OTF2_Reader *reader, const char *anchor, uint64_t ref, const char *suffix)
{
  OTF2_Compression compression;
  if (OTF2_Reader_GetCompression(reader, &compression) != OTF2_SUCCESS || compression != OTF2_COMPRESSION_NONE)
    return true;
  FILE *file = open_location_file(anchor, ref, suffix);
  if (!file)
    return true;
  unsigned char marks[2] = {0};
  bool whole = fseek(file, -(long)sizeof marks, SEEK_END) == 0 && fread(marks, 1, sizeof marks, file) == sizeof marks &&
               marks[0] == END_OF_CHUNK && marks[1] == END_OF_FILE;
  fclose(file);
  return whole;
}

/*
 * True if a location has definitions of its own. UNKNOWN: they are not in a file of their own. An empty file has the
 * head of a chunk, 18 bytes, and two end marks; the library would clear a whole chunk to find nothing.
 */
enum definitions { NO_DEFINITIONS, SOME_DEFINITIONS, UNKNOWN_DEFINITIONS };

static enum definitions local_definitions(const struct trace_stream *stream, OTF2_LocationRef ref)
{
  FILE *file = open_location_file(stream->trace->anchor, ref, ".def");
  if (!file)
    return errno == ENOENT ? UNKNOWN_DEFINITIONS : SOME_DEFINITIONS;
  unsigned char bytes[21];
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  return size == 20 && bytes[18] == END_OF_CHUNK && bytes[19] == END_OF_FILE ? NO_DEFINITIONS : SOME_DEFINITIONS;
}

/* A part of a location's data cannot be opened; errno may have the reason, if it was 0 before. */
static bool fail_opening(struct trace_stream *stream, const char *what)
{
  const char *anchor = stream->trace->anchor;
  const char *name = stream->trace->locations[stream->location].name;
  if (errno == EMFILE || errno == ENFILE)
    return error_set(stream->error, "%s: too many open files; raise the limit (ulimit -n)", anchor);
  if (errno == ENOMEM)
    return error_set(stream->error, "%s: out of memory", anchor);
  return error_set(stream->error, "%s: cannot read the %s of %s: missing or damaged", anchor, what, name);
}

/* Local definitions have the location's id mappings and clock corrections; the library applies them to its events. */
static bool read_local_definitions(struct trace_stream *stream, OTF2_LocationRef ref)
{
  enum definitions has = stream->no_definitions ? NO_DEFINITIONS : local_definitions(stream, ref);
  stream->no_definitions = has == NO_DEFINITIONS;
  if (has == NO_DEFINITIONS || OTF2_Reader_OpenDefFiles(stream->reader) != OTF2_SUCCESS)
    return true; /* an archive may have none */
  bool good = otf2_part_is_whole(stream->reader, stream->trace->anchor, ref, ".def");
  errno = 0;
  OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(stream->reader, ref);
  if (definitions && good) {
    uint64_t read = 0;
    good = OTF2_Reader_ReadAllLocalDefinitions(stream->reader, definitions, &read) == OTF2_SUCCESS;
  }
  if (definitions)
    OTF2_Reader_CloseDefReader(stream->reader, definitions);
  if (!good || (!definitions && has == SOME_DEFINITIONS))
    good = fail_opening(stream, "definitions");
  OTF2_Reader_CloseDefFiles(stream->reader);
  return good;
}

static bool ignore(void *context, const struct trace_event *event)
{
  (void)context;
  (void)event;
  return true;
}

/* Seeks the last delivered event (the library counts from 1) and reads past it, as there may be no next one. */
static OTF2_ErrorCode go_on_after_last(struct trace_stream *stream)
{
  OTF2_ErrorCode code = OTF2_EvtReader_Seek(stream->events, stream->position);
  uint64_t read;
  trace_handler *handler = stream->handler;
  stream->handler = ignore;
  if (code == OTF2_SUCCESS)
    code = OTF2_Reader_ReadLocalEvents(stream->reader, stream->events, 1, &read);
  reading_cost_add_events(code == OTF2_SUCCESS);
  stream->handler = handler;
  return code;
}

static bool stream_open_events(struct trace_stream *stream)
{
  const struct trace_location *location = &stream->trace->locations[stream->location];
  const char *anchor = stream->trace->anchor;
  errno = 0;
  stream->reader = OTF2_Reader_Open(anchor);
  if (!stream->reader || OTF2_Reader_SetSerialCollectiveCallbacks(stream->reader) != OTF2_SUCCESS ||
      OTF2_Reader_SelectLocation(stream->reader, location->ref) != OTF2_SUCCESS)
    return fail_opening(stream, "archive");
  if (!read_local_definitions(stream, location->ref))
    return false;
  errno = 0;
  if (OTF2_Reader_OpenEvtFiles(stream->reader) != OTF2_SUCCESS ||
      !(stream->events = OTF2_Reader_GetEvtReader(stream->reader, location->ref))) {
    stream->ended = location->events == 0 && errno == ENOENT; /* a thread of a snapshot that has written nothing yet */
    return stream->ended || fail_opening(stream, "events");
  }
  if (stream->position == 0 && !otf2_part_is_whole(stream->reader, anchor, location->ref, ".evt"))
    return error_set(stream->error, "%s: the events of %s are damaged (they have no end)", anchor, location->name);
  OTF2_EvtReaderCallbacks *callbacks = make_callbacks();
  if (!callbacks)
    return error_set(stream->error, "%s: out of memory", anchor);
  OTF2_ErrorCode code = OTF2_Reader_RegisterEvtCallbacks(stream->reader, stream->events, callbacks, stream);
  OTF2_EvtReaderCallbacks_Delete(callbacks);
  if (code == OTF2_SUCCESS && stream->position > 0)
    code = go_on_after_last(stream);
  return code == OTF2_SUCCESS || error_set(stream->error, "%s: %s", anchor, OTF2_Error_GetDescription(code));
}

static void stream_close_events(struct open_stream *place)
{
  struct trace_stream *stream = (struct trace_stream *)((char *)place - offsetof(struct trace_stream, place));
  open_streams_close(&stream->reader, &stream->events);
}

struct trace_stream *trace_stream_open(const struct trace *trace, uint32_t location, trace_handler *handler,
                                       void *context, struct error *error)
{
  struct trace_stream *stream = calloc(1, sizeof *stream);
  if (!stream) {
    error_set(error, "%s: out of memory", trace->anchor);
    return NULL;
  }
  *stream = (struct trace_stream){
      .trace = trace, .location = location, .handler = handler, .context = context, .error = error};
  stream->place.close = stream_close_events;
  return stream;
}

void trace_stream_close(struct trace_stream *stream)
{
  if (stream)
    open_streams_drop(&stream->place);
  free(stream);
}

/* Reads; opens the stream if it is not open. */
static bool read_on(struct trace_stream *stream, bool open, uint64_t limit, uint64_t *read)
{
  if (!open && !stream_open_events(stream))
    return false;
  if (stream->ended)
    return true;
  OTF2_ErrorCode code = OTF2_Reader_ReadLocalEvents(stream->reader, stream->events, limit, read);
  stream->position += *read;
  reading_cost_add_events(*read);
  stream->ended = *read < limit || stream->stopped;
  if (stream->failed || stream->stopped || code == OTF2_SUCCESS)
    return !stream->failed;
  return error_set(stream->error, "%s: the events of %s are damaged (%s)", stream->trace->anchor,
                   stream->trace->locations[stream->location].name, OTF2_Error_GetDescription(code));
}

bool trace_stream_read(struct trace_stream *stream, uint64_t limit, uint64_t *read)
{
  *read = 0;
  if (stream->failed || stream->ended)
    return !stream->failed;
  bool open = open_streams_use(&stream->place);
  stream->failed = !read_on(stream, open, limit, read);
  if (stream->failed || stream->ended)
    open_streams_drop(&stream->place);
  else
    open_streams_rest(&stream->place);
  return !stream->failed;
}

void trace_stream_stop(struct trace_stream *stream)
{
  stream->stopped = true;
}

double trace_metric_value(const struct trace_event *event, uint8_t index)
{
  const OTF2_MetricValue *value = &event->values[index];
  switch (event->types[index]) {
  case OTF2_TYPE_INT64:
    return (double)value->signed_int;
  case OTF2_TYPE_DOUBLE:
    return value->floating_point;
  default:
    return (double)value->unsigned_int;
  }
}

const char *trace_kind_name(enum trace_kind kind)
{
  static const char *const names[TRACE_KINDS] = {
#define STREAM_X(name, ...) #name,
      TRACE_EVENTS(STREAM_X)
#undef STREAM_X
  };
  return names[kind];
}

static bool find_attribute(const struct trace_event *event, OTF2_AttributeRef attribute, OTF2_Type *type,
                           OTF2_AttributeValue *value)
{
  return attribute != OTF2_UNDEFINED_ATTRIBUTE && event->attributes &&
         OTF2_AttributeList_TestAttributeByID(event->attributes, attribute) &&
         OTF2_AttributeList_GetAttributeByID(event->attributes, attribute, type, value) == OTF2_SUCCESS;
}

uint64_t trace_attribute(const struct trace_event *event, OTF2_AttributeRef attribute, uint64_t fallback)
{
  OTF2_Type type;
  OTF2_AttributeValue value;
  uint64_t number;
  return find_attribute(event, attribute, &type, &value) && value_unsigned(type, value, &number) ? number : fallback;
}

int64_t trace_attribute_signed(const struct trace_event *event, OTF2_AttributeRef attribute, int64_t fallback)
{
  OTF2_Type type;
  OTF2_AttributeValue value;
  int64_t number;
  return find_attribute(event, attribute, &type, &value) && value_signed(type, value, &number) ? number : fallback;
}

bool trace_attribute_real(const struct trace_event *event, OTF2_AttributeRef attribute, double *number)
{
  OTF2_Type type;
  OTF2_AttributeValue value;
  if (!find_attribute(event, attribute, &type, &value) || type != OTF2_TYPE_DOUBLE)
    return false;
  *number = value.float64;
  return true;
}

const char *trace_attribute_text(const struct trace *trace, const struct trace_event *event,
                                 OTF2_AttributeRef attribute)
{
  OTF2_Type type;
  OTF2_AttributeValue value;
  if (!find_attribute(event, attribute, &type, &value) || type != OTF2_TYPE_STRING)
    return NULL;
  uint32_t index = ref_map_get(&trace->string_of, value.stringRef);
  return index == REF_MAP_NONE ? NULL : trace->strings[index];
}

uint32_t trace_attribute_region(const struct trace *trace, const struct trace_event *event, OTF2_AttributeRef attribute)
{
  OTF2_Type type;
  OTF2_AttributeValue value;
  if (!find_attribute(event, attribute, &type, &value) || type != OTF2_TYPE_REGION)
    return TRACE_NONE;
  return ref_map_get(&trace->region_of, value.regionRef);
}

bool trace_is_profile_row(const struct trace *trace, const struct trace_event *event)
{
  OTF2_Type type;
  OTF2_AttributeValue value;
  return trace->row != OTF2_UNDEFINED_ATTRIBUTE && event->attributes &&
         find_attribute(event, trace->row, &type, &value);
}

struct trace_omitted trace_omitted_by(const struct trace *trace, const struct trace_event *event)
{
  struct trace_omitted none = {TRACE_NONE, 0};
  if (event->kind != TRACE_Enter || !event->attributes || trace->omitted_construct == OTF2_UNDEFINED_ATTRIBUTE)
    return none;
  uint32_t region = trace_attribute_region(trace, event, trace->omitted_construct);
  if (region == TRACE_NONE || trace_attribute(event, trace->time, UINT64_MAX) != UINT64_MAX ||
      trace_is_profile_row(trace, event))
    return none; /* they have a time */
  return (struct trace_omitted){region, trace_attribute(event, trace->instances, 0)};
}

struct trace_omitted trace_omitted_construct_by(const struct trace *trace, const struct trace_event *event)
{
  struct trace_omitted none = {TRACE_NONE, 0};
  if (event->kind != TRACE_Enter || !event->attributes || trace->omitted_construct == OTF2_UNDEFINED_ATTRIBUTE ||
      trace_attribute(event, trace->time, UINT64_MAX) == UINT64_MAX || trace_is_profile_row(trace, event))
    return none;
  uint32_t region = trace_attribute_region(trace, event, trace->omitted_construct);
  uint64_t instances = trace_attribute(event, trace->instances, 0) + trace_attribute(event, trace->joined, 0);
  return region == TRACE_NONE ? none : (struct trace_omitted){region, instances};
}

bool trace_task_depends(const struct trace *trace, const struct trace_event *event)
{
  uint32_t count = event->attributes ? OTF2_AttributeList_GetNumberOfElements(event->attributes) : 0;
  for (uint32_t i = 0; i < count; i++) {
    OTF2_AttributeRef attribute;
    OTF2_Type type;
    OTF2_AttributeValue value;
    if (OTF2_AttributeList_GetAttributeByIndex(event->attributes, i, &attribute, &type, &value) == OTF2_SUCCESS &&
        ref_map_get(&trace->dependences, attribute) != REF_MAP_NONE)
      return true;
  }
  return false;
}

enum {
  MOST = 250,
  SPARE_FILES = 24, /* for other files of this process */
  FEWEST = 4
};

static struct {
  pthread_mutex_t mutex;
  struct open_stream *resting; /* a stack of open streams that are not in use */
  unsigned open;               /* all */
  unsigned limit;              /* 0: unknown so far */
} streams = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static unsigned limit_of_process(void)
{
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= MOST + SPARE_FILES)
    return MOST;
  return files.rlim_cur > SPARE_FILES + FEWEST ? (unsigned)files.rlim_cur - SPARE_FILES : FEWEST;
}

static void push(struct open_stream *stream)
{
  stream->below = streams.resting;
  stream->above = NULL;
  if (streams.resting)
    streams.resting->above = stream;
  streams.resting = stream;
}

static void take_out(struct open_stream *stream)
{
  if (stream->above)
    stream->above->below = stream->below;
  else
    streams.resting = stream->below;
  if (stream->below)
    stream->below->above = stream->above;
  stream->above = stream->below = NULL;
}

static void close_one(struct open_stream *stream)
{
  stream->close(stream);
  stream->open = false;
  streams.open--;
}

bool open_streams_use(struct open_stream *stream)
{
  pthread_mutex_lock(&streams.mutex);
  bool open = stream->open;
  if (open) {
    take_out(stream);
  } else {
    if (streams.limit == 0)
      streams.limit = limit_of_process();
    /* The stream that was read last has the most decoded events, so its reader is needed last. */
    while (streams.open >= streams.limit && streams.resting) {
      struct open_stream *last = streams.resting;
      take_out(last);
      close_one(last);
    }
    stream->open = true;
    streams.open++;
  }
  pthread_mutex_unlock(&streams.mutex);
  return open;
}

void open_streams_rest(struct open_stream *stream)
{
  pthread_mutex_lock(&streams.mutex);
  push(stream);
  pthread_mutex_unlock(&streams.mutex);
}

void open_streams_drop(struct open_stream *stream)
{
  pthread_mutex_lock(&streams.mutex);
  if (stream->open) {
    if (stream->above || stream->below || streams.resting == stream)
      take_out(stream);
    close_one(stream);
  }
  pthread_mutex_unlock(&streams.mutex);
}

void open_streams_limit(unsigned limit)
{
  pthread_mutex_lock(&streams.mutex);
  streams.limit = limit;
  pthread_mutex_unlock(&streams.mutex);
}

void open_streams_close(OTF2_Reader **reader, OTF2_EvtReader **events)
{
  if (*events)
    OTF2_Reader_CloseEvtReader(*reader, *events);
  if (*reader) {
    OTF2_Reader_CloseEvtFiles(*reader);
    OTF2_Reader_Close(*reader);
  }
  *events = NULL;
  *reader = NULL;
}

static OTF2_ErrorCode ignore_message(void *user, const char *file, uint64_t line, const char *function,
                                     OTF2_ErrorCode code, const char *format, va_list arguments)
{
  (void)user;
  (void)file;
  (void)line;
  (void)function;
  (void)format;
  (void)arguments;
  return code;
}

void otf2_library_quiet(void)
{
  OTF2_Error_RegisterCallback(ignore_message, NULL);
}

static struct {
  _Atomic uint64_t events, written, read;
} total;

struct reading_cost reading_cost_so_far(void)
{
  return (struct reading_cost){total.events, total.written, total.read};
}

void reading_cost_add_events(uint64_t events)
{
  atomic_fetch_add_explicit(&total.events, events, memory_order_relaxed);
}

void reading_cost_add_written(uint64_t bytes)
{
  atomic_fetch_add_explicit(&total.written, bytes, memory_order_relaxed);
}

void reading_cost_add_read(uint64_t bytes)
{
  atomic_fetch_add_explicit(&total.read, bytes, memory_order_relaxed);
}

struct scan {
  trace_scan_work *work;
  void *context;
  uint32_t *order;      /* locations */
  struct error *errors; /* a worker */
};

static int compare_length(const void *a, const void *b, void *context)
{
  const struct trace_location *locations = context;
  uint32_t left = *(const uint32_t *)a;
  uint32_t right = *(const uint32_t *)b;
  if (locations[left].events != locations[right].events)
    return locations[left].events < locations[right].events ? 1 : -1;
  return (left > right) - (left < right);
}

static bool do_item(void *context, unsigned worker, uint32_t item)
{
  const struct scan *scan = context;
  return scan->work(scan->context, worker, scan->order[item], &scan->errors[worker]);
}

bool trace_scan(const struct trace *trace, struct pool *pool, trace_scan_work *work, void *context, struct error *error)
{
  uint32_t count = trace->location_count;
  unsigned workers = pool_workers(pool);
  struct scan scan = {.work = work,
                      .context = context,
                      .order = malloc((count + 1) * sizeof *scan.order),
                      .errors = calloc(workers, sizeof *scan.errors)};
  bool good = scan.order && scan.errors;
  if (!good)
    error_set(error, "%s: out of memory", trace->anchor);
  for (uint32_t i = 0; good && i < count; i++)
    scan.order[i] = i;
  if (good)
    qsort_r(scan.order, count, sizeof *scan.order, compare_length, trace->locations);
  if (good && !pool_run(pool, count, do_item, &scan)) {
    good = false;
    for (unsigned i = 0; i < workers; i++) {
      if (scan.errors[i].message[0])
        *error = scan.errors[i];
    }
  }
  free(scan.order);
  free(scan.errors);
  return good;
}
