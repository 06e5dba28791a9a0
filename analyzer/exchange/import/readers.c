/*
 * Tables with a row an event (RFC 4180): columns `thread`, `time`, `event` in any order, and a column for each
 * attribute. An empty cell: the event does not have the attribute.
 */
#include "analyzer/exchange/import/readers.h"

#include "base/vector.h"

#include <byteswap.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_MOST = 4096, COLUMNS_MOST = IMPORT_VALUES_MOST + 3 };

struct table {
  FILE *file;
  const char *name;
  uint64_t line, row; /* present line, and line where the row began; from 1 */
  VECTOR(char) bytes; /* texts of the row's cells, each with a zero */
  size_t cells[COLUMNS_MOST];
  unsigned count;
};

__attribute__((format(printf, 3, 4))) static bool fail(const struct table *table, struct error *error,
                                                       const char *format, ...)
{
  char text[sizeof error->message / 2];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return error_set(error, "%s:%" PRIu64 ": %s", table->name, table->row, text);
}

static const char *cell(const struct table *table, unsigned column)
{
  return table->bytes.items + table->cells[column];
}

static bool add_byte(struct table *table, char byte, struct error *error)
{
  if (table->bytes.count - table->cells[table->count - 1] > CELL_MOST)
    return fail(table, error, "a cell has more than %d bytes", CELL_MOST);
  return vector_push(&table->bytes, byte) || error_set(error, "out of memory");
}

static bool begin_cell(struct table *table, struct error *error)
{
  if (table->count == COLUMNS_MOST)
    return fail(table, error, "more than %d columns", COLUMNS_MOST);
  table->cells[table->count++] = table->bytes.count;
  return true;
}

/* Reads what is between quotes; *next is the byte behind them. */
static bool read_quoted(struct table *table, int *next, struct error *error)
{
  for (;;) {
    int c = getc_unlocked(table->file);
    if (c == '"' && (c = getc_unlocked(table->file)) != '"') {
      *next = c;
      return true;
    }
    if (c == EOF)
      return fail(table, error, "a cell in quotes has no end");
    if (c == 0)
      return fail(table, error, "a cell has a byte of 0");
    table->line += c == '\n';
    if (!add_byte(table, (char)c, error))
      return false;
  }
}

/* Reads a cell; *end is the byte that ends it: a comma, a newline or EOF. */
static bool read_cell(struct table *table, int *end, struct error *error)
{
  if (!begin_cell(table, error))
    return false;
  int c = getc_unlocked(table->file);
  if (c == '"' && !read_quoted(table, &c, error))
    return false;
  for (; c != ',' && c != '\n' && c != EOF; c = getc_unlocked(table->file)) {
    if (c == 0)
      return fail(table, error, "a cell has a byte of 0");
    if (c == '\r')
      continue;
    if (!add_byte(table, (char)c, error))
      return false;
  }
  *end = c;
  return add_byte(table, 0, error);
}

/* False with `ended`: there is no further row. */
static bool read_row(struct table *table, bool *ended, struct error *error)
{
  table->row = ++table->line;
  int c = getc_unlocked(table->file);
  *ended = c == EOF && !ferror(table->file);
  if (c == EOF)
    return *ended ? false : error_set(error, "%s: cannot read", table->name);
  ungetc(c, table->file);
  table->count = 0;
  table->bytes.count = 0;
  do {
    if (!read_cell(table, &c, error))
      return false;
  } while (c == ',');
  return true;
}

enum column { THREAD, TIME, EVENT, FIXED };
static const char *const fixed_names[FIXED] = {"thread", "time", "event"};

struct reading {
  struct table table;
  unsigned columns;
  unsigned at[FIXED];        /* number of the column */
  char *names[COLUMNS_MOST]; /* NULL: one of the fixed ones */
  unsigned unit_digits;
  struct import_value values[IMPORT_VALUES_MOST];
};

static bool read_header(struct reading *reading, struct error *error)
{
  struct table *table = &reading->table;
  bool ended, found[FIXED] = {false};
  if (!read_row(table, &ended, error))
    return ended ? fail(table, error, "the table is empty: a first line `thread,time,event,...` expected") : false;
  reading->columns = table->count;
  for (unsigned i = 0; i < table->count; i++) {
    const char *name = cell(table, i);
    if (i == 0 && strncmp(name, "\xef\xbb\xbf", 3) == 0)
      name += 3;
    unsigned fixed = 0;
    while (fixed < FIXED && strcmp(name, fixed_names[fixed]) != 0)
      fixed++;
    if (fixed < FIXED ? found[fixed] : !*name)
      return fail(table, error, *name ? "two columns are called %s" : "a column has no name%s", name);
    for (unsigned j = 0; fixed == FIXED && j < i; j++)
      if (reading->names[j] && strcmp(reading->names[j], name) == 0)
        return fail(table, error, "two columns are called %s", name);
    if (fixed < FIXED) {
      found[fixed] = true;
      reading->at[fixed] = i;
    } else if (!(reading->names[i] = strdup(name))) {
      return error_set(error, "out of memory");
    }
  }
  for (unsigned i = 0; i < FIXED; i++)
    if (!found[i])
      return fail(table, error, "no column is called %s: a first line `thread,time,event,...` expected",
                  fixed_names[i]);
  return true;
}

/* Reads a decimal number times 10^digits, rounded down to ns. False: it is not a number from 0 to 2^63. */
static bool read_time(const char *text, unsigned digits, uint64_t *ns)
{
  uint64_t whole = 0;
  const char *begin = text;
  bool good = true;
  for (; isdigit((unsigned char)*text); text++)
    good = good && !__builtin_mul_overflow(whole, 10, &whole) &&
           !__builtin_add_overflow(whole, (uint64_t)(*text - '0'), &whole);
  good = good && text > begin;
  if (*text == '.')
    text++;
  for (; digits > 0; digits--) {
    unsigned digit = isdigit((unsigned char)*text) ? (unsigned)(*text++ - '0') : 0;
    good = good && !__builtin_mul_overflow(whole, 10, &whole) && !__builtin_add_overflow(whole, digit, &whole);
  }
  while (isdigit((unsigned char)*text))
    text++;
  *ns = whole;
  return good && *text == 0 && whole <= INT64_MAX;
}

/* Reads an integer of 64 bits, else a finite real number, else a text. */
static struct import_value value_of(const char *name, const char *text)
{
  struct import_value value = {.name = name, .type = SPEC_TEXT, .text = text};
  char *end;
  if (!isdigit((unsigned char)*text) && *text != '-' && *text != '+' && *text != '.')
    return value;
  errno = 0;
  int64_t integer = strtoll(text, &end, 10);
  if (*end == 0 && errno == 0 && end != text)
    return (struct import_value){.name = name, .type = SPEC_INTEGER, .integer = integer};
  bool hexadecimal = strpbrk(text, "xXnN") != NULL; /* neither does a table mean, nor nan and inf */
  double real = strtod(text, &end);
  if (*end == 0 && end != text && !hexadecimal && isfinite(real))
    return (struct import_value){.name = name, .type = SPEC_REAL, .real = real};
  return value;
}

static bool take_row(struct reading *reading, import_sink *take, void *into, struct error *error)
{
  const struct table *table = &reading->table;
  struct import_event event = {.values = reading->values};
  if (table->count != reading->columns)
    return fail(table, error, "%u cells, but the first line has %u", table->count, reading->columns);
  event.thread = cell(table, reading->at[THREAD]);
  event.name = cell(table, reading->at[EVENT]);
  if (!*event.thread || !*event.name)
    return fail(table, error, "no %s", *event.name ? "thread" : "event");
  if (!read_time(cell(table, reading->at[TIME]), reading->unit_digits, &event.time))
    return fail(table, error, "not a time: %.100s", cell(table, reading->at[TIME]));
  struct import_value *value = reading->values;
  for (unsigned i = 0; i < table->count; i++)
    if (reading->names[i] && *cell(table, i))
      *value++ = value_of(reading->names[i], cell(table, i));
  event.count = (size_t)(value - reading->values);
  struct error why;
  return take(into, &event, &why) || fail(table, error, "%s", why.message);
}

static bool is_empty(const struct table *table)
{
  return table->count == 1 && !*cell(table, 0);
}

bool import_read_csv(FILE *file, const char *name, const struct import_options *options, import_sink *take, void *into,
                     struct error *error)
{
  struct reading *reading = calloc(1, sizeof *reading);
  if (!reading)
    return error_set(error, "out of memory");
  reading->table = (struct table){.file = file, .name = name};
  reading->unit_digits = options->unit_digits;
  bool good = read_header(reading, error), ended = false;
  while (good && (good = read_row(&reading->table, &ended, error)))
    good = is_empty(&reading->table) || take_row(reading, take, into, error);
  for (unsigned i = 0; i < COLUMNS_MOST; i++)
    free(reading->names[i]);
  vector_free(&reading->table.bytes);
  free(reading);
  return good || ended;
}

/*
 * Binary logs of Glimpse (Tsai, 2000), one a thread. A header of an int32 and an int64 shows the byte order. Records
 * follow: int32 type, int64 time, int32 for each attribute; then an int32 of -1. Only the specification has the number
 * of attributes of a type.
 */

#define HEAD_32 0x12345670u
#define HEAD_64 0x123456789abcdef0u
#define END     (-1)

struct log {
  FILE *file;
  const char *name;
  uint64_t at; /* offset of the next byte */
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

static bool list_types(struct types *types, const struct import_options *options, struct error *error)
{
  *types = (struct types){.events = calloc((size_t)options->spec->event_count + 1, sizeof *types->events)};
  if (!types->events)
    return error_set(error, "out of memory");
  for (const struct spec_event *event = options->spec->events; event; event = event->next)
    if (event->declared)
      types->events[types->count++] = event;
  for (uint32_t i = 0; options->ids == IMPORT_REVERSED && i < types->count / 2; i++) {
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

/* Converts a time to ns. False: it is too large. */
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
                         struct import_value *values, const struct import_options *options, import_sink *take,
                         void *into, struct error *error)
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
    if (!read_record(log, type, types, event, values, options->unit_digits, error))
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

bool import_read_glimpse(FILE *file, const char *name, const char *thread, const struct import_options *options,
                         import_sink *take, void *into, struct error *error)
{
  struct log log = {.file = file, .name = name};
  struct import_value values[IMPORT_VALUES_MOST];
  struct import_event event = {.thread = thread, .values = values};
  struct types types = {NULL, 0};
  bool good = read_head(&log, error) && list_types(&types, options, error) &&
              read_records(&log, &types, &event, values, options, take, into, error);
  free(types.events);
  return good;
}
