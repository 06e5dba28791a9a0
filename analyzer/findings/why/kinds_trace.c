/* The kinds of a trace's findings, and what the trace cannot tell. */
#include "analyzer/findings/why/tree.h"

#include <stdlib.h>

static const struct imbalance_construct *construct_of(const struct tree *tree, const struct finding *finding)
{
  const struct imbalance *imbalance = tree->of->imbalance;
  return finding->region < imbalance->count ? &imbalance->constructs[finding->region] : NULL;
}

/* Handing out small chunks, or making small tasks, is no fault of the runtime's. */
static enum why_kind kind_of_overhead(const struct tree *tree, const struct finding *finding)
{
  const struct imbalance_construct *construct = construct_of(tree, finding);
  if (!construct)
    return KIND_RUNTIME;
  enum imbalance_schedule schedule = imbalance_schedule(&tree->of->trace->regions[finding->region]);
  bool chunks = schedule == SCHEDULE_DYNAMIC || schedule == SCHEDULE_GUIDED;
  return chunks || construct->tasks > 0 ? KIND_GRAIN : KIND_RUNTIME;
}

static enum why_kind kind_of(const struct tree *tree, const struct finding *finding)
{
  const struct imbalance_construct *construct = construct_of(tree, finding);
  switch (finding->kind) {
  case FINDING_POOL_UNEVEN:
    return KIND_IMBALANCE;
  case FINDING_IMBALANCE:
    return finding->cause == CAUSE_SPEED ? KIND_MEMORY : KIND_IMBALANCE;
  case FINDING_SCHEDULE:
    return tree_has_small_chunks(tree, finding->region) ? KIND_GRAIN : KIND_IMBALANCE;
  case FINDING_OVERHEAD:
    return kind_of_overhead(tree, finding);
  case FINDING_SMALL_REGION:
  case FINDING_SMALL_TASKS:
    return KIND_GRAIN;
  case FINDING_FEW_TASKS:
    return KIND_TASKS;
  case FINDING_CHAIN: /* of tasks, or of iterations */
    return construct && construct->tasks > 0 ? KIND_TASKS : KIND_SYNCHRONIZATION;
  case FINDING_SLOWER:
    return KIND_IMBALANCE;
  case FINDING_SERIAL:
  case FINDING_ALONE:
    return KIND_SERIAL;
  case FINDING_PROCESSORS:
  case FINDING_READY:
  case FINDING_THROTTLED:
    return KIND_PROCESSORS;
  case FINDING_LATE:
    return KIND_RUNTIME;
  case FINDING_OFF:
  case FINDING_POOL_SMALL: /* what occupies its workers is blocked */
  case FINDING_SLEEP:
    return KIND_BLOCKED;
  case FINDING_COLLECTION:
    return KIND_COLLECTION;
  case FINDING_MEASUREMENT:
    return KIND_MEASUREMENT;
  case FINDING_DEADLOCK:
    return KIND_DEADLOCK;
  case FINDING_LOCK:
  case FINDING_WAITING:
  case FINDING_KINDS:
    break;
  }
  return KIND_SYNCHRONIZATION;
}

/* What the trace lacks for a test; NULL: nothing. */
static const char *lacks(const struct tree *tree, enum why_kind kind)
{
  const struct analysis_results *of = tree->of;
  if (kind == KIND_MEMORY && (!of->counters || counters_instructions(of->trace, of->counters) < 0))
    return "record with --counters instructions, if this machine counts them (heddle counters)";
  if ((kind == KIND_PROCESSORS || kind == KIND_BLOCKED) && !of->processors->known && !of->processors->read)
    return "the trace does not have when threads had a processor: record with heddle record";
  if (kind == KIND_MEASUREMENT && of->overhead->location == TRACE_NONE)
    return of->trace->restriction.timed ? "the cost of recording is known of the whole run only: omit --from and --to"
                                        : "the archive does not have the cost of recording";
  if (kind == KIND_SERIAL && of->trace->restriction.locations)
    return "threads are left out: omit --only-threads";
  return kind == KIND_DEADLOCK && !of->deadlocks ? "not looked for" : NULL;
}

bool kinds_of_trace(struct tree *tree)
{
  const struct findings *findings = tree->findings;
  enum why_kind *kinds = malloc((findings->all + 1) * sizeof *kinds);
  if (!kinds)
    return false;
  for (size_t i = 0; i < findings->all; i++)
    kinds[i] = kind_of(tree, &findings->list[i]);
  for (unsigned kind = 0; kind < KINDS; kind++)
    tree->lacks[kind] = lacks(tree, (enum why_kind)kind);
  tree->lacks[KIND_POSIX] = tree_lacks_posix(tree->trace);
  tree->recording = (double)tree->of->overhead->recording;
  tree->kinds = kinds;
  tree->refine = refine;
  bool good = kinds_add(tree);
  free(kinds);
  return good;
}
