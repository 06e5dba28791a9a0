#include "analyzer/models/validate_show.h"

#include "base/count_of.h"

#include <math.h>
#include <stdio.h>

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

/* Prints what is said of one part; of a phase with its number. */
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

/* What stands against a use most: a difference, then what is unknown, then a small difference. */
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

/* The largest difference that could have gone unseen, over these questions but the tails, which have another scale. */
static double could_be_unseen(const struct markov_validation *validation, unsigned which)
{
  double most = 0;
  for (unsigned i = 0; i < MARKOV_QUESTIONS; i++) {
    if ((which & 1u << i) && i != MARKOV_TAILS)
      most = fmax(most, validation->tests[i].smallest);
  }
  return most;
}

/* Of all phases; one that the run lacks differs. */
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

/* About the comparison itself. */
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
             "The simulated pairs were shorter than the runs; their differences were scaled with the square "
             "roots of the lengths, which is valid if the runs have many short cycles.");
}

/* Of a series: phases that the run lacks, and what one run a side cannot tell. */
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
