/* The analysis: both passes, and whole ticks that add up. */
#include "analyzer/analyses/account/account.h"
#include "analyzer/analyses/account/estimates.h"
#include "analyzer/analyses/account/sweep.h"
#include "analyzer/trace/states/state.h"

#include <stdlib.h>

static int compare_causes(const void *of_a, const void *of_b)
{
  const struct account_cause *a = of_a, *b = of_b;
  if (a->ticks != b->ticks)
    return a->ticks < b->ticks ? 1 : -1;
  if (a->kind != b->kind)
    return a->kind < b->kind ? -1 : 1;
  if (a->place != b->place)
    return a->place < b->place ? -1 : 1;
  return (a->note > b->note) - (a->note < b->note);
}

/* The thread that most of each cause is blamed on. */
static void name_threads(const struct causes *causes, uint32_t *threads)
{
  uint64_t *most = calloc(causes->list.count + 1, sizeof *most);
  for (size_t i = 0; most && i < causes->blamed.room; i++) {
    const struct hash_entry *entry = &causes->blamed.entries[i];
    uint64_t cause = entry->key >> 32;
    uint32_t location = (uint32_t)entry->key;
    if (!entry->used || entry->value < most[cause] || (entry->value == most[cause] && location > threads[cause]))
      continue;
    most[cause] = entry->value;
    threads[cause] = location;
  }
  free(most);
}

struct most_code {
  uint64_t ticks, here;       /* the function's, and its context's */
  uint32_t function, context; /* TRACE_NONE: none */
};

/* The code of each cause: the function with the most ticks, and its context with the most. False: no memory. */
static bool find_code(const struct running_code *code, const struct causes *causes, struct most_code *most)
{
  struct hash functions = {0}; /* cause << 32 | function -> ticks */
  bool good = true;
  for (size_t i = 0; i < causes->ran.room && good; i++) {
    const struct hash_entry *entry = &causes->ran.entries[i];
    uint64_t cause = entry->key >> 32;
    uint32_t function = entry->used ? code_function(code, (uint32_t)entry->key) : TRACE_NONE;
    const uint64_t *known = hash_find(&functions, cause << 32 | function);
    uint64_t ticks = (known ? *known : 0) + entry->value;
    if (function == TRACE_NONE)
      continue;
    good = hash_put(&functions, cause << 32 | function, ticks);
    if (ticks > most[cause].ticks || (ticks == most[cause].ticks && function < most[cause].function)) {
      most[cause].ticks = ticks;
      most[cause].function = function;
    }
  }
  for (size_t i = 0; i < causes->ran.room; i++) {
    const struct hash_entry *entry = &causes->ran.entries[i];
    struct most_code *of = &most[entry->key >> 32];
    uint32_t context = (uint32_t)entry->key;
    if (!entry->used || code_function(code, context) != of->function || of->function == TRACE_NONE ||
        entry->value < of->here || (entry->value == of->here && context > of->context))
      continue;
    of->here = entry->value;
    of->context = context;
  }
  hash_free(&functions);
  return good;
}

static bool name_code(struct account *account, const struct causes *causes, const uint32_t *numbers)
{
  struct most_code *most = malloc((causes->list.count + 1) * sizeof *most);
  for (size_t i = 0; most && i < causes->list.count; i++)
    most[i] = (struct most_code){.function = TRACE_NONE, .context = TRACE_NONE};
  bool good = most && find_code(account->code, causes, most);
  for (size_t i = 0; good && i < account->cause_count; i++) {
    struct account_cause *cause = &account->causes[i];
    struct code_place place;
    uint32_t context = most[numbers[i]].context;
    if (context == TRACE_NONE || !code_place(account->code, context, &place))
      continue;
    cause->function = place.function;
    cause->file = place.file;
    cause->line = place.line;
    cause->library = place.library;
    cause->atomic = place.atomic;
  }
  free(most);
  return good;
}

/* A lock on its way, or with an unknown holder, has the name of the lock that is waited for at this place. */
static void share_locks(struct account *account)
{
  struct hash named = {0}; /* place -> cause */
  for (size_t i = 0; i < account->cause_count; i++)
    if (account->causes[i].kind == ACCOUNT_SYNCHRONIZATION && account->causes[i].lock != 0 &&
        !hash_put(&named, account->causes[i].place, i))
      break; /* a name less */
  for (size_t i = 0; i < account->cause_count; i++) {
    struct account_cause *cause = &account->causes[i];
    const uint64_t *at =
        cause->kind == ACCOUNT_SYNCHRONIZATION && cause->lock == 0 ? hash_find(&named, cause->place) : NULL;
    if (!at)
      continue;
    cause->lock = account->causes[*at].lock;
    cause->lock_class = account->causes[*at].lock_class;
  }
  hash_free(&named);
}

/* Whole ticks that add up: the largest fractions are rounded up, and the largest cause has what is left. */
static bool round_causes(struct causes *causes, struct account *account, struct error *error)
{
  unsigned __int128 whole = (unsigned __int128)account->processors * account->duration, sum = 0;
  uint32_t *threads = malloc((causes->list.count + 1) * sizeof *threads);
  account->causes = calloc(causes->list.count + 1, sizeof *account->causes);
  if (!threads || !account->causes) {
    free(threads);
    return error_set(error, "out of memory");
  }
  for (size_t i = 0; i < causes->list.count; i++)
    threads[i] = TRACE_NONE;
  name_threads(causes, threads);
  for (size_t i = 0; i < causes->list.count; i++) {
    const struct cause *cause = &causes->list.items[i];
    uint64_t ticks = (uint64_t)((cause->ticks + ((fine_ticks)1 << (FINE_SHIFT - 1))) >> FINE_SHIFT);
    bool of_lock = cause->kind != ACCOUNT_BLOCKED || cause->of_lock >= ticks / 4; /* else it is beside the point */
    sum += ticks;
    if (ticks > 0)
      account->causes[account->cause_count++] = (struct account_cause){.kind = cause->kind,
                                                                       .note = cause->note,
                                                                       .place = cause->place,
                                                                       .thread = threads[i],
                                                                       .lock = of_lock ? cause->lock : 0,
                                                                       .lock_class = of_lock ? cause->lock_class : NULL,
                                                                       .ticks = ticks};
    if (ticks > 0)
      threads[account->cause_count - 1] = (uint32_t)i; /* the thread before it is written already */
  }
  bool named = !account->code || causes->ran.count == 0 || name_code(account, causes, threads);
  free(threads);
  if (!named)
    return error_set(error, "out of memory");
  if (account->cause_count > 0)
    qsort(account->causes, account->cause_count, sizeof *account->causes, compare_causes);
  __int128 left = (__int128)whole - (__int128)sum;
  __int128 most = (__int128)(whole >> 20) + (__int128)causes->list.count + 1;
  if (account->cause_count == 0 ? left != 0 : left > most || -left > most)
    return error_set(error, "the account does not add up (%.6f %% are left): this is a defect of heddle",
                     account_percent(account, 1) * (double)left);
  if (account->cause_count > 0)
    account->causes[0].ticks = (uint64_t)((__int128)account->causes[0].ticks + left);
  for (size_t i = 0; i < account->cause_count; i++)
    account->ticks[account->causes[i].kind] += account->causes[i].ticks;
  share_locks(account);
  return true;
}

/* The state of both passes. The first one is shared with other analyses. */
struct accounting {
  struct activity_pass pass; /* the context of its lanes */
  struct pool *pool;
  struct releases releases;
  struct release_finder *finder;
  struct kept_steps *steps; /* for the second pass */
};

/* The sink of the first pass. */
static bool take_first(void *of, uint32_t location, const struct account_step *step)
{
  struct accounting *accounting = of;
  kept_steps_put(accounting->steps, location, step);
  return release_finder_take(accounting->finder, location, step);
}

static bool account_begin(void *state, const struct analysis_input *input)
{
  struct accounting *accounting = state;
  accounting->pool = input->pool;
  accounting->finder = release_finder_create(&accounting->releases, input->trace);
  accounting->steps = kept_steps_create(input->trace);
  accounting->releases.code = running_code_open(input->trace);
  accounting->pass = (struct activity_pass){.trace = input->trace,
                                            .meanings = accounting->releases.meanings,
                                            .code = accounting->releases.code,
                                            .sink = take_first,
                                            .context = accounting};
  return accounting->finder && accounting->steps;
}

/* What there was: how long, and how many processors. */
static bool measure(const struct releases *releases, struct account *account)
{
  const struct trace_restriction *part = &releases->trace->restriction;
  uint64_t from = part->timed && part->from > releases->begin ? part->from : releases->begin;
  uint64_t to = part->timed && part->to < releases->end ? part->to : releases->end;
  uint32_t used = releases->most > releases->largest_team ? releases->most : releases->largest_team;
  bool one_thread = (releases->largest_team == 1 || releases->takers > 0) && releases->most <= 1;
  account->usable = releases->processors;
  account->stuck = releases->stuck;
  account->stuck_at = releases->stuck_at;
  account->most = releases->most;
  account->processors =
      releases->processors && (one_thread || used > releases->processors) ? releases->processors : used;
  account->selected = selected_count(releases->trace) > 0;
  account->begin = from;
  account->duration = account->span = releases->begin < releases->end && to > from ? to - from : 0;
  return one_thread;
}

static bool account_end(void *state, void *result, struct error *error)
{
  struct accounting *accounting = state;
  struct account *account = result;
  const struct trace *trace = accounting->releases.trace;
  struct causes causes = {0};
  struct grain grain = {0};
  account->switches = states_know_processors(trace);
  if (!release_finder_finish(accounting->finder, error))
    return false;
  bool one_thread = measure(&accounting->releases, account);
  if (account->duration == 0)
    return true;
  account->code = accounting->releases.code; /* kept for its names */
  bool good = grain_init(&grain, trace) && sweep_book(&accounting->releases, accounting->steps, account->processors,
                                                      one_thread, accounting->pool, &causes, &grain, error);
  if (account->selected)
    account->processors = selected_count(trace);
  account->duration -= causes.paused;
  if (good && account->duration > 0) {
    estimates_apply(&grain, trace, &causes);
    grain_apply(&grain, trace, &causes, account);
    bool by_team = accounting->releases.largest_team > account->processors; /* its members wait for the slowest one */
    account->crowded = account->most > account->processors && (by_team || 2 * causes.crowded >= causes.lacked);
    good = round_causes(&causes, account, error);
    account->within = grain.within;
    grain.within = NULL;
  }
  grain_free(&grain);
  causes_free(&causes);
  accounting->releases.code = NULL;
  return good;
}

static void account_explain(const void *state, struct error *error)
{
  const struct accounting *accounting = state;
  if (accounting->finder)
    release_finder_explain(accounting->finder, error);
}

static void account_drop(void *state)
{
  struct accounting *accounting = state;
  release_finder_free(accounting->finder);
  releases_free(&accounting->releases);
  kept_steps_free(accounting->steps);
}

static void account_free(void *result)
{
  struct account *account = result;
  free(account->causes);
  running_code_close(account->code);
  free(account->within);
  *account = (struct account){0};
}

const struct analysis account_analysis = {.name = "account",
                                          .state_size = sizeof(struct accounting),
                                          .result_size = sizeof(struct account),
                                          .begin = account_begin,
                                          .adapt = activity_subscribe,
                                          .end = account_end,
                                          .explain = account_explain,
                                          .drop = account_drop,
                                          .free = account_free};
