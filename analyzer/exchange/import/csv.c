/*
 * Tables with a row an event (RFC 4180): columns `thread`, `time`, `event` in any order, and a column for each
 * attribute. An empty cell: the event does not have the attribute.
 */
#include "analyzer/exchange/import/reading.h"

#include "base/vector.h"

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
  uint64_t line, row; /* where reading is, and where the row began; from 1 */
  VECTOR(char) bytes; /* of the row's cells, each with a zero */
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
  unsigned at[FIXED];        /* of which column */
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

/* A decimal number times 10^digits; below 1 ns it is rounded down. False: it is not one from 0 to 2^63. */
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

/* An integer of 64 bits, else a finite real number, else a text. */
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

static bool take_row(struct reading *reading, import_taker *take, void *into, struct error *error)
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

bool import_read_csv(FILE *file, const char *name, const struct import_how *how, import_taker *take, void *into,
                     struct error *error)
{
  struct reading *reading = calloc(1, sizeof *reading);
  if (!reading)
    return error_set(error, "out of memory");
  reading->table = (struct table){.file = file, .name = name};
  reading->unit_digits = how->unit_digits;
  bool good = read_header(reading, error), ended = false;
  while (good && (good = read_row(&reading->table, &ended, error)))
    good = is_empty(&reading->table) || take_row(reading, take, into, error);
  for (unsigned i = 0; i < COLUMNS_MOST; i++)
    free(reading->names[i]);
  vector_free(&reading->table.bytes);
  free(reading);
  return good || ended;
}
