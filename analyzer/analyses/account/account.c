#include "analyzer/analyses/account/account.h"

static const char *const kind_names[ACCOUNT_KINDS] = {
    "work",    "imbalance",  "serial", "grain",   "tasks",   "synchronization", "processors", "blocked",
    "threads", "collection", "memory", "forever", "runtime", "measurement",     "outside",    "unknown",
};

const char *account_kind_name(enum account_kind kind)
{
  return kind < ACCOUNT_KINDS ? kind_names[kind] : "nothing";
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

enum account_kind account_first(const struct account *account)
{
  enum account_kind first = ACCOUNT_KINDS;
  if (account->duration > 0 && account->stuck != TRACE_NONE)
    return ACCOUNT_FOREVER;
  for (unsigned i = 0; i < ACCOUNT_KINDS; i++) {
    bool can_be = i != ACCOUNT_WORK && i != ACCOUNT_MEASUREMENT && i != ACCOUNT_UNKNOWN && i != ACCOUNT_OUTSIDE &&
                  i != ACCOUNT_THREADS &&
                  account_percent(account, account_can_win(account, (enum account_kind)i)) >= ACCOUNT_THRESHOLD;
    if (can_be &&
        (first == ACCOUNT_KINDS || account_can_win(account, (enum account_kind)i) > account_can_win(account, first)))
      first = (enum account_kind)i;
  }
  if (first == ACCOUNT_KINDS && account_percent(account, account->ticks[ACCOUNT_THREADS]) >= ACCOUNT_THRESHOLD)
    first = ACCOUNT_THREADS;
  return first;
}

/* Ticks of a kind at the place of a cause, however they came about. */
static uint64_t ticks_at_place(const struct account *account, const struct account_cause *cause)
{
  uint64_t ticks = 0;
  for (size_t i = 0; i < account->cause_count; i++)
    if (account->causes[i].kind == cause->kind && account->causes[i].place == cause->place)
      ticks += account->causes[i].ticks;
  return ticks;
}

const struct account_cause *account_first_cause(const struct account *account)
{
  enum account_kind first = account_first(account);
  const struct account_cause *most = NULL;
  uint64_t most_ticks = 0, left = first < ACCOUNT_KINDS ? (uint64_t)account->ticks[first] : 0;
  for (size_t i = 0; i < account->cause_count && left > most_ticks; i++) {
    const struct account_cause *cause = &account->causes[i];
    uint64_t ticks = cause->kind == first && cause->note != NOTE_JVM ? ticks_at_place(account, cause) : 0;
    if (ticks > most_ticks) {
      most = cause;
      most_ticks = ticks;
    }
    left -= cause->kind == first ? cause->ticks : 0; /* other places have no more */
  }
  return most;
}
