#include "analyzer/analyses/account/account.h"

#include "base/hash.h"

#include <stdio.h>

static const char *const kind_names[ACCOUNT_KINDS] = {
    "work",    "imbalance",  "serial", "grain",   "tasks",   "synchronization", "processors", "blocked",
    "threads", "collection", "memory", "forever", "runtime", "measurement",     "outside",    "unknown",
};

const char *account_kind_name(enum account_kind kind)
{
  return kind < ACCOUNT_KINDS ? kind_names[kind] : "nothing";
}

const char *account_whose(const struct account *account, char text[ACCOUNT_WHOSE_SIZE])
{
  snprintf(text, ACCOUNT_WHOSE_SIZE, account->selected ? "%u selected thread%s" : "%u processor%s", account->processors,
           account->processors == 1 ? "" : "s");
  return text;
}

double account_percent(const struct account *account, unsigned __int128 ticks)
{
  double whole = (double)account->processors * (double)account->duration;
  return whole > 0 ? 100 * (double)ticks / whole : 0;
}

unsigned __int128 account_can_win(const struct account *account, enum account_kind kind)
{
  unsigned __int128 ticks = account->ticks[kind];
  for (size_t i = 0; i < account->cause_count; i++)
    if (account->causes[i].kind == kind && account->causes[i].note == NOTE_JVM)
      ticks -= account->causes[i].ticks;
  return ticks;
}

enum account_kind account_first_but(const struct account *account, enum account_kind without)
{
  enum account_kind first = ACCOUNT_KINDS;
  double threshold = account->threshold > 0 ? account->threshold : ACCOUNT_THRESHOLD;
  if (account->duration > 0 && account->stuck != TRACE_NONE)
    return ACCOUNT_FOREVER;
  if (without < ACCOUNT_KINDS)
    threshold *= 1 - account_percent(account, account->ticks[without]) / 100;
  for (unsigned i = 0; i < ACCOUNT_KINDS; i++) {
    bool can_be = i != without && i != ACCOUNT_WORK && i != ACCOUNT_MEASUREMENT && i != ACCOUNT_UNKNOWN &&
                  i != ACCOUNT_OUTSIDE && i != ACCOUNT_THREADS &&
                  account_percent(account, account_can_win(account, (enum account_kind)i)) >= threshold;
    if (can_be &&
        (first == ACCOUNT_KINDS || account_can_win(account, (enum account_kind)i) > account_can_win(account, first)))
      first = (enum account_kind)i;
  }
  if (first == ACCOUNT_KINDS && account_percent(account, account->ticks[ACCOUNT_THREADS]) >= threshold)
    first = ACCOUNT_THREADS;
  return first;
}

enum account_kind account_first(const struct account *account)
{
  return account_first_but(account, ACCOUNT_KINDS);
}

const struct account_cause *account_largest_cause(const struct account *account, enum account_kind kind)
{
  const struct account_cause *most = NULL;
  struct hash places = {0}; /* place -> ticks, however they came about */
  uint64_t most_ticks = 0;
  for (size_t i = 0; i < account->cause_count; i++) {
    const struct account_cause *cause = &account->causes[i];
    if (cause->kind != kind || cause->note == NOTE_JVM)
      continue;
    const uint64_t *known = hash_find(&places, cause->place);
    uint64_t ticks = (known ? *known : 0) + cause->ticks;
    if (!hash_put(&places, cause->place, ticks))
      break; /* the largest so far */
    if (ticks > most_ticks) {
      most = known ? most : cause;
      most_ticks = ticks;
    }
  }
  /* The first cause at this place is the largest one there. */
  for (size_t i = 0; most && i < account->cause_count; i++) {
    const uint64_t *ticks = hash_find(&places, account->causes[i].place);
    if (account->causes[i].kind == kind && account->causes[i].note != NOTE_JVM && ticks && *ticks == most_ticks) {
      most = &account->causes[i];
      break;
    }
  }
  hash_free(&places);
  return most;
}

const struct account_cause *account_first_cause(const struct account *account)
{
  return account_largest_cause(account, account_first(account));
}
