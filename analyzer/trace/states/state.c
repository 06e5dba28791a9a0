#include "analyzer/trace/states/state.h"

#include "analyzer/trace/definitions.h"
#include "common/raw/archive_names.h"

#include <string.h>

#define OPENMP(role) OTF2_PARADIGM_OPENMP, OTF2_REGION_ROLE_##role
#define TOOL(role)   OTF2_PARADIGM_MEASUREMENT_SYSTEM, OTF2_REGION_ROLE_##role
#define ANY_ROLE     OTF2_REGION_ROLE_UNKNOWN
/* Any paradigm and role: the description names the state. */
#define BY_DESCRIPTION(state) OTF2_PARADIGM_UNKNOWN, OTF2_REGION_ROLE_UNKNOWN, state
/* A construct without parts, always of one state. */
#define ALWAYS(state) STATE_##state, RULE_INHERIT, STATE_##state, STATE_##state, STATE_##state
/* A construct without parts that changes its state when it acquires its lock. */
#define UNTIL_ACQUIRED(state, then) STATE_##state, RULE_INHERIT, STATE_##state, STATE_##state, STATE_##then
/* A construct with parts. */
#define PARTED(alone, part, before, after) STATE_##alone, RULE_##part, STATE_##before, STATE_##after, STATE_##alone

/*
 * The first row that matches a region counts, so rows with a name come before the row of their role without one. A
 * state in the description comes before all rows. RULE_INHERIT and RULE_BASE match no region; RULE_INHERIT's states are
 * unused.
 */
const struct state_rule state_rules[RULES] = {
    [RULE_INHERIT] = {OTF2_PARADIGM_UNKNOWN, OTF2_REGION_ROLE_UNKNOWN, NULL, ALWAYS(RUN)},
    /* A worker's first event is the begin of a team: the only "part" of the base, see machine.c. */
    [RULE_BASE] = {OTF2_PARADIGM_UNKNOWN, OTF2_REGION_ROLE_UNKNOWN, NULL, PARTED(RUN, INHERIT, IDLE, IDLE)},
    [RULE_PARALLEL] = {OPENMP(PARALLEL), NULL, ALWAYS(RUN)},
    [RULE_CHUNK] = {OPENMP(LOOP), REGION_CHUNK, ALWAYS(RUN)},
    [RULE_LOOP] = {OPENMP(LOOP), NULL, PARTED(RUN, CHUNK, OVERHEAD, OVERHEAD)},
    [RULE_SECTION] = {OPENMP(SECTION), NULL, ALWAYS(RUN)},
    [RULE_SECTIONS] = {OPENMP(SECTIONS), NULL, PARTED(RUN, SECTION, OVERHEAD, OVERHEAD)},
    [RULE_SINGLE_SBLOCK] = {OPENMP(SINGLE_SBLOCK), NULL, ALWAYS(RUN)},
    [RULE_SINGLE] = {OPENMP(SINGLE), NULL, PARTED(OVERHEAD, SINGLE_SBLOCK, OVERHEAD, OVERHEAD)},
    [RULE_MASTER] = {OPENMP(MASTER), NULL, ALWAYS(RUN)},
    [RULE_WORKSHARE] = {OPENMP(WORKSHARE), NULL, ALWAYS(RUN)},
    [RULE_BARRIER] = {OPENMP(BARRIER), NULL, PARTED(SYNCH_BARRIER, BARRIER, OVERHEAD, OVERHEAD)},
    [RULE_IMPLICIT_BARRIER] = {OPENMP(IMPLICIT_BARRIER), NULL,
                               PARTED(SYNCH_IMPLICIT_BARRIER, IMPLICIT_BARRIER, OVERHEAD, OVERHEAD)},
    [RULE_TASK_WAIT] = {OPENMP(TASK_WAIT), NULL, PARTED(SYNCH_TASKWAIT, TASK_WAIT, OVERHEAD, OVERHEAD)},
    [RULE_CRITICAL_SBLOCK] = {OPENMP(CRITICAL_SBLOCK), NULL, ALWAYS(RUN)},
    [RULE_CRITICAL] = {OPENMP(CRITICAL), NULL, PARTED(SYNCH_MUTEX, CRITICAL_SBLOCK, SYNCH_MUTEX, OVERHEAD)},
    [RULE_ORDERED_SBLOCK] = {OPENMP(ORDERED_SBLOCK), NULL, ALWAYS(RUN)},
    [RULE_ORDERED] = {OPENMP(ORDERED), NULL, PARTED(SYNCH_ORDERED, ORDERED_SBLOCK, SYNCH_ORDERED, OVERHEAD)},
    [RULE_ATOMIC] = {OPENMP(ATOMIC), NULL, UNTIL_ACQUIRED(SYNCH_MUTEX, RUN)},
    [RULE_SET_LOCK] = {OPENMP(WRAPPER), REGION_SET_LOCK, UNTIL_ACQUIRED(SYNCH_MUTEX, SYNCH_MUTEX)},
    [RULE_SET_NEST_LOCK] = {OPENMP(WRAPPER), REGION_SET_NEST_LOCK, UNTIL_ACQUIRED(SYNCH_MUTEX, SYNCH_MUTEX)},
    [RULE_TEST_LOCK] = {OPENMP(WRAPPER), NAME_TEST_LOCK, UNTIL_ACQUIRED(SYNCH_MUTEX, SYNCH_MUTEX)},
    [RULE_WRAPPER] = {OPENMP(WRAPPER), NULL, ALWAYS(OVERHEAD)},
    [RULE_JAVA_REDUCTION] = {OPENMP(FUNCTION), NAME_REDUCTION_JAVA, ALWAYS(SYNCH_REDUCTION)},
    [RULE_REDUCTION] = {OPENMP(FUNCTION), REGION_REDUCTION, ALWAYS(SYNCH_REDUCTION)},
    [RULE_TASK] = {OPENMP(TASK), NULL, ALWAYS(RUN)},
    [RULE_TASK_UNTIED] = {OPENMP(TASK_UNTIED), NULL, ALWAYS(RUN)},
    [RULE_TASK_CREATE] = {OPENMP(TASK_CREATE), NULL, ALWAYS(OVERHEAD)},
    [RULE_FLUSH] = {OPENMP(FLUSH), NULL, ALWAYS(OVERHEAD)},
    /* The program's own regions, of any role: the program runs. Regions inside have states of their own. */
    [RULE_USER] = {OTF2_PARADIGM_USER, ANY_ROLE, NULL, ALWAYS(RUN)},
    [RULE_TRACEFLUSH] = {TOOL(FUNCTION), REGION_TRACEFLUSH, ALWAYS(TRACEFLUSH)},
    [RULE_BUFFER_FLUSH] = {TOOL(ARTIFICIAL), "TRACE BUFFER FLUSH", ALWAYS(TRACEFLUSH)},
    [RULE_MEASUREMENT_OFF] = {TOOL(ARTIFICIAL), "MEASUREMENT OFF", ALWAYS(UNMEASURED)},
    /* The time of the instances; the rest of the stretch has the state around it, see machine.c. */
    [RULE_OMITTED] = {OTF2_PARADIGM_MEASUREMENT_SYSTEM, ANY_ROLE, REGION_SKIPPED, ALWAYS(UNMEASURED)},
    /* They have no length. */
    [RULE_PROFILE_ROW] = {TOOL(FUNCTION), REGION_PROFILE_ROW, ALWAYS(UNMEASURED)},
    [RULE_STATE_INIT] = {BY_DESCRIPTION(VALUE_STATE_INIT), ALWAYS(INIT)},
    [RULE_STATE_BLOCKED_MUTEX] = {BY_DESCRIPTION(VALUE_STATE_BLOCKED_MUTEX), ALWAYS(BLOCKED_MUTEX)},
    [RULE_STATE_BLOCKED_CONDVAR] = {BY_DESCRIPTION(VALUE_STATE_BLOCKED_CONDVAR), ALWAYS(BLOCKED_CONDVAR)},
    [RULE_STATE_IDLE] = {BY_DESCRIPTION(VALUE_STATE_IDLE), ALWAYS(IDLE)},
    [RULE_STATE_IO] = {BY_DESCRIPTION(VALUE_STATE_IO), ALWAYS(OFF)},
    [RULE_STATE_SPIN] = {BY_DESCRIPTION(VALUE_STATE_SPIN), ALWAYS(SPIN)},
    [RULE_STATE_READY] = {BY_DESCRIPTION(VALUE_STATE_READY), ALWAYS(READY)},
    [RULE_STATE_OFF] = {BY_DESCRIPTION(VALUE_STATE_OFF), ALWAYS(OFF)},
    [RULE_STATE_GC] = {BY_DESCRIPTION(VALUE_STATE_GC), ALWAYS(GC)},
    [RULE_STATE_SAFEPOINT] = {BY_DESCRIPTION(VALUE_STATE_SAFEPOINT), ALWAYS(OFF)},
    [RULE_PTHREAD_MUTEX] = {BY_DESCRIPTION(VALUE_STATE_PTHREAD_MUTEX), ALWAYS(SYNCH_PTHREAD_MUTEX)},
    [RULE_PTHREAD_RWLOCK] = {BY_DESCRIPTION(VALUE_STATE_PTHREAD_RWLOCK), ALWAYS(SYNCH_PTHREAD_RWLOCK)},
    [RULE_PTHREAD_CONDITION] = {BY_DESCRIPTION(VALUE_STATE_PTHREAD_CONDITION), ALWAYS(SYNCH_PTHREAD_CONDITION)},
    [RULE_SEMAPHORE] = {BY_DESCRIPTION(VALUE_STATE_SEMAPHORE), ALWAYS(SYNCH_SEMAPHORE)},
    [RULE_PTHREAD_BARRIER] = {BY_DESCRIPTION(VALUE_STATE_PTHREAD_BARRIER), ALWAYS(SYNCH_PTHREAD_BARRIER)},
    [RULE_ATOMIC_WAIT] = {BY_DESCRIPTION(VALUE_STATE_ATOMIC), ALWAYS(SYNCH_ATOMIC)},
    [RULE_JOIN] = {BY_DESCRIPTION(VALUE_STATE_JOIN), ALWAYS(SYNCH_JOIN)},
    /* The state around it; RUN while that is undecided. */
    [RULE_NOTE] = {OTF2_PARADIGM_PTHREAD, OTF2_REGION_ROLE_FUNCTION, NULL, ALWAYS(RUN)},
};

static const struct {
  const char *name, *key;
  char letter;
} names[STATES] = {
    [STATE_IDLE] = {"IDLE", "idle", 'I'},
    [STATE_RUN] = {"RUN", "run", 'R'},
    [STATE_OVERHEAD] = {"OVERHEAD", "overhead", 'O'},
    [STATE_SYNCH_IMPLICIT_BARRIER] = {"SYNCH implicit barrier", "synch_implicit_barrier", 'B'},
    [STATE_SYNCH_BARRIER] = {"SYNCH barrier", "synch_barrier", 'E'},
    [STATE_SYNCH_MUTEX] = {"SYNCH critical/lock", "synch_mutex", 'M'},
    [STATE_SYNCH_ORDERED] = {"SYNCH ordered", "synch_ordered", 'D'},
    [STATE_SYNCH_TASKWAIT] = {"SYNCH taskwait", "synch_taskwait", 'W'},
    [STATE_SYNCH_REDUCTION] = {"SYNCH reduction", "synch_reduction", 'A'},
    [STATE_TRACEFLUSH] = {"TRACEFLUSH", "traceflush", 'F'},
    [STATE_UNMEASURED] = {"UNMEASURED", "unmeasured", 'N'},
    [STATE_INIT] = {"INIT", "init", 'S'},
    [STATE_BLOCKED_MUTEX] = {"BLOCKED IN MUTEX", "blocked_mutex", 'L'},
    [STATE_BLOCKED_CONDVAR] = {"BLOCKED IN CONDVAR", "blocked_condvar", 'C'},
    [STATE_SPIN] = {"SPIN", "spin", 'Y'},
    [STATE_GC] = {"GC", "gc", 'G'},
    [STATE_READY] = {"READY", "ready", 'Q'},
    [STATE_OFF] = {"OFF", "off", 'P'},
    [STATE_SYNCH_PTHREAD_MUTEX] = {"SYNCH pthread mutex", "synch_pthread_mutex", 'H'},
    [STATE_SYNCH_PTHREAD_RWLOCK] = {"SYNCH pthread rwlock", "synch_pthread_rwlock", 'K'},
    [STATE_SYNCH_PTHREAD_CONDITION] = {"SYNCH pthread condition", "synch_pthread_condition", 'V'},
    [STATE_SYNCH_SEMAPHORE] = {"SYNCH semaphore", "synch_semaphore", 'Z'},
    [STATE_SYNCH_PTHREAD_BARRIER] = {"SYNCH pthread barrier", "synch_pthread_barrier", 'T'},
    [STATE_SYNCH_ATOMIC] = {"SYNCH atomic wait", "synch_atomic_wait", 'X'},
    [STATE_SYNCH_JOIN] = {"SYNCH join", "synch_join", 'J'},
};

static bool any_region_says(const struct trace *trace, const char *state)
{
  for (uint32_t i = 0; i < trace->region_count; i++)
    if (trace_region_says(&trace->regions[i], FACT_STATE, state))
      return true;
  return false;
}

bool states_know_processors(const struct trace *trace)
{
  return trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_SWITCHES) || any_region_says(trace, VALUE_STATE_READY) ||
         any_region_says(trace, VALUE_STATE_OFF);
}

void states_listed(const struct trace *trace, bool listed[STATES])
{
  bool pthreads = trace_has_pthreads(trace);
  for (enum rule rule = RULE_PTHREAD_MUTEX; rule <= RULE_JOIN && !pthreads; rule++)
    pthreads = any_region_says(trace, state_rules[rule].name);
  for (unsigned state = 0; state < STATES; state++)
    listed[state] = state < STATE_READY || (state >= STATE_PTHREAD_FIRST && pthreads);
  listed[STATE_READY] = listed[STATE_OFF] = states_know_processors(trace);
  listed[STATE_OFF] |= any_region_says(trace, VALUE_STATE_IO);
}

const char *state_name(enum state state)
{
  return names[state].name;
}

const char *state_key(enum state state)
{
  return names[state].key;
}

char state_letter(enum state state)
{
  return names[state].letter;
}

enum rule state_rule_of(const struct trace_region *region)
{
  for (enum rule rule = RULE_STATE_INIT; rule <= RULE_JOIN; rule++)
    if (trace_region_says(region, FACT_STATE, state_rules[rule].name))
      return rule;
  for (enum rule rule = RULE_BASE + 1; rule < RULES; rule++) {
    const struct state_rule *row = &state_rules[rule];
    if (row->paradigm != OTF2_PARADIGM_UNKNOWN && row->paradigm == region->paradigm &&
        (row->role == ANY_ROLE || row->role == region->role) &&
        (!row->name || strncmp(region->name, row->name, strlen(row->name)) == 0))
      return rule;
  }
  return RULE_INHERIT;
}
