/* Comparison of several runs, for heddle model with more than one sequence. */
#include "analyzer/models/model_show.h"

#include "base/count_of.h"

#include <math.h>
#include <stdlib.h>

/* Limits of a reported difference: rarely by chance in any of the states, and of a relevant size. */
#define CHANCE_MOST   0.01
#define BETWEEN_LEAST 0.02 /* of the mean */

enum { MODEL_SPREAD_STATES_TOLD = 3 };

static void model_spread_put_intervals(struct print *print, const struct model_view *view)
{
  static const struct print_column columns[] = {{"state", "State", PRINT_STRING, false},
                                                {"longrun", "Long-run", PRINT_PROBABILITY, false},
                                                {"longrun_low", "from", PRINT_PROBABILITY, false},
                                                {"longrun_high", "to", PRINT_PROBABILITY, false},
                                                {"runs", "Runs", PRINT_COUNT, false},
                                                {"mean", "Mean", PRINT_MEAN, false},
                                                {"mean_low", "from", PRINT_MEAN, false},
                                                {"mean_high", "to", PRINT_MEAN, false}};
  const struct markov_spread *spread = view->spread;
  print_table(print, "spread", "Over the runs: means and 95 % confidence intervals", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < spread->count; i++) {
    const struct markov_estimate *longrun = &spread->longrun[i], *mean = &spread->occupancy[i];
    if (!markov_state_is_used(view->model, i))
      continue;
    struct print_cell cells[] = {print_string(view->names[i]), print_finite(longrun->mean), print_finite(longrun->low),
                                 print_finite(longrun->high),  print_number(mean->runs),    print_finite(mean->mean),
                                 print_finite(mean->low),      print_finite(mean->high)};
    print_row(print, cells);
  }
  print_table_end(print);
}

static void model_spread_put_cycle(struct print *print, const struct model_view *view)
{
  const struct markov_spread *spread = view->spread;
  static const struct print_column columns[] = {{"cycle_state", "Cycle of", PRINT_STRING, false},
                                                {"runs", "Runs", PRINT_COUNT, false},
                                                {"cycle", "Mean", PRINT_MEAN, false},
                                                {"cycle_low", "from", PRINT_MEAN, false},
                                                {"cycle_high", "to", PRINT_MEAN, false}};
  print_table(print, "cycle_spread", NULL, columns, COUNT_OF(columns), false);
  struct print_cell cells[] = {print_string(view->names[spread->reference]), print_number(spread->cycle.runs),
                               print_finite(spread->cycle.mean), print_finite(spread->cycle.low),
                               print_finite(spread->cycle.high)};
  print_row(print, cells);
  print_table_end(print);
}

/* A difference between the runs that is worth a sentence. */
struct difference {
  uint32_t state;
  double between, within; /* parts of the mean */
};

static int by_size(const void *left, const void *right)
{
  double l = ((const struct difference *)left)->between, r = ((const struct difference *)right)->between;
  return (l < r) - (l > r);
}

static uint32_t find_differences(const struct markov_spread *spread, struct difference *found)
{
  uint32_t tests = 0, count = 0;
  for (uint32_t i = 0; i < spread->count; i++)
    tests += isfinite(spread->apart[i].chance);
  for (uint32_t i = 0; i < spread->count; i++) {
    const struct markov_variance *apart = &spread->apart[i];
    double mean = spread->occupancy[i].mean;
    if (apart->chance < CHANCE_MOST / tests && apart->between > BETWEEN_LEAST * mean)
      found[count++] = (struct difference){i, apart->between / mean, apart->within / mean};
  }
  qsort(found, count, sizeof *found, by_size);
  return count;
}

static void tell_differences(struct print *print, const struct model_view *view)
{
  struct difference *found = calloc((size_t)view->spread->count + 1, sizeof *found);
  uint32_t count = found ? find_differences(view->spread, found) : 0;
  char text[1024];
  int used = snprintf(text, sizeof text, "The runs differ by more than chance:");
  for (uint32_t i = 0; i < count && i < MODEL_SPREAD_STATES_TOLD && used < (int)sizeof text; i++)
    used += snprintf(text + used, sizeof text - (size_t)used,
                     "%s the mean time in %s differs by %.0f %% from run to run (within a run: %.0f %%)", i ? "," : "",
                     view->names[found[i].state], 100 * found[i].between, 100 * found[i].within);
  if (count > MODEL_SPREAD_STATES_TOLD && used < (int)sizeof text)
    used += snprintf(text + used, sizeof text - (size_t)used, ", and %u more", count - MODEL_SPREAD_STATES_TOLD);
  if (count > 0 && used < (int)sizeof text)
    snprintf(text + used, sizeof text - (size_t)used, ". A model of them all describes none of them.");
  if (count > 0)
    print_sentence(print, "runs_differ", text);
  free(found);
}

static void put_apart(struct print *print, const struct model_view *view)
{
  static const struct print_column columns[] = {{"state", "State", PRINT_STRING, false},
                                                {"runs", "Runs", PRINT_COUNT, false},
                                                {"within", "Within a run", PRINT_MEAN, false},
                                                {"between", "Between runs", PRINT_MEAN, false},
                                                {"chance", "Chance", PRINT_PROBABILITY, false}};
  const struct markov_spread *spread = view->spread;
  print_table(print, "apart", "Times of a state: deviations within a run and between runs", columns, COUNT_OF(columns),
              false);
  for (uint32_t i = 0; i < spread->count; i++) {
    const struct markov_variance *apart = &spread->apart[i];
    if (!markov_state_is_used(view->model, i))
      continue;
    struct print_cell cells[] = {print_string(view->names[i]), print_number(spread->occupancy[i].runs),
                                 print_finite(apart->within), print_finite(apart->between),
                                 print_finite(apart->chance)};
    print_row(print, cells);
  }
  print_table_end(print);
  tell_differences(print, view);
}

static const char *figure_name(enum markov_figure figure)
{
  static const char *const names[] = {"duration", "mean cycle time", "mean time in", "long-run part of"};
  return names[figure];
}

static void put_outliers(struct print *print, const struct model_view *view)
{
  static const struct print_column columns[] = {{"run", "Run that stands out", PRINT_STRING, false},
                                                {"figure", "By its", PRINT_STRING, false},
                                                {"state", "State", PRINT_STRING, false},
                                                {"ticks", "Time", PRINT_MEAN, false},
                                                {"others_ticks", "Other runs", PRINT_MEAN, false},
                                                {"part", "Part", PRINT_PROBABILITY, false},
                                                {"others_part", "Other runs", PRINT_PROBABILITY, false}};
  const struct markov_spread *spread = view->spread;
  if (spread->outlier_count == 0)
    print_sentence(print, "no_outliers",
                   spread->runs < MARKOV_OUTLIERS_LEAST ? "Outliers can be found among at least five runs."
                                                        : "No run stands out.");
  if (spread->outlier_count == 0 && view->format == PRINT_TEXT)
    return;
  print_table(print, "outliers", NULL, columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < spread->outlier_count; i++) {
    const struct markov_outlier *outlier = &spread->outliers[i];
    bool part = outlier->figure == MARKOV_FIGURE_LONGRUN, whole = outlier->figure == MARKOV_FIGURE_DURATION;
    struct print_cell none = print_none(), value = print_real(outlier->value), others = print_real(outlier->others);
    struct print_cell cells[] = {print_string(spread->names[outlier->run]),
                                 print_string(figure_name(outlier->figure)),
                                 whole ? none : print_string(view->names[outlier->state]),
                                 part ? none : value,
                                 part ? none : others,
                                 part ? value : none,
                                 part ? others : none};
    print_row(print, cells);
  }
  print_table_end(print);
}

void model_show_spread(struct print *print, const struct model_view *view)
{
  model_spread_put_intervals(print, view);
  model_spread_put_cycle(print, view);
  put_apart(print, view);
  put_outliers(print, view);
}
