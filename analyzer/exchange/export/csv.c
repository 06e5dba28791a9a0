#include "analyzer/command/print/print.h"
#include "analyzer/exchange/export/formats.h"
#include "analyzer/exchange/export/items.h"
#include "analyzer/trace/output.h"
#include "base/count_of.h"

#include <stdlib.h>

/*
 * Thread by thread, so that one location is open at a time. Times are in ticks, which is exact, and in seconds; the
 * document of print/ puts both units into the columns' names.
 */
static const struct print_column columns[] = {
    {"thread", NULL, PRINT_NUMBER, false},     {"thread_name", NULL, PRINT_STRING, false},
    {"process", NULL, PRINT_STRING, false},    {"state", NULL, PRINT_STRING, false},
    {"construct", NULL, PRINT_STRING, false},  {"function", NULL, PRINT_STRING, false},
    {"file", NULL, PRINT_STRING, false},       {"line", NULL, PRINT_NUMBER, false},
    {"start", NULL, PRINT_DURATION, false},    {"end", NULL, PRINT_DURATION, false},
    {"duration", NULL, PRINT_DURATION, false}, {"callers", NULL, PRINT_STRING, false}};

/*
 * Events of each location that are read before anything is written, because most damage is found there. For a part of
 * the run, only the first event is read, because damage may lie after the part.
 */
enum { FIRST_EVENTS = 256 };

struct csv {
  const struct trace *trace;
  struct print *print;
  uint64_t origin; /* ticks */
};

static struct print_cell text_or_none(const char *text)
{
  return *text ? print_string(text) : print_none();
}

static void csv_put_row(const struct csv *csv, uint32_t location, const struct item *item)
{
  const struct trace *trace = csv->trace;
  const struct trace_location *thread = &trace->locations[location];
  const struct trace_region *region = item->index == TRACE_NONE ? NULL : &trace->regions[item->index];
  const struct print_cell cells[] = {
      print_number(location),
      print_string(thread->name),
      thread->process < trace->process_count ? print_string(trace->processes[thread->process].name) : print_none(),
      print_string(state_key((enum state)item->state)),
      region ? text_or_none(region->name) : print_none(),
      region ? text_or_none(region->function) : print_none(),
      region ? text_or_none(region->file) : print_none(),
      region && region->line > 0 ? print_number(region->line) : print_none(),
      print_number(item->time - csv->origin),
      print_number(item->end - csv->origin),
      print_number(item->end - item->time),
      item->callers ? print_string(item->callers) : print_none()};
  print_row(csv->print, cells);
}

static bool csv_put_location(const struct csv *csv, uint32_t location, const uint8_t *rules, FILE *file,
                             struct error *error)
{
  struct state_reader *reader = state_reader_open(csv->trace, location, BY_CONSTRUCT, rules, error);
  bool good = reader != NULL;
  const struct item *state;
  while (good && !ferror(file) && (state = state_reader_next(reader, &good)))
    csv_put_row(csv, location, state);
  state_reader_close(reader);
  return good;
}

static bool take_first(void *context, const struct trace_event *event)
{
  uint64_t *first = context;
  if (event->time < *first)
    *first = event->time;
  return true;
}

/* The time of the first event of all, or the archive's begin, if that is earlier. */
static bool find_origin(struct csv *csv, struct error *error)
{
  bool good = true;
  uint64_t limit = csv->trace->restriction.timed ? 1 : FIRST_EVENTS;
  csv->origin = csv->trace->first_tick;
  for (uint32_t i = 0; good && i < csv->trace->location_count; i++) {
    uint64_t read;
    struct trace_stream *stream = trace_stream_open(csv->trace, i, take_first, &csv->origin, error);
    good = stream && trace_stream_read(stream, limit, &read);
    trace_stream_close(stream);
  }
  return good;
}

static bool csv_write_all(struct csv *csv, const uint8_t *rules, FILE *file, struct error *error)
{
  csv->print = print_open(PRINT_CSV, file, csv->trace->ticks_per_second);
  if (!csv->print)
    return error_set(error, "%s: out of memory", csv->trace->anchor);
  size_t count = COUNT_OF(columns) - (trace_may_have_callers(csv->trace) ? 0 : 1);
  print_table(csv->print, "intervals", NULL, columns, count, true);
  bool good = true;
  for (uint32_t i = 0; good && i < csv->trace->location_count; i++)
    good = csv->trace->locations[i].excluded || csv_put_location(csv, i, rules, file, error);
  print_table_end(csv->print);
  bool printed = print_close(csv->print); /* says itself why not */
  if (good && !printed)
    error->message[0] = '\0';
  return good && printed;
}

bool export_csv(const struct trace *trace, const char *path, struct error *error)
{
  struct csv csv = {.trace = trace};
  struct output output;
  uint8_t *rules = machine_rules(trace);
  bool good = rules || error_set(error, "%s: out of memory", trace->anchor);
  good = good && find_origin(&csv, error);
  if (good && (good = output_open(&output, path, error)))
    good = output_close(&output, csv_write_all(&csv, rules, output.file, error), error);
  free(rules);
  return good;
}
