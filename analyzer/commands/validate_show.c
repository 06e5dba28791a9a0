#include "analyzer/commands/validate_show.h"

#include "base/count_of.h"

#include <math.h>
#include <stdio.h>

/* With fewer records, a test finds only differences that exceed any useful tolerance. */
#define LEAST_RECORDS 100

static bool too_few(const struct markov_model *model, const struct markov_validation *validation)
{
  return model->records < LEAST_RECORDS || validation->run->records < LEAST_RECORDS;
}

/* What stands against a use most: a difference, then what is unknown, then a small difference. */
static enum markov_outcome worst_of(const struct markov_validation *validation, unsigned which)
{
  static const int badness[] = {[MARKOV_HOLDS] = 0,
                                [MARKOV_DIFFERS_LITTLE] = 1,
                                [MARKOV_UNSEEN] = 2,
                                [MARKOV_UNTESTED] = 3,
                                [MARKOV_DIFFERS] = 4};
  enum markov_outcome worst = MARKOV_HOLDS;
  for (unsigned i = 0; i < MARKOV_QUESTIONS; i++) {
    enum markov_outcome outcome = validation->tests[i].outcome;
    if ((which & 1u << i) && badness[outcome] > badness[worst])
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

static void put_use(struct print *print, const char *key, const char *use, unsigned which,
                    const struct markov_validation *validation, bool few)
{
  enum markov_outcome worst = worst_of(validation, which);
  char text[256], answer[128];
  if (worst == MARKOV_DIFFERS)
    snprintf(answer, sizeof answer, "no");
  else if (few || worst == MARKOV_UNSEEN)
    snprintf(answer, sizeof answer, "unknown, too few records to say");
  else if (worst == MARKOV_UNTESTED)
    snprintf(answer, sizeof answer, "unknown, too little data to test");
  else
    snprintf(answer, sizeof answer, "yes%s; differences from %.2g on would have shown",
             worst == MARKOV_DIFFERS_LITTLE ? ", with small errors" : "", could_be_unseen(validation, which));
  snprintf(text, sizeof text, "Use the model for %s: %s.", use, answer);
  print_sentence(print, key, text);
}

static void put_memory(struct print *print, const struct markov_validation *validation)
{
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
  print_sentence(print, "memory", text);
}

static void put_phases(struct print *print, const struct markov_validation *validation)
{
  const struct markov_changes *changes = &validation->changes;
  char text[256];
  if (validation->tests[MARKOV_PHASES].outcome == MARKOV_DIFFERS) {
    snprintf(text, sizeof text,
             "The run changes about record %llu of %llu, and has %u phases: see heddle phases, and model each apart.",
             (unsigned long long)changes->first.record + 1, (unsigned long long)validation->run->records,
             changes->count + 1);
    print_sentence(print, "phases", text);
  }
}

static void put_tail(struct print *print, const struct markov_validation *validation)
{
  if (validation->tests[MARKOV_TAILS].outcome == MARKOV_DIFFERS)
    print_sentence(print, "tails",
                   "Some durations have a heavy tail: their longest visits decide their mean, which a longer run would "
                   "change.");
}

/* About the comparison itself. */
static void put_limits(struct print *print, const struct markov_validation *validation)
{
  char text[256];
  if (validation->same_run)
    print_sentence(print, "same_run",
                   "The model was made from this run, so their agreement proves nothing. Only the tests of the run "
                   "alone count: memory, durations, tails, phases. Validate with another run.");
  if (validation->unknown > 0) {
    snprintf(text, sizeof text, "%.1f %% of the run's time is in states that the model lacks.",
             100 * validation->unknown);
    print_sentence(print, "unknown", text);
  }
  if (validation->new_transitions > 0) {
    snprintf(text, sizeof text, "%llu of the run's transitions have probability 0 in the model.",
             (unsigned long long)validation->new_transitions);
    print_sentence(print, "new_transitions", text);
  }
  if (validation->shortened)
    print_sentence(print, "shortened",
                   "The simulated pairs were shorter than the runs; their differences were scaled with the square "
                   "roots of the lengths, which is valid if the runs have many short cycles.");
}

void validate_show_verdict(struct print *print, const struct markov_model *model,
                           const struct markov_validation *validation)
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
  bool few = too_few(model, validation);
  for (size_t i = 0; i < COUNT_OF(uses); i++)
    put_use(print, uses[i].key, uses[i].use, uses[i].questions, validation, few);
  if (few) {
    char text[128];
    snprintf(text, sizeof text,
             "Too few records: with fewer than %d in the model or the run, tests cannot find differences.",
             LEAST_RECORDS);
    print_sentence(print, "too_few", text);
  }
  put_memory(print, validation);
  put_phases(print, validation);
  put_tail(print, validation);
  print_sentence(print, "not_tested",
                 "Not tested: memory beyond six states, and whether the run depends on anything that its states do "
                 "not show.");
  put_limits(print, validation);
}
