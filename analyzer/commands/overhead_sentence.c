#include "analyzer/commands/overhead_sentence.h"

#include "analyzer/print/units.h"

#include <stdio.h>
#include <stdlib.h>

static const char *advice(enum rule rule)
{
  switch (rule) {
  case RULE_LOOP:
    return "record with --max-rate 1k, or give it a larger chunk size";
  case RULE_PARALLEL:
  case RULE_SECTIONS:
  case RULE_SINGLE:
  case RULE_WORKSHARE:
    return "record with --max-rate 1k, or merge its instances into fewer that last longer";
  case RULE_USER:
    return "enter it less often";
  default:
    return "do more in each of them; --max-rate bounds them only inside of regions and loops that are left out";
  }
}

char *overhead_sentence(const struct trace *trace, const struct overhead *overhead)
{
  char recording[UNITS_SIZE], lifetime[UNITS_SIZE];
  char *text = NULL, *whose = NULL;
  units_duration(overhead->recording, trace->ticks_per_second, recording);
  units_duration(overhead->lifetime, trace->ticks_per_second, lifetime);
  if (overhead->construct != TRACE_NONE &&
      asprintf(&whose, "; %.0f %% of that is %s: %s", 100 * overhead->share, trace->regions[overhead->construct].name,
               advice(overhead->rule)) < 0)
    return NULL;
  if (asprintf(&text, "Recording has likely slowed %s down by %.0f %% or more (%s of its %s)%s.",
               trace->locations[overhead->location].name, overhead_percent(overhead), recording, lifetime,
               whose ? whose : "") < 0)
    text = NULL;
  free(whose);
  return text;
}
