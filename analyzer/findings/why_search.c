#include "analyzer/findings/why_search.h"

#include "base/count_of.h"

bool why_search(const struct trace *trace, struct pool *pool, double threshold, struct facts *facts, struct why *why,
                struct error *error)
{
  *facts = (struct facts){.trace = trace};
  *why = (struct why){.threshold = threshold};
  struct why_taker *taker = why_begin(trace, pool, error);
  if (!taker)
    return false;
  const struct subscriber *also[] = {why_subscriber(taker)};
  struct facts_options asked = {.also = also, .also_count = COUNT_OF(also)};
  if (!facts_find(trace, pool, &asked, facts, error)) {
    why_drop(taker);
    return false;
  }
  struct findings_of of = facts_for_findings(facts);
  return why_end(taker, &of, &facts->findings, threshold, why) || error_set(error, "out of memory");
}
