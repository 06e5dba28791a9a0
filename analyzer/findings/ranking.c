#include "analyzer/findings/findings.h"

#include "analyzer/analyses/account/sentence.h"
#include "analyzer/findings/builder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *findings_not_measured(const struct trace *trace)
{
  if (trace_is_of_java(trace))
    return "Heddle does not record waits of native code, nor input and output of less than 10 us. They are OFF where "
           "the kernel's context switches are recorded, else RUN.";
  return trace_has_pthreads(trace)
             ? "Heddle does not record waits for MPI, and for input and output. They count as work."
             : "Heddle does not record waits for locks of pthreads, C++ and other libraries, for MPI, for input and "
               "output. They count as work.";
}

const char *finding_kind_name(enum finding_kind kind)
{
  switch (kind) { /* no default: the compiler names a kind without a name */
  case FINDING_IMBALANCE:
    return "imbalance";
  case FINDING_OVERHEAD:
    return "overhead";
  case FINDING_LATE:
    return "late";
  case FINDING_PROCESSORS:
    return "processors";
  case FINDING_SMALL_REGION:
    return "small region";
  case FINDING_SMALL_TASKS:
    return "small tasks";
  case FINDING_CHAIN:
    return "chain";
  case FINDING_FEW_TASKS:
    return "few tasks";
  case FINDING_WAITING:
    return "waiting";
  case FINDING_LOCK:
    return "lock";
  case FINDING_SERIAL:
    return "serial";
  case FINDING_SCHEDULE:
    return "schedule";
  case FINDING_MEASUREMENT:
    return "measurement";
  case FINDING_OFF:
    return "off the processor";
  case FINDING_READY:
    return "ready";
  case FINDING_DEADLOCK:
    return "deadlock";
  case FINDING_THROTTLED:
    return "throttled";
  case FINDING_COLLECTION:
    return "garbage collection";
  case FINDING_POOL_UNEVEN:
    return "pool imbalance";
  case FINDING_POOL_SMALL:
    return "small pool";
  case FINDING_SLOWER:
    return "slower thread";
  case FINDING_ALONE:
    return "alone";
  case FINDING_SLEEP:
    return "sleep";
  case FINDING_PLACE:
    return "place";
  case FINDING_KINDS:
    break;
  }
  return NULL;
}

/* From the first begin of a thread to the last end of one, times the measured part of their lives. */
static double run_of(const struct analysis_results *of)
{
  const struct imbalance *imbalance = of->imbalance;
  uint64_t first = UINT64_MAX, last = 0;
  states_sums_lived(of->sums, &first, &last);
  double run = last > first ? (double)(last - first) : 0;
  double lived = (double)imbalance->lifetimes + (double)imbalance->not_measured;
  return lived > 0 ? run * (double)imbalance->lifetimes / lived : run;
}

static int compare(const void *a, const void *b)
{
  const struct finding *left = a;
  const struct finding *right = b;
  if ((left->kind == FINDING_DEADLOCK) != (right->kind == FINDING_DEADLOCK))
    return left->kind == FINDING_DEADLOCK ? -1 : 1;
  if (left->is_first != right->is_first)
    return left->is_first ? -1 : 1;
  if (left->ticks != right->ticks)
    return left->ticks < right->ticks ? 1 : -1;
  if (left->kind != right->kind)
    return left->kind < right->kind ? -1 : 1;
  return (left->region > right->region) - (left->region < right->region);
}

/* The place that a text begins with. */
static int place_length(const char *text)
{
  const char *end = strstr(text, ": ");
  return end ? (int)(end - text) : (int)strlen(text);
}

/* What the constructs with teams say: nothing of them can be won. */
static const char *work_of_teams(const struct analysis_results *of)
{
  for (uint32_t i = 0; i < of->imbalance->count; i++)
    if (of->imbalance->constructs[i].calls > 0 && of->imbalance->constructs[i].threads > 1)
      return "the threads of all constructs work all the time";
  if (of->tasks->pool_count > 0)
    return "no pool is uneven or too small";
  return trace_is_of_java(of->trace) ? "the program has no parallel regions and no pools"
                                     : "no construct was executed by more than one thread";
}

/* The first sentence if no finding is large enough. NULL: out of memory. */
static char *nothing(const struct analysis_results *of, const struct findings *findings)
{
  char won[UNITS_SIZE], *text = NULL;
  int length;
  const char *run = of->imbalance->not_measured > 0 ? "the measured part of the run" : "the run";
  if (findings->count > 0)
    length = asprintf(&text, "Nothing stands out: the most that could be won is %s, %.2g %% of %s, at %.*s. %s",
                      units_duration((uint64_t)(findings->list[0].ticks + 0.5), of->trace->ticks_per_second, won),
                      findings->list[0].percent, run, place_length(findings->list[0].text), findings->list[0].text,
                      findings_not_measured(of->trace));
  else
    length =
        asprintf(&text, "Nothing stands out%s: %s%s. %s",
                 of->imbalance->not_measured > 0 ? " in the measured part of the run" : "", work_of_teams(of),
                 of->locks->wait == 0 ? ", and no thread waited for a lock" : "", findings_not_measured(of->trace));
  return length < 0 ? NULL : text;
}

const char *finding_place(const struct trace *trace, const struct finding *finding, int *length)
{
  const char *words = finding->account == ACCOUNT_COLLECTION ? "garbage collection"
                      : finding->account == ACCOUNT_THREADS  ? "the program"
                                                             : "code outside of constructs";
  if (finding->region != TRACE_NONE || finding->kind == FINDING_PLACE || !finding->text) {
    const char *place = finding->region != TRACE_NONE ? trace->regions[finding->region].name : words;
    *length = (int)strlen(place);
    return place;
  }
  *length = place_length(finding->text);
  return finding->text;
}

char *findings_look_first(const struct finding *finding)
{
  char *text = NULL;
  return asprintf(&text, "Look first at %s", finding->text) < 0 ? NULL : text;
}

/* Findings below FINDINGS_WORTH are not shown. */
static void drop_small(struct findings *findings)
{
  while (findings->count > 0 && findings->list[findings->count - 1].percent < FINDINGS_WORTH) {
    free(findings->list[--findings->count].text);
    findings->list[findings->count].text = NULL;
  }
}

const struct account *findings_account(const struct analysis_results *of)
{
  return of->account && of->account->duration > 0 ? of->account : NULL;
}

/* Which finding the first sentence is of, in place of the account's; NULL: none. The cost of recording lies inside of
 * work, and of the runtime's time at a lock, which the account does not part. */
static const struct finding *first_finding(const struct findings *findings, const struct account *account)
{
  const struct finding *most = findings->count > 0 ? &findings->list[0] : NULL;
  bool is_nothing = account_first(account) == ACCOUNT_KINDS;
  double runtime = account_percent(account, account->ticks[ACCOUNT_RUNTIME]);
  if (most && (most->kind == FINDING_DEADLOCK || (is_nothing && most->kind == FINDING_MEASUREMENT)))
    return most;
  for (size_t i = 0; account_first(account) == ACCOUNT_RUNTIME && i < findings->count; i++)
    if (findings->list[i].kind == FINDING_MEASUREMENT && 2 * findings->list[i].percent >= runtime)
      return &findings->list[i];
  return NULL;
}

/* False: out of memory. */
static bool say_first(const struct analysis_results *of, const struct account *account, struct findings *findings)
{
  const struct finding *first = account ? first_finding(findings, account) : NULL;
  bool worth = findings->count > 0 && findings->list[0].percent >= FINDINGS_WORTH;
  findings->first_kind = first ? first->account : account ? account_first(account) : ACCOUNT_KINDS;
  findings->first = first     ? findings_look_first(first)
                    : account ? account_sentence(of->trace, account)
                    : worth   ? findings_look_first(&findings->list[0])
                              : nothing(of, findings);
  return findings->first != NULL;
}

bool findings_rank(const struct analysis_results *of, struct findings *findings)
{
  struct builder builder = {.of = of, .run = run_of(of)};
  const struct account *account = findings_account(of);
  bool good = regions_add(&builder) && constructs_add(&builder) && lock_waits_add(&builder) && serial_add(&builder) &&
              measurement_add(&builder) && processors_add(&builder) && deadlocks_add(&builder) &&
              throttled_add(&builder) && collection_add(&builder) && pools_add(&builder) && awaited_add(&builder);
  good = good && (!account || shares_hand_out(&builder, account)) && builder_finish(&builder);
  *findings = (struct findings){
      .list = builder.list.items, .count = builder.list.count, .all = builder.list.count, .run = builder.run};
  if (!good)
    return false;
  if (findings->count > 0)
    qsort(findings->list, findings->count, sizeof *findings->list, compare);
  good = say_first(of, account, findings);
  drop_small(findings);
  return good;
}

void findings_free(struct findings *findings)
{
  for (size_t i = 0; i < findings->all; i++)
    free(findings->list[i].text);
  free(findings->list);
  free(findings->first);
  *findings = (struct findings){0};
}
