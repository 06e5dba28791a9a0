#include "analyzer/models/phases_constructs.h"

#include "analyzer/findings/all_analyses.h"
#include "analyzer/trace/definitions.h"
#include "analyzer/trace/restriction.h"
#include "base/count_of.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* One construct in one phase. */
struct figures {
  uint64_t calls;
  double part;      /* its elapsed time, per cent of the phase's duration */
  double imbalance; /* per cent */
};

struct reading {
  struct print *print;
  const struct markov_phases *phases;
  struct figures *now, *before; /* by region; NULL: none yet */
  uint32_t count;
};

static const struct print_column phases_constructs_columns[] = {
    {"phase", "Phase", PRINT_NUMBER, false},        {"construct", "Construct", PRINT_STRING, false},
    {"calls", "Calls", PRINT_COUNT, false},         {"elapsed", "Elapsed", PRINT_DURATION, false},
    {"part", "of the phase", PRINT_PERCENT, false}, {"imbalance", "Imbalance", PRINT_PERCENT, false}};

static void put_phase(struct reading *reading, uint32_t number, const struct trace *trace,
                      const struct imbalance *imbalance)
{
  double duration = (double)reading->phases->list[number].duration;
  for (uint32_t i = 0; i < imbalance->count && i < reading->count; i++) {
    const struct imbalance_construct *construct = &imbalance->constructs[i];
    struct figures *own = &reading->now[i];
    *own = (struct figures){0};
    if (construct->calls == 0)
      continue;
    *own = (struct figures){construct->calls, duration > 0 ? 100 * (double)construct->elapsed / duration : 0,
                            imbalance_percent(construct)};
    struct print_cell cells[] = {print_number(number + 1), print_string(trace->regions[i].name),
                                 print_number(own->calls), print_number((uint64_t)construct->elapsed),
                                 print_real(own->part),    print_real(own->imbalance)};
    print_row(reading->print, cells);
  }
}

/* The construct whose part of the time changed most, or else the one whose imbalance did. */
static char *say_change(const struct reading *reading, uint32_t number, const struct trace *trace)
{
  uint32_t most = TRACE_NONE;
  double change = 0;
  char *text = NULL;
  for (uint32_t i = 0; i < reading->count; i++) {
    const struct figures *before = &reading->before[i], *now = &reading->now[i];
    double both = fmax(fabs(now->part - before->part),
                       fabs(now->imbalance - before->imbalance) * fmin(now->part, before->part) / 100);
    if (both > change) {
      change = both;
      most = i;
    }
  }
  if (most != TRACE_NONE &&
      asprintf(
          &text,
          "From phase %u to phase %u, %s changed most: from %.1f to %.1f %% of the time, its imbalance from %.1f to "
          "%.1f %%.",
          number, number + 1, trace->regions[most].name, reading->before[most].part, reading->now[most].part,
          reading->before[most].imbalance, reading->now[most].imbalance) < 0)
    text = NULL;
  return text;
}

/* Opens the archive for one phase: a restriction is set once. */
static bool read_phase(struct reading *reading, const char *path, uint32_t number, char **sentence, struct error *error)
{
  const struct markov_phase *phase = &reading->phases->list[number];
  bool last = number + 1 == reading->phases->count;
  const struct run_analyses_options asked = {.also_count = 0};
  struct run_analyses all;
  struct trace *trace = trace_open(path, error);
  struct pool *pool = trace ? pool_create(0) : NULL;
  bool good = pool || (!trace ? false : error_set(error, "out of memory"));
  if (good) {
    trace_restrict_time(trace, phase->begin, last ? UINT64_MAX : phase->begin + phase->duration);
    if (!reading->now) {
      reading->count = trace->region_count;
      reading->now = calloc((size_t)reading->count + 1, sizeof *reading->now);
      reading->before = calloc((size_t)reading->count + 1, sizeof *reading->before);
    }
    good = (reading->now && reading->before) || error_set(error, "out of memory");
  }
  if (good) {
    good = run_analyses(trace, pool, &asked, &all, error);
    if (good) {
      put_phase(reading, number, trace, all.results.imbalance);
      *sentence = number > 0 ? say_change(reading, number, trace) : NULL;
    }
    run_analyses_free(&all);
  }
  pool_destroy(pool);
  trace_close(trace);
  return good;
}

bool phases_put_constructs(struct print *print, const char *path, const struct markov_phases *phases,
                           struct error *error)
{
  struct reading reading = {.print = print, .phases = phases};
  char **sentences = calloc((size_t)phases->count + 1, sizeof *sentences);
  bool good = sentences || error_set(error, "out of memory");
  print_table(print, "constructs", "Constructs of the phases", phases_constructs_columns,
              COUNT_OF(phases_constructs_columns), false);
  for (uint32_t i = 0; good && i < phases->count; i++) {
    good = read_phase(&reading, path, i, &sentences[i], error);
    struct figures *swapped = reading.before;
    reading.before = reading.now;
    reading.now = swapped;
  }
  print_table_end(print);
  for (uint32_t i = 0; sentences && i < phases->count; i++) {
    char key[32];
    snprintf(key, sizeof key, "changed_%u", i);
    if (sentences[i])
      print_sentence(print, key, sentences[i]);
    free(sentences[i]);
  }
  free(sentences);
  free(reading.now);
  free(reading.before);
  return good;
}
