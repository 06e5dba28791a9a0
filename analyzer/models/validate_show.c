#include "analyzer/models/validate_show.h"

#include "analyzer/command/print/units.h"
#include "analyzer/models/model_show.h"
#include "analyzer/models/sequence_input.h"
#include "base/count_of.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* With fewer records, a test finds only differences that exceed any useful tolerance. */
#define LEAST_RECORDS 100

static bool too_few(const struct markov_model *model, const struct markov_validation *validation)
{
  return model->records < LEAST_RECORDS || validation->run->records < LEAST_RECORDS;
}

/* One phase, or the whole run. */
struct validate_show_part {
  uint32_t phase; /* its number from 1; 0: the model has one phase */
  const struct markov_validation *validation;
};

/* Prints the statement on one part; for a phase with its number. */
static void put_part(struct print *print, const struct validate_show_part *part, const char *key, const char *text)
{
  char own_key[64], own_text[512];
  snprintf(own_key, sizeof own_key, "%s_%u", key, part->phase);
  snprintf(own_text, sizeof own_text, "Phase %u: %s", part->phase, text);
  print_sentence(print, part->phase > 0 ? own_key : key, part->phase > 0 ? own_text : text);
}

static int badness(enum markov_outcome outcome)
{
  static const int badness[] = {[MARKOV_HOLDS] = 0,
                                [MARKOV_DIFFERS_LITTLE] = 1,
                                [MARKOV_UNSEEN] = 2,
                                [MARKOV_UNTESTED] = 3,
                                [MARKOV_DIFFERS] = 4};
  return badness[outcome];
}

/* Returns the strongest objection to a use: a difference, then an untested question, then a small difference. */
static enum markov_outcome worst_of(const struct markov_validation *validation, unsigned which)
{
  enum markov_outcome worst = MARKOV_HOLDS;
  for (unsigned i = 0; i < MARKOV_QUESTIONS; i++) {
    enum markov_outcome outcome = validation->tests[i].outcome;
    if ((which & 1u << i) && badness(outcome) > badness(worst))
      worst = outcome;
  }
  return worst;
}

/* Returns the largest undetectable difference of these questions, without tails, which have another scale. */
static double could_be_unseen(const struct markov_validation *validation, unsigned which)
{
  double most = 0;
  for (unsigned i = 0; i < MARKOV_QUESTIONS; i++) {
    if ((which & 1u << i) && i != MARKOV_TAILS)
      most = fmax(most, validation->tests[i].smallest);
  }
  return most;
}

/* Returns the outcome of all phases; a phase that the run lacks differs. */
static enum markov_outcome worst_of_all(const struct markov_comparison *comparison, unsigned which)
{
  enum markov_outcome worst = MARKOV_HOLDS;
  for (uint32_t i = 0; i < comparison->count; i++) {
    const struct markov_validation *validation = comparison->list[i].validation;
    enum markov_outcome outcome = validation ? worst_of(validation, which) : MARKOV_DIFFERS;
    worst = badness(outcome) > badness(worst) ? outcome : worst;
  }
  return worst;
}

static void validate_show_put_use(struct print *print, const char *key, const char *use, unsigned which,
                                  const struct markov_comparison *comparison, bool few)
{
  enum markov_outcome worst = worst_of_all(comparison, which);
  char text[256], answer[128];
  double unseen = 0;
  for (uint32_t i = 0; i < comparison->count; i++) {
    if (comparison->list[i].validation)
      unseen = fmax(unseen, could_be_unseen(comparison->list[i].validation, which));
  }
  if (worst == MARKOV_DIFFERS)
    snprintf(answer, sizeof answer, "no");
  else if (few || worst == MARKOV_UNSEEN)
    snprintf(answer, sizeof answer, "unknown, too few records to say");
  else if (worst == MARKOV_UNTESTED)
    snprintf(answer, sizeof answer, "unknown, too little data to test");
  else
    snprintf(answer, sizeof answer, "yes%s; differences from %.2g on would have shown",
             worst == MARKOV_DIFFERS_LITTLE ? ", with small errors" : "", unseen);
  snprintf(text, sizeof text, "Use the model for %s: %s.", use, answer);
  print_sentence(print, key, text);
}

static void put_memory(struct print *print, const struct validate_show_part *part)
{
  const struct markov_validation *validation = part->validation;
  const struct markov_memory *memory = &validation->memory;
  char text[256];
  if (validation->tests[MARKOV_ORDER].method == MARKOV_NO_METHOD)
    return;
  if (memory->order > MARKOV_ORDERS)
    snprintf(text, sizeof text, "The next state depends on more than the last %d states.", MARKOV_ORDERS);
  else if (memory->order > 1)
    snprintf(text, sizeof text,
             "The next state is %s the last %u states, up to %u step%s back: heddle model --order %u.",
             memory->is_determined ? "determined by" : "a matter of", memory->order, memory->order - 1,
             memory->order > 2 ? "s" : "", memory->order);
  else
    snprintf(text, sizeof text, "The next state is %s the present state alone, as far as the tests see.",
             memory->is_determined ? "determined by" : "a matter of");
  put_part(print, part, "memory", text);
}

static void validate_show_put_phases(struct print *print, const struct validate_show_part *part)
{
  const struct markov_validation *validation = part->validation;
  const struct markov_changes *changes = &validation->changes;
  char text[256];
  if (validation->tests[MARKOV_PHASES].outcome == MARKOV_DIFFERS) {
    snprintf(
        text, sizeof text,
        "The run changes about record %llu of %llu, and has %u phases: see heddle phases and heddle model --phases.",
        (unsigned long long)changes->first.record + 1, (unsigned long long)validation->run->records,
        changes->count + 1);
    put_part(print, part, "phases", text);
  }
}

static void put_tail(struct print *print, const struct validate_show_part *part)
{
  const struct markov_validation *validation = part->validation;
  if (validation->tests[MARKOV_TAILS].outcome == MARKOV_DIFFERS)
    put_part(print, part, "tails",
             "Some durations have a heavy tail: their longest visits decide their mean, which a longer run would "
             "change.");
}

/* Notes on the comparison itself. */
static void put_limits(struct print *print, const struct validate_show_part *part)
{
  const struct markov_validation *validation = part->validation;
  char text[256];
  if (validation->same_run)
    put_part(print, part, "same_run",
             "The model was made from this run, so their agreement proves nothing. Only the tests of the run "
             "alone count: memory, durations, tails, phases. Validate with another run.");
  if (validation->unknown > 0) {
    snprintf(text, sizeof text, "%.1f %% of the run's time is in states that the model lacks.",
             100 * validation->unknown);
    put_part(print, part, "unknown", text);
  }
  if (validation->new_transitions > 0) {
    snprintf(text, sizeof text, "%llu of the run's transitions have probability 0 in the model.",
             (unsigned long long)validation->new_transitions);
    put_part(print, part, "new_transitions", text);
  }
  if (validation->shortened)
    put_part(print, part, "shortened",
             "The simulated pairs were shorter than the runs. Their differences were scaled with the square roots of "
             "the lengths, which is valid if the runs have many short cycles.");
}

/* Notes on a series: phases that the run lacks, and the limits of one run a side. */
static void put_series(struct print *print, const struct markov_comparison *comparison)
{
  char key[32], text[128];
  for (uint32_t i = 0; i < comparison->count; i++) {
    if (comparison->list[i].validation)
      continue;
    snprintf(key, sizeof key, "missing_%u", i + 1);
    snprintf(text, sizeof text,
             "The run has no phase %u: no stretch at its place fits its model better than the others.", i + 1);
    print_sentence(print, key, text);
  }
  if (comparison->count > 1)
    print_sentence(
        print, "lengths",
        "The lengths of the phases are not tested: a run has each once. The run was cut where its records are "
        "most probable.");
}

void validate_show_verdict(struct print *print, const struct markov_series *series,
                           const struct markov_comparison *comparison)
{
  enum {
    ALWAYS = 1u << MARKOV_SHARES | 1u << MARKOV_PHASES,
    DURATIONS = 1u << MARKOV_OCCUPANCIES | 1u << MARKOV_TAILS,
    NEXT = 1u << MARKOV_TRANSITIONS | 1u << MARKOV_ORDER
  };
  static const struct {
    const char *key, *use;
    unsigned questions;
  } uses[] = {{"use_shares", "shares of time", ALWAYS},
              {"use_cycle", "cycle times and what-if", ALWAYS | 1u << MARKOV_CYCLE | 1u << MARKOV_TAILS},
              {"use_occupancies", "how long single visits last", DURATIONS | 1u << MARKOV_PHASES},
              {"use_next", "which state comes next", NEXT | 1u << MARKOV_PHASES},
              {"use_sequences", "longer sequences, first passages and simulation",
               NEXT | DURATIONS | 1u << MARKOV_CONSECUTIVE | 1u << MARKOV_NEXT | 1u << MARKOV_PHASES}};
  bool few = false, is_series = comparison->count > 1;
  for (uint32_t i = 0; i < comparison->count; i++)
    few |= comparison->list[i].validation && too_few(series->models[i], comparison->list[i].validation);
  for (size_t i = 0; i < COUNT_OF(uses); i++)
    validate_show_put_use(print, uses[i].key, uses[i].use, uses[i].questions, comparison, few);
  if (few) {
    char text[128];
    snprintf(text, sizeof text,
             "Too few records: with fewer than %d in the model or the run%s, tests cannot find differences.",
             LEAST_RECORDS, is_series ? ", in each phase" : "");
    print_sentence(print, "too_few", text);
  }
  put_series(print, comparison);
  for (uint32_t i = 0; i < comparison->count; i++) {
    const struct validate_show_part part = {is_series ? i + 1 : 0, comparison->list[i].validation};
    if (!part.validation)
      continue;
    put_memory(print, &part);
    validate_show_put_phases(print, &part);
    put_tail(print, &part);
  }
  print_sentence(print, "not_tested",
                 "Not tested: memory beyond six states, and whether the run depends on anything that its states do "
                 "not show.");
  for (uint32_t i = 0; i < comparison->count; i++) {
    const struct validate_show_part part = {is_series ? i + 1 : 0, comparison->list[i].validation};
    if (part.validation)
      put_limits(print, &part);
  }
}

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
    snprintf(text, sizeof text, "Too few records for a comparison: each run needs at least %d.", MARKOV_RUN_LEAST);
  } else if (comparison->outcome == MARKOV_UNTESTED) {
    snprintf(text, sizeof text,
             "Too few records for a comparison: %d independent blocks a run are needed, and "
             "consecutive blocks depend on each other.",
             MARKOV_JOINED_LEAST);
  } else if (comparison->outcome == MARKOV_UNSEEN) {
    snprintf(text, sizeof text, "Too few %s for a comparison: differences above %.2g might not have been detected.",
             comparison->is_one_each ? "records" : "runs", shown->asked->rules.unseen);
  } else {
    snprintf(text, sizeof text,
             "They behave the same%s. On average over the run, these differences would have shown: %.2g in a share of "
             "time, %.2g in a transition, %.2g of a mean duration.",
             comparison->outcome == MARKOV_DIFFERS_LITTLE ? " within the tolerance" : "",
             tests[MARKOV_TIME_IN].smallest, isnan(tests[MARKOV_GOES_TO].smallest) ? 0 : tests[MARKOV_GOES_TO].smallest,
             isnan(tests[MARKOV_LASTS].smallest) ? 0 : tests[MARKOV_LASTS].smallest);
  }
  print_sentence(shown->print, "verdict", text);
}

/* Shares of the time follow from the cause, and are what a user notices. */
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
        "With one run each, differences between runs and between programs cannot be distinguished: give several "
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
