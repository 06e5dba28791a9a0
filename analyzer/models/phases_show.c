#include "analyzer/models/phases_show.h"

#include "analyzer/models/model_show.h"
#include "analyzer/models/spectrum/spectrum.h"
#include "base/count_of.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES_MOST = 1 << 16, SAMPLES_LEAST = 8 }; /* of a period */

/* The period of one phase in records. False: an error. */
static bool find_period(const struct phases_view *view, const struct markov_phase *phase, double *period,
                        struct error *error)
{
  struct spectrum_options options = {.domain = SPECTRUM_EVENT, .signal = {.kind = SPECTRUM_STATES}, .top = 1};
  options.samples = phase->records > SAMPLES_MOST ? SAMPLES_MOST : 0;
  struct pes_stream *part = markov_slice(view->stream, phase->first, phase->records, error);
  struct spectrum *spectrum = part && pes_rewind(part, error) ? spectrum_compute(part, &options, error) : NULL;
  *period =
      spectrum && spectrum->verdict == SPECTRUM_PERIOD ? 1 / spectrum_frequency(spectrum, (double)spectrum->base) : NAN;
  bool good = spectrum;
  spectrum_free(spectrum);
  pes_close(part);
  return good;
}

static bool find_periods(struct phases_view *view, struct error *error)
{
  view->periods = calloc((size_t)view->phases->count + 1, sizeof *view->periods);
  if (!view->periods)
    return error_set(error, "out of memory");
  for (uint32_t i = 0; i < view->phases->count; i++) {
    view->periods[i] = NAN;
    if (view->phases->list[i].records >= SAMPLES_LEAST &&
        !find_period(view, &view->phases->list[i], &view->periods[i], error))
      return false;
  }
  return true;
}

static void phases_put_facts(struct print *print, const struct phases_view *view)
{
  const struct markov_phases *phases = view->phases;
  const struct markov_changes *changes = &phases->changes;
  print_csv_facts(print);
  print_fact(print, "program", "Program", PRINT_STRING, print_string(view->stream->program->name));
  print_fact(print, "records", "Records", PRINT_COUNT, print_number(phases->records));
  print_fact(print, "duration", "Duration", PRINT_MEAN, print_real((double)phases->duration));
  print_fact(print, "blocks", "Blocks", PRINT_COUNT, print_number(changes->blocks));
  print_fact(print, "block_records", "Records of a block", PRINT_COUNT, print_number(changes->length));
  print_fact(print, "level", "Level", PRINT_PROBABILITY, print_real(view->options->level));
  print_fact(print, "least", "Least difference", PRINT_PROBABILITY, print_real(view->options->tolerance));
}

static void phases_put_phases(struct print *print, const struct phases_view *view)
{
  static const struct print_column columns[] = {
      {"phase", "Phase", PRINT_NUMBER, false},     {"first", "First record", PRINT_COUNT, false},
      {"records", "Records", PRINT_COUNT, false},  {"begin", "Begin", PRINT_MEAN, false},
      {"duration", "Duration", PRINT_MEAN, false}, {"period", "Period (records)", PRINT_REAL, true},
      {"period_time", "Period", PRINT_MEAN, true}, {"difference", "Difference", PRINT_PROBABILITY, true},
      {"p", "p", PRINT_PROBABILITY, true}};
  const struct markov_phases *phases = view->phases;
  print_table(print, "phases", "Phases", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < phases->count; i++) {
    const struct markov_phase *phase = &phases->list[i];
    double mean = phase->records > 0 ? (double)phase->duration / (double)phase->records : 0;
    struct print_cell cells[] = {print_number(i + 1),
                                 print_number(phase->first + 1),
                                 print_number(phase->records),
                                 print_real((double)(phase->begin - phases->list[0].begin)),
                                 print_real((double)phase->duration),
                                 print_finite(view->periods[i]),
                                 print_finite(view->periods[i] * mean),
                                 print_finite(phase->difference),
                                 print_finite(phase->p)};
    print_row(print, cells);
  }
  print_table_end(print);
}

static double phases_part_of(const struct markov_phase *phase, uint32_t state)
{
  return phase->duration > 0 ? phase->times[state] / (double)phase->duration : 0;
}

static int compare_parts(const void *left, const void *right, void *context)
{
  const struct markov_phase *phase = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  if (phase->times[a] != phase->times[b])
    return phase->times[a] < phase->times[b] ? 1 : -1;
  return (a > b) - (a < b);
}

/* The states with most time of each phase. False: out of memory. */
static bool phases_put_states(struct print *print, const struct phases_view *view, uint64_t top)
{
  static const struct print_column columns[] = {
      {"phase", "Phase", PRINT_NUMBER, false},  {"state", "State", PRINT_STRING, false},
      {"part", "Time", PRINT_PERCENT, false},   {"before", "before", PRINT_PERCENT, true},
      {"visits", "Visits", PRINT_COUNT, false}, {"mean", "Mean", PRINT_MEAN, false}};
  const struct markov_phases *phases = view->phases;
  uint32_t *order = malloc(((size_t)phases->states + 1) * sizeof *order);
  if (!order)
    return false;
  print_table(print, "states", "States of most time", columns, COUNT_OF(columns), false);
  for (uint32_t k = 0; k < phases->count; k++) {
    const struct markov_phase *phase = &phases->list[k];
    for (uint32_t i = 0; i < phases->states; i++)
      order[i] = i;
    qsort_r(order, phases->states, sizeof *order, compare_parts, (void *)phase);
    for (uint32_t i = 0; i < phases->states && i < top && phase->visits[order[i]] > 0; i++) {
      uint32_t state = order[i];
      struct print_cell cells[] = {print_number(k + 1),
                                   print_string(view->names[state]),
                                   print_real(100 * phases_part_of(phase, state)),
                                   k > 0 ? print_real(100 * phases_part_of(phase - 1, state)) : print_none(),
                                   print_number((uint64_t)phase->visits[state]),
                                   print_real(phase->times[state] / phase->visits[state])};
      print_row(print, cells);
    }
  }
  print_table_end(print);
  free(order);
  return true;
}

void phases_view_put_sentence(struct print *print, const struct phases_view *view)
{
  const struct markov_changes *changes = &view->phases->changes;
  char text[512];
  if (!changes->is_tested)
    snprintf(text, sizeof text,
             "Too few records to say whether the run changes: %u independent blocks are needed, and consecutive blocks "
             "depend on each other.",
             (unsigned)MARKOV_JOINED_LEAST);
  else if (changes->count > 0)
    snprintf(
        text, sizeof text,
        "The run has %u phases; a model of it all describes none of them. Model each apart: heddle model --phases.",
        changes->count + 1);
  else
    snprintf(text, sizeof text,
             "No change is found (p = %.2g). A change of the parts of time by %.2g in the middle of the run would have "
             "shown.",
             changes->first.p, changes->smallest);
  print_sentence(print, "verdict", text);
}

bool phases_view_put(struct print *print, const struct phases_view *view, uint64_t top)
{
  phases_put_facts(print, view);
  phases_put_phases(print, view);
  return phases_put_states(print, view, top);
}

bool phases_view_find(struct phases_view *view, struct error *error)
{
  view->phases = markov_phases_find(view->stream, view->options, error);
  if (!view->phases)
    return false;
  view->names = model_names(view->stream->program, view->stream->states);
  return (view->names || error_set(error, "out of memory")) && find_periods(view, error);
}

void phases_view_free(struct phases_view *view)
{
  if (view->names)
    model_names_free(view->names, view->stream->states);
  free(view->periods);
  markov_phases_free(view->phases);
}
