/*
 * Binary logs of Glimpse (Tsai, 2000), one a thread: a header of an int32 and an int64, by which one sees the byte
 * order; then records: int32 type, int64 time, int32 for each attribute; then an int32 of -1. Only the specification
 * says how many attributes a type has.
 */
#include "analyzer/exchange/import/reading.h"

#include <byteswap.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_32 0x12345670u
#define HEAD_64 0x123456789abcdef0u
#define END     (-1)

struct log {
  FILE *file;
  const char *name;
  uint64_t at; /* the byte of what is read next */
  bool swapped;
};

enum got { GOT_ALL, GOT_NOTHING, GOT_PART };

static enum got get(struct log *log, void *bytes, size_t size)
{
  size_t got = fread(bytes, 1, size, log->file);
  if (got == size)
    log->at += size;
  return got == size ? GOT_ALL : got == 0 ? GOT_NOTHING : GOT_PART;
}

static enum got get_32(struct log *log, int32_t *number)
{
  uint32_t bits = 0;
  enum got got = get(log, &bits, sizeof bits);
  *number = (int32_t)(log->swapped ? bswap_32(bits) : bits);
  return got;
}

static enum got get_64(struct log *log, int64_t *number)
{
  uint64_t bits = 0;
  enum got got = get(log, &bits, sizeof bits);
  *number = (int64_t)(log->swapped ? bswap_64(bits) : bits);
  return got;
}

static bool fail_short(const struct log *log, uint64_t record, struct error *error)
{
  if (ferror(log->file))
    return error_set(error, "%s: cannot read", log->name);
  return error_set(error,
                   "%s: byte %" PRIu64 ": the log ends inside the record that begins at byte %" PRIu64
                   ": it is cut, or its events have other attributes in this specification",
                   log->name, log->at, record);
}

static bool read_head(struct log *log, struct error *error)
{
  int32_t first;
  int64_t second;
  if (get_32(log, &first) != GOT_ALL)
    return error_set(error, "%s: byte 0: not a log of Glimpse: it is shorter than the header", log->name);
  log->swapped = (uint32_t)first == bswap_32(HEAD_32);
  if (!log->swapped && (uint32_t)first != HEAD_32)
    return error_set(error, "%s: byte 0: not a log of Glimpse: 0x%08" PRIx32 " in place of 0x12345670", log->name,
                     (uint32_t)first);
  if (get_64(log, &second) != GOT_ALL || (uint64_t)second != HEAD_64)
    return error_set(error, "%s: byte 4: not a log of Glimpse: its header does not go on with 0x123456789abcdef0",
                     log->name);
  return true;
}

/* Declared events by the type's number. */
struct types {
  const struct spec_event **events;
  uint32_t count;
};

static bool list_types(struct types *types, const struct import_how *how, struct error *error)
{
  *types = (struct types){.events = calloc((size_t)how->spec->event_count + 1, sizeof *types->events)};
  if (!types->events)
    return error_set(error, "out of memory");
  for (const struct spec_event *event = how->spec->events; event; event = event->next)
    if (event->declared)
      types->events[types->count++] = event;
  for (uint32_t i = 0; how->ids == IMPORT_REVERSED && i < types->count / 2; i++) {
    const struct spec_event *event = types->events[i];
    types->events[i] = types->events[types->count - 1 - i];
    types->events[types->count - 1 - i] = event;
  }
  return true;
}

static bool read_values(struct log *log, const struct spec_event *type, struct import_value *values, uint64_t record,
                        struct error *error)
{
  size_t i = 0;
  for (const struct spec_attribute *a = type->attributes; a; a = a->next, i++) {
    int32_t number;
    if (a->type != SPEC_INTEGER || i == IMPORT_VALUES_MOST)
      return error_set(error, "%s: byte %" PRIu64 ": the event `%s` has attributes that no log of Glimpse has: %s",
                       log->name, record, type->name, i == IMPORT_VALUES_MOST ? "more than 255" : "reals or texts");
    if (get_32(log, &number) != GOT_ALL)
      return fail_short(log, record, error);
    values[i] = (struct import_value){.name = a->name, .type = SPEC_INTEGER, .integer = number};
  }
  return true;
}

/* In ns. False: it is too late. */
static bool scale_time(int64_t time, unsigned digits, uint64_t *ns)
{
  *ns = (uint64_t)time;
  for (; digits > 0; digits--)
    if (__builtin_mul_overflow(*ns, 10, ns))
      return false;
  return *ns <= INT64_MAX;
}

static bool read_record(struct log *log, int32_t type, const struct types *types, struct import_event *event,
                        struct import_value *values, unsigned digits, struct error *error)
{
  uint64_t record = log->at - sizeof type;
  int64_t time;
  if (type < 0 || (uint32_t)type >= types->count)
    return error_set(error,
                     "%s: byte %" PRIu64 ": an event of type %" PRId32 ", but the specification has types 0 to %" PRIu32
                     ": it may be another specification, or --ids the other one",
                     log->name, record, type, types->count - 1);
  if (get_64(log, &time) != GOT_ALL)
    return fail_short(log, record, error);
  if (time < 0 || !scale_time(time, digits, &event->time))
    return error_set(error, "%s: byte %" PRIu64 ": not a time: %" PRId64, log->name, log->at - sizeof time, time);
  event->name = types->events[type]->name;
  event->count = types->events[type]->attribute_count;
  return read_values(log, types->events[type], values, record, error);
}

static bool read_records(struct log *log, const struct types *types, struct import_event *event,
                         struct import_value *values, const struct import_how *how, import_taker *take, void *into,
                         struct error *error)
{
  for (;;) {
    uint64_t record = log->at;
    int32_t type;
    enum got got = get_32(log, &type);
    if (got == GOT_NOTHING && !ferror(log->file))
      return error_set(error, "%s: byte %" PRIu64 ": the log ends without its end mark: it is cut", log->name, log->at);
    if (got != GOT_ALL)
      return fail_short(log, record, error);
    if (type == END)
      break;
    if (!read_record(log, type, types, event, values, how->unit_digits, error))
      return false;
    struct error why;
    if (!take(into, event, &why))
      return error_set(error, "%s: byte %" PRIu64 ": %.800s", log->name, record, why.message);
  }
  char more;
  return get(log, &more, 1) == GOT_NOTHING ||
         error_set(error, "%s: byte %" PRIu64 ": the log goes on behind its end mark: it may be another specification",
                   log->name, log->at - 1);
}

bool import_read_glimpse(FILE *file, const char *name, const char *thread, const struct import_how *how,
                         import_taker *take, void *into, struct error *error)
{
  struct log log = {.file = file, .name = name};
  struct import_value values[IMPORT_VALUES_MOST];
  struct import_event event = {.thread = thread, .values = values};
  struct types types = {NULL, 0};
  bool good = read_head(&log, error) && list_types(&types, how, error) &&
              read_records(&log, &types, &event, values, how, take, into, error);
  free(types.events);
  return good;
}
