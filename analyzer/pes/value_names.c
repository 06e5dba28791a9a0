#include "analyzer/pes/value_names.h"

#include "analyzer/states/states.h"
#include "common/archive_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* docs/heddle-pes.1.md explains them: keep both the same. */
static const char codes[STATES] = {
    [STATE_IDLE] = 'I',
    [STATE_RUN] = 'R',
    [STATE_OVERHEAD] = 'O',
    [STATE_SYNCH_IMPLICIT_BARRIER] = 'B',
    [STATE_SYNCH_BARRIER] = 'E',
    [STATE_SYNCH_MUTEX] = 'M',
    [STATE_SYNCH_ORDERED] = 'D',
    [STATE_SYNCH_TASKWAIT] = 'W',
    [STATE_SYNCH_REDUCTION] = 'A',
    [STATE_TRACEFLUSH] = 'F',
    [STATE_UNMEASURED] = 'N',
    [STATE_INIT] = 'S',
    [STATE_BLOCKED_MUTEX] = 'L',
    [STATE_BLOCKED_CONDVAR] = 'C',
    [STATE_SPIN] = 'Y',
    [STATE_GC] = 'G',
    [STATE_READY] = 'Q',
    [STATE_OFF] = 'P',
};

static const char *construct_name(const struct trace *trace, uint64_t key)
{
  uint32_t construct = lane_key_construct(key);
  return construct < trace->region_count ? trace->regions[construct].name : "outside";
}

char *value_name(const struct trace *trace, enum pes_component_kind kind, uint64_t key)
{
  char *name = NULL;
  if (key < LANE_FIRST_VALUE)
    return strdup(key == LANE_UNDEF ? "Undef" : "Finis");
  if (kind == PES_OF_CONSTRUCT)
    return strdup(construct_name(trace, key));
  const char *state = state_name((enum state)lane_key_state(key));
  if (kind == PES_OF_STATE)
    return strdup(state);
  return asprintf(&name, "%s in %s", state, construct_name(trace, key)) < 0 ? NULL : name;
}

char *value_code(const struct trace *trace, enum pes_component_kind kind, uint64_t key)
{
  char *code = NULL;
  if (key < LANE_FIRST_VALUE)
    return strdup(key == LANE_UNDEF ? "U" : "X");
  /* `!$omp for @lu.c:42` is for@lu.c:42: shorter, and without a space. */
  const char *construct = construct_name(trace, key);
  if (strncmp(construct, NAME_OMP, sizeof NAME_OMP - 1) == 0 && construct[sizeof NAME_OMP - 1] == ' ')
    construct += sizeof NAME_OMP;
  char letter = kind == PES_OF_CONSTRUCT ? '\0' : codes[lane_key_state(key)];
  if (kind == PES_OF_STATE)
    return asprintf(&code, "%c", letter) < 0 ? NULL : code;
  if ((letter ? asprintf(&code, "%c:%s", letter, construct) : asprintf(&code, "%s", construct)) < 0)
    return NULL;
  char *to = code;
  for (const char *from = code; *from; from++)
    if (*from != ' ')
      *to++ = *from == ',' ? ';' : *from; /* commas stand between codes */
  *to = '\0';
  return code;
}
