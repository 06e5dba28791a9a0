#include "analyzer/models/validate_against.h"

#include "analyzer/command/print/units.h"
#include "analyzer/models/model_show.h"
#include "analyzer/models/sequence_input.h"
#include "base/count_of.h"

#include <math.h>
#include <stdlib.h>

enum { VALIDATE_AGAINST_TEXT_MOST = 1024 };

static const char *const aspects[MARKOV_ASPECTS] = {[MARKOV_TIME_IN] = "part of the time",
                                                    [MARKOV_GOES_TO] = "transition",
                                                    [MARKOV_LASTS] = "mean duration",
                                                    [MARKOV_LONGER] = "longer visits"};
static const char *const validate_against_questions[MARKOV_ASPECTS] = {[MARKOV_TIME_IN] = "parts of the time",
                                                                       [MARKOV_GOES_TO] = "transitions",
                                                                       [MARKOV_LASTS] = "mean durations",
                                                                       [MARKOV_LONGER] = "spread of durations"};
static const char *const validate_against_outcomes[] = {[MARKOV_UNTESTED] = "not tested",
                                                        [MARKOV_UNSEEN] = "too few records",
                                                        [MARKOV_HOLDS] = "same",
                                                        [MARKOV_DIFFERS_LITTLE] = "differs little",
                                                        [MARKOV_DIFFERS] = "differs"};

struct validate_against_shown {
  const struct validate_against *asked;
  const struct markov_group_comparison *comparison;
  char **names;
  struct print *print;
};

static void validate_against_put_facts(const struct validate_against_shown *shown)
{
  struct print *print = shown->print;
  const struct markov_group_comparison *comparison = shown->comparison;
  print_csv_facts(print);
  print_fact(print, "program", "Program", PRINT_STRING, print_string(comparison->model->program->name));
  print_fact(print, "runs", "Runs", PRINT_COUNT, print_number(comparison->runs[0]));
  print_fact(print, "runs_against", "Runs against", PRINT_COUNT, print_number(comparison->runs[1]));
  print_fact(print, "records", "Records", PRINT_COUNT, print_number(comparison->records[0]));
  print_fact(print, "records_against", "Records against", PRINT_COUNT, print_number(comparison->records[1]));
  print_fact(print, "unit", "Compared are", PRINT_STRING, print_string(comparison->is_one_each ? "blocks" : "runs"));
  if (comparison->block > 0) {
    print_fact(print, "block_records", "Records of a block", PRINT_COUNT, print_number(comparison->block));
    print_fact(print, "blocks", "Blocks", PRINT_COUNT, print_number(comparison->blocks[0]));
    print_fact(print, "blocks_against", "Blocks against", PRINT_COUNT, print_number(comparison->blocks[1]));
  }
  print_fact(print, "level", "Level", PRINT_PROBABILITY, print_real(shown->asked->rules.level));
  print_fact(print, "tolerance", "Tolerance", PRINT_PROBABILITY, print_real(shown->asked->rules.tolerance));
}

static void validate_against_put_tests(const struct validate_against_shown *shown)
{
  static const struct print_column columns[] = {{"question", "Question", PRINT_STRING, false},
                                                {"outcome", "Outcome", PRINT_STRING, false},
                                                {"difference", "Difference", PRINT_PROBABILITY, false},
                                                {"smallest", "Would show", PRINT_PROBABILITY, false},
                                                {"p", "p", PRINT_PROBABILITY, false},
                                                {"figures", "Figures", PRINT_COUNT, false}};
  print_table(shown->print, "tests", "Tests", columns, COUNT_OF(columns), false);
  for (unsigned i = 0; i < MARKOV_ASPECTS; i++) {
    const struct markov_aspect_test *test = &shown->comparison->tests[i];
    struct print_cell cells[] = {print_string(validate_against_questions[i]),
                                 print_string(validate_against_outcomes[test->outcome]),
                                 print_finite(test->difference),
                                 print_finite(test->smallest),
                                 test->figures > 0 ? print_real(test->p) : print_none(),
                                 print_number(test->figures)};
    print_row(shown->print, cells);
  }
  print_table_end(shown->print);
}

static void put_contrast(const struct validate_against_shown *shown, const struct markov_contrast *own)
{
  bool lasts = own->aspect == MARKOV_LASTS, tested = own->outcome != MARKOV_UNTESTED;
  struct print_cell none = print_none();
  struct print_cell cells[] = {print_string(aspects[own->aspect]),
                               print_string(shown->names[own->state]),
                               own->aspect == MARKOV_GOES_TO ? print_string(shown->names[own->to]) : none,
                               own->aspect == MARKOV_LONGER ? print_number(own->ticks) : none,
                               lasts ? none : print_finite(own->figures[0]),
                               lasts ? none : print_finite(own->figures[1]),
                               lasts ? print_finite(own->figures[0]) : none,
                               lasts ? print_finite(own->figures[1]) : none,
                               tested ? print_finite(own->difference) : none,
                               tested ? print_finite(own->effect) : none,
                               tested ? print_finite(own->smallest) : none,
                               print_finite(own->p),
                               print_string(validate_against_outcomes[own->outcome])};
  print_row(shown->print, cells);
}

static void put_contrasts(const struct validate_against_shown *shown)
{
  static const struct print_column columns[] = {{"figure", "Figure", PRINT_STRING, false},
                                                {"state", "State", PRINT_STRING, false},
                                                {"next", "Next", PRINT_STRING, true},
                                                {"above", "above", PRINT_DURATION, true},
                                                {"part", "Part", PRINT_PROBABILITY, true},
                                                {"part_against", "Against", PRINT_PROBABILITY, true},
                                                {"mean", "Mean", PRINT_MEAN, true},
                                                {"mean_against", "Against", PRINT_MEAN, true},
                                                {"difference", "Difference", PRINT_PROBABILITY, false},
                                                {"effect", "Effect", PRINT_PROBABILITY, false},
                                                {"smallest", "Would show", PRINT_PROBABILITY, false},
                                                {"p", "p", PRINT_PROBABILITY, false},
                                                {"outcome", "Outcome", PRINT_STRING, false}};
  print_table(shown->print, "figures", "Figures: what differs, the largest effect first", columns, COUNT_OF(columns),
              false);
  for (uint32_t i = 0; i < shown->comparison->count && i < shown->asked->top; i++)
    put_contrast(shown, &shown->comparison->list[i]);
  print_table_end(shown->print);
}

/* "after A comes B in 50.0 % of the cases, against 70.2 %" */
static void validate_against_describe(const struct validate_against_shown *shown, const struct markov_contrast *own,
                                      char *text, size_t size)
{
  const char *state = shown->names[own->state];
  uint64_t per_second = shown->comparison->model->program->ticks_per_second;
  char ticks[UNITS_SIZE], against[UNITS_SIZE];
  double one = 100 * own->figures[0], other = 100 * own->figures[1];
  if (own->aspect == MARKOV_GOES_TO)
    snprintf(text, size, "after %s comes %s in %.1f %% of the cases, against %.1f %%", state, shown->names[own->to],
             one, other);
  else if (own->aspect == MARKOV_TIME_IN)
    snprintf(text, size, "%s has %.1f %% of the time, against %.1f %%", state, one, other);
  else if (own->aspect == MARKOV_LASTS)
    snprintf(text, size, "%s lasts %s on average, against %s", state, units_mean(own->figures[0], per_second, ticks),
             units_mean(own->figures[1], per_second, against));
  else
    snprintf(text, size, "%.1f %% of the visits of %s last longer than %s, against %.1f %%", one, state,
             units_duration(own->ticks, per_second, ticks), other);
}

static void validate_against_put_verdict(const struct validate_against_shown *shown)
{
  const struct markov_group_comparison *comparison = shown->comparison;
  const struct markov_aspect_test *tests = comparison->tests;
  char text[VALIDATE_AGAINST_TEXT_MOST], what[VALIDATE_AGAINST_TEXT_MOST / 2];
  if (comparison->outcome == MARKOV_DIFFERS && comparison->cause) {
    validate_against_describe(shown, comparison->cause, what, sizeof what);
    snprintf(text, sizeof text, "They differ. First: %s (p = %.2g).", what, comparison->cause->p);
  } else if (comparison->outcome == MARKOV_UNTESTED && !comparison->is_one_each) {
    snprintf(text, sizeof text, "Too few records to say whether they behave the same: each run needs %d at least.",
             MARKOV_RUN_LEAST);
  } else if (comparison->outcome == MARKOV_UNTESTED) {
    snprintf(text, sizeof text,
             "Too few records to say whether they behave the same: %d independent blocks a run are needed, and "
             "consecutive blocks depend on each other.",
             MARKOV_JOINED_LEAST);
  } else if (comparison->outcome == MARKOV_UNSEEN) {
    snprintf(text, sizeof text,
             "Too few %s to say whether they behave the same: differences above %.2g could have gone unseen.",
             comparison->is_one_each ? "records" : "runs", shown->asked->rules.unseen);
  } else {
    snprintf(text, sizeof text,
             "They behave the same%s. On average over the run, a difference of a part of the time by %.2g, of a "
             "transition by %.2g, of a mean duration by %.2g of it would have shown.",
             comparison->outcome == MARKOV_DIFFERS_LITTLE ? " within the tolerance" : "",
             tests[MARKOV_TIME_IN].smallest, isnan(tests[MARKOV_GOES_TO].smallest) ? 0 : tests[MARKOV_GOES_TO].smallest,
             isnan(tests[MARKOV_LASTS].smallest) ? 0 : tests[MARKOV_LASTS].smallest);
  }
  print_sentence(shown->print, "verdict", text);
}

/* The parts of the time follow from the cause, and are what a user feels. */
static void put_time(const struct validate_against_shown *shown)
{
  const struct markov_group_comparison *comparison = shown->comparison;
  const struct markov_contrast *most = NULL;
  char text[VALIDATE_AGAINST_TEXT_MOST], what[VALIDATE_AGAINST_TEXT_MOST / 2];
  for (uint32_t i = 0; i < comparison->count && !most; i++) {
    if (comparison->list[i].aspect == MARKOV_TIME_IN && comparison->list[i].outcome >= MARKOV_DIFFERS_LITTLE)
      most = &comparison->list[i];
  }
  if (!most)
    return;
  validate_against_describe(shown, most, what, sizeof what);
  snprintf(text, sizeof text, "%.1f %% of the time is spent in other states: most of all, %s.",
           100 * comparison->tests[MARKOV_TIME_IN].difference, what);
  print_sentence(shown->print, "time", text);
}

static void put_parting(const struct validate_against_shown *shown)
{
  const struct markov_group_comparison *comparison = shown->comparison;
  const uint32_t *states = comparison->parted_states;
  char text[VALIDATE_AGAINST_TEXT_MOST];
  if (states[0] == PES_NONE && states[1] == PES_NONE)
    snprintf(text, sizeof text, "Both runs have the same states in the same order.");
  else
    snprintf(text, sizeof text, "The first record whose state differs is %llu: %s, against %s.",
             (unsigned long long)comparison->parted + 1, states[0] == PES_NONE ? "the end" : shown->names[states[0]],
             states[1] == PES_NONE ? "the end" : shown->names[states[1]]);
  print_sentence(shown->print, "parted", text);
}

static bool validate_against_show(const struct validate_against *asked,
                                  const struct markov_group_comparison *comparison, struct error *error)
{
  struct validate_against_shown shown = {.asked = asked, .comparison = comparison};
  shown.print = print_open(asked->format, stdout, comparison->model->program->ticks_per_second);
  shown.names = model_names(comparison->model->program, comparison->model->states);
  bool good = (shown.print && shown.names) || error_set(error, "out of memory");
  if (good) {
    validate_against_put_facts(&shown);
    validate_against_put_tests(&shown);
    put_contrasts(&shown);
    validate_against_put_verdict(&shown);
    put_time(&shown);
  }
  if (good && comparison->is_one_each) {
    put_parting(&shown);
    print_sentence(
        shown.print, "one_each",
        "With one run each, a difference between runs cannot be told from one between programs: give several "
        "runs of each.");
  }
  if (shown.names)
    model_names_free(shown.names, comparison->model->states);
  return (!shown.print || print_close(shown.print)) && good;
}

bool validate_against(const struct validate_against *asked, struct error *error)
{
  uint32_t count = asked->counts[0] + asked->counts[1];
  struct sequence_input *inputs = calloc((size_t)count + 1, sizeof *inputs);
  struct pes_stream **streams = calloc((size_t)count + 1, sizeof *streams);
  struct pool *pool = NULL;
  bool good = (inputs && streams) || error_set(error, "out of memory");
  for (uint32_t i = 0; good && i < count; i++) {
    good = sequence_input_open(&inputs[i], asked->paths[i], &pool, error);
    streams[i] = inputs[i].stream;
  }
  struct markov_group_comparison *comparison =
      good ? markov_compare_groups(streams, asked->paths, asked->counts, &asked->rules, error) : NULL;
  good = comparison && validate_against_show(asked, comparison, error);
  markov_group_comparison_free(comparison);
  for (uint32_t i = 0; inputs && i < count; i++)
    sequence_input_close(&inputs[i]);
  pool_destroy(pool);
  free(inputs);
  free(streams);
  return good;
}
