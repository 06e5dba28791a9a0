#include "analyzer/analyses/imbalance/region_interest.h"

#include "analyzer/trace/definitions.h"
#include "analyzer/trace/states/machine.h"
#include "common/raw/archive_names.h"

#include <stdlib.h>

static enum region_interest interest_of(const struct trace_region *region)
{
  switch (state_rule_of(region)) {
  case RULE_TRACEFLUSH:
  case RULE_BUFFER_FLUSH:
  case RULE_REDUCTION:
    return INTEREST_PASSING;
  case RULE_MEASUREMENT_OFF:
    return INTEREST_MEASUREMENT_OFF;
  case RULE_SKIPPED:
    return INTEREST_SKIPPED;
  case RULE_IMPLICIT_BARRIER:
    return INTEREST_BARRIER;
  case RULE_PARALLEL:
    return INTEREST_PARALLEL;
  case RULE_LOOP: /* a taskloop is executed by one thread; its tasks are everybody's */
    return trace_region_begins(region, REGION_TASKLOOP) ? INTEREST_NONE : INTEREST_CONSTRUCT;
  case RULE_SECTIONS:
  case RULE_SINGLE:
  case RULE_WORKSHARE:
    return INTEREST_CONSTRUCT;
  case RULE_CHUNK:
  case RULE_SECTION:
    return INTEREST_CHUNK;
  default:
    return INTEREST_NONE;
  }
}

uint8_t *region_interests_make(const struct trace *trace)
{
  uint8_t *interests = malloc(trace->region_count + 1);
  for (uint32_t i = 0; interests && i < trace->region_count; i++)
    interests[i] = (uint8_t)interest_of(&trace->regions[i]);
  return interests;
}
