#include "analyzer/live/live_pairs.h"

#include "analyzer/command/command.h"
#include "analyzer/command/print/escape.h"
#include "analyzer/command/print/print.h"
#include "analyzer/live/live_print.h"
#include "analyzer/live/profile/states.h"
#include "base/count_of.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint32_t live_pairs_needs(const struct live_pairs *pairs)
{
  uint32_t needs = 0;
  for (size_t i = 0; i < pairs->count; i++)
    needs |= pairs->asked[i].needs;
  return needs;
}

bool live_pairs_by_member(const struct live_pairs *pairs)
{
  bool by_member = false;
  for (size_t i = 0; i < pairs->count; i++)
    by_member |= pairs->asked[i].by_member;
  return by_member;
}

void live_pairs_free(struct live_pairs *pairs)
{
  for (size_t i = 0; i < pairs->count; i++)
    live_asked_free(&pairs->asked[i]);
  pairs->count = 0;
}

static const struct print_column live_pairs_columns[] = {{"time", "Time", PRINT_DURATION, false},
                                                         {"stretch", "Stretch", PRINT_DURATION, false},
                                                         {"pair", "Pair", PRINT_STRING, false},
                                                         {"count", "Count", PRINT_COUNT, false},
                                                         {"duration", "Time", PRINT_DURATION, false},
                                                         {"value", "Value", PRINT_VALUE, true},
                                                         {"sum_count", "Since inserted", PRINT_COUNT, false},
                                                         {"sum_duration", "Since inserted", PRINT_DURATION, false},
                                                         {"sum_value", "Since inserted", PRINT_VALUE, true}};
#define TIMES 2 /* columns that people find above the table */

enum { VALUE_SIZE = 40 }; /* of the text of a value */

/* COUNT, TIME and VALUE of an amount; a pair has one of them. */
static void put_amount(enum live_asked_unit unit, const struct live_amount *amount, char *text,
                       struct print_cell *cells[3])
{
  bool value = unit == LIVE_SUM || unit == LIVE_LAST;
  if (amount->is_real)
    snprintf(text, VALUE_SIZE, "%.15g", amount->real);
  else
    snprintf(text, VALUE_SIZE, "%" PRId64, amount->whole);
  *cells[0] = unit == LIVE_NUMBER ? print_number(amount->total) : print_none();
  *cells[1] = unit == LIVE_TICKS ? print_number(amount->total) : print_none();
  *cells[2] = value && amount->known ? print_string(text) : print_none();
}

static void live_pairs_put_rows(struct print *print, size_t first, const struct live_pairs *pairs, uint64_t now,
                                uint64_t from)
{
  for (size_t i = 0; i < pairs->count; i++) {
    const struct live_asked *asked = &pairs->asked[i];
    char texts[2][VALUE_SIZE];
    struct print_cell cells[9] = {print_number(now), print_number(now > from ? now - from : 0),
                                  print_string(asked->text)};
    put_amount(asked->metric->unit, &pairs->values[i], texts[0],
               (struct print_cell *[]){&cells[3], &cells[4], &cells[5]});
    put_amount(asked->metric->unit, &pairs->sums[i], texts[1],
               (struct print_cell *[]){&cells[6], &cells[7], &cells[8]});
    print_row(print, cells + first);
  }
}

static bool live_pairs_put_document(FILE *out, enum print_format format, const struct live_pairs *pairs,
                                    const struct live *live, const struct live_reading *reading, uint64_t from)
{
  struct print *print = print_open(format, out, reading->trace->ticks_per_second);
  if (!print)
    return false;
  if (format == PRINT_JSON) {
    print_fact(print, "program", "Program", PRINT_STRING, print_string(live_name(live)));
    print_fact(print, "pid", "Process", PRINT_NUMBER, print_number(live_pid(live)));
    print_fact(print, "time", "Time of the reading", PRINT_DURATION, print_number(reading->now));
    print_fact(print, "stretch", "It is of the last", PRINT_DURATION,
               print_number(reading->now > from ? reading->now - from : 0));
    print_fact(print, "over", "Ended", PRINT_STRING, print_string(reading->over ? "yes" : "no"));
  }
  print_table(print, "pairs", NULL, live_pairs_columns + TIMES, COUNT_OF(live_pairs_columns) - TIMES, false);
  live_pairs_put_rows(print, TIMES, pairs, reading->now, from);
  print_table_end(print);
  return print_close(print);
}

static bool live_pairs_put_text(const struct live_pairs *pairs, const struct live *live,
                                const struct live_reading *reading, uint64_t from)
{
  char *name = escape_text(live_name(live));
  double seconds = reading->now > from ? (double)(reading->now - from) / (double)reading->trace->ticks_per_second : 0;
  printf("%s%s [%" PRIu64 "]: the last %.3f s\n\n", pairs->shown > 0 ? "\n" : "", name ? name : "?", live_pid(live),
         seconds);
  free(name);
  return live_pairs_put_document(stdout, PRINT_TEXT, pairs, live, reading, from);
}

static bool live_pairs_put_line(const struct live_pairs *pairs, const struct live *live,
                                const struct live_reading *reading, uint64_t from)
{
  struct live_line line;
  FILE *out = live_line_open(&line);
  return live_line_close(&line, out && live_pairs_put_document(out, PRINT_JSON, pairs, live, reading, from));
}

static bool put_csv(struct live_pairs *pairs, const struct live_reading *reading, uint64_t from)
{
  if (!pairs->csv) {
    pairs->csv = print_open(PRINT_CSV, stdout, reading->trace->ticks_per_second);
    if (!pairs->csv)
      return false;
    print_table(pairs->csv, "pairs", NULL, live_pairs_columns, COUNT_OF(live_pairs_columns), true);
  }
  live_pairs_put_rows(pairs->csv, 0, pairs, reading->now, from);
  return true;
}

/* A label's value: \ and " are escaped; a pair on the command line has no end of a line that matters. */
static void live_pairs_put_label(const char *text)
{
  for (; *text; text++) {
    if (*text == '\\' || *text == '"')
      putchar('\\');
    putchar(*text == '\n' ? ' ' : *text);
  }
}

/* The sum of a pair, in the form of its family; a value that is not known has none. */
static bool live_pairs_put_metric(const char *family, const struct live_asked *asked, const struct live_amount *sum,
                                  uint64_t ticks_per_second)
{
  enum live_asked_unit unit = asked->metric->unit;
  if ((unit == LIVE_SUM || unit == LIVE_LAST) && !sum->known)
    return true;
  char *text = escape_invalid(asked->text);
  if (!text)
    return false;
  printf("%s{pair=\"", family);
  live_pairs_put_label(text);
  free(text);
  if (unit == LIVE_TICKS)
    printf("\"} %.9f\n", (double)sum->total / (double)ticks_per_second);
  else if (unit == LIVE_NUMBER)
    printf("\"} %" PRIu64 "\n", (uint64_t)sum->total);
  else if (sum->is_real)
    printf("\"} %.15g\n", sum->real);
  else
    printf("\"} %" PRId64 "\n", sum->whole);
  return true;
}

static bool live_pairs_put_metrics(const struct live_pairs *pairs, const struct live_reading *reading)
{
  static const struct {
    const char *name, *unit;
    unsigned units; /* bits */
  } families[] = {{"heddle_pair_count", "", 1u << LIVE_NUMBER},
                  {"heddle_pair_seconds", "# UNIT heddle_pair_seconds seconds\n", 1u << LIVE_TICKS},
                  {"heddle_pair_value", "", 1u << LIVE_SUM | 1u << LIVE_LAST}};
  bool good = true;
  for (size_t k = 0; good && k < COUNT_OF(families); k++) {
    printf("# TYPE %s gauge\n%s# HELP %s What came of a pair of metric and focus since it was inserted.\n",
           families[k].name, families[k].unit, families[k].name);
    for (size_t i = 0; good && i < pairs->count; i++)
      if (families[k].units >> pairs->asked[i].metric->unit & 1)
        good = live_pairs_put_metric(families[k].name, &pairs->asked[i], &pairs->sums[i],
                                     reading->trace->ticks_per_second);
  }
  puts("# EOF");
  return good;
}

bool live_pairs_take(struct live_pairs *pairs, const struct live_reading *between)
{
  struct states_sums sums = {.threads = NULL};
  bool good = profiled_states(between->trace, &between->profile, &sums);
  for (size_t i = 0; good && i < pairs->count; i++) {
    pairs->values[i] = live_asked_value(&pairs->asked[i], between, &sums);
    live_amount_add(pairs->asked[i].metric->unit, &pairs->sums[i], &pairs->values[i]);
  }
  states_sums_free(&sums);
  return good;
}

bool live_pairs_put(const struct live_pairs *pairs, FILE *out, const struct live *live,
                    const struct live_reading *reading, uint64_t from)
{
  return live_pairs_put_document(out, PRINT_JSON, pairs, live, reading, from);
}

bool live_pairs_print(struct live_pairs *pairs, enum print_format format, bool metrics, const struct live *live,
                      const struct live_reading *between, uint64_t from, struct error *error)
{
  bool good = live_pairs_take(pairs, between);
  if (good)
    good = metrics                ? live_pairs_put_metrics(pairs, between)
           : format == PRINT_CSV  ? put_csv(pairs, between, from)
           : format == PRINT_JSON ? live_pairs_put_line(pairs, live, between, from)
                                  : live_pairs_put_text(pairs, live, between, from);
  pairs->shown++;
  if (!good)
    return error_set(error, "out of memory");
  return fflush(stdout) == 0 || error_set(error, "the reading cannot be written: %s", strerror(errno));
}

bool live_pairs_end(struct live_pairs *pairs)
{
  bool good = true;
  if (pairs->csv) {
    print_table_end(pairs->csv);
    good = print_close(pairs->csv);
  }
  pairs->csv = NULL;
  return good;
}

int live_pairs_list(enum print_format format)
{
  static const struct print_column names[] = {{"metric", "Metric", PRINT_STRING, false},
                                              {"meaning", "Meaning", PRINT_STRING, false}};
  struct print *print = print_open(format, stdout, 0);
  if (!print) {
    command_error("live", "out of memory");
    return EXIT_FAULT;
  }
  print_table(print, "metrics", NULL, names, COUNT_OF(names), false);
  for (size_t i = 0; i < live_asked_metric_count; i++)
    print_row(print, (struct print_cell[]){print_string(live_asked_metrics[i].name),
                                           print_string(live_asked_metrics[i].help)});
  print_table_end(print);
  if (format == PRINT_TEXT)
    print_sentence(
        print, "focus",
        "A pair is METRIC, METRIC@PLACE, METRIC@KEYS or METRIC@PLACE,KEYS. PLACE is FILE:LINE, FILE:LINE-LINE, FILE, a "
        "function, or a construct's name. KEYS is a list as for --focus, such as lock=forks*,thread=worker*.");
  return print_close(print) ? command_printed() : EXIT_FAULT;
}
