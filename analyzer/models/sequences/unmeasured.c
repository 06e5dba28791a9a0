#include "analyzer/models/sequences/unmeasured.h"

#include "analyzer/trace/states/machine.h"
#include "base/totals.h"

#include <stdlib.h>
#include <string.h>

/* Whether a name is that of a state, or of a state in a construct. */
static bool is_of(const char *name, enum state state)
{
  size_t length = strlen(state_name(state));
  return strncmp(name, state_name(state), length) == 0 &&
         (name[length] == '\0' || strncmp(name + length, " in ", 4) == 0);
}

static bool is_state(const char *name)
{
  bool any = false;
  for (unsigned i = 0; i < STATES && !any; i++)
    any = is_of(name, (enum state)i);
  return any;
}

static bool has_any(const struct pes_program *program)
{
  bool any = false;
  for (uint32_t i = 0; i < program->component_count && !any; i++)
    any = is_of(program->components[i].name, STATE_UNMEASURED);
  for (uint32_t i = 0; i < program->set_count && !any; i++)
    for (uint32_t k = 0; k < program->sets[i].count && !any; k++)
      any = is_of(program->sets[i].values[k].name, STATE_UNMEASURED);
  return any;
}

/* Threads that a component is, or counts. */
struct threads {
  uint64_t unmeasured, all;
};

static struct threads threads_of(const struct pes_component *component, const struct pes_value *value)
{
  bool counts = is_state(component->name);
  uint64_t all = counts ? strtoull(value->name, NULL, 10) : is_state(value->name);
  bool unmeasured = is_of(counts ? component->name : value->name, STATE_UNMEASURED);
  return (struct threads){unmeasured ? all : 0, all};
}

double pes_unmeasured_percent(const struct pes_program *program, const struct pes_states *states,
                              pes_ticks_of *ticks_of, const void *context)
{
  wide_total unmeasured = 0, all = 0;
  uint32_t count = has_any(program) ? pes_states_count(states) : 0;
  for (uint32_t i = 0; i < count; i++) {
    const struct pes_state *state = pes_state(states, i);
    uint64_t ticks = state->kind == PES_BASIC ? ticks_of(context, i) : 0;
    for (uint32_t k = 0; ticks > 0 && k < program->component_count; k++) {
      const struct pes_component *component = &program->components[k];
      struct threads threads = threads_of(component, &program->sets[component->set].values[state->vector[k]]);
      unmeasured += (wide_total)threads.unmeasured * ticks;
      all += (wide_total)threads.all * ticks;
    }
  }
  return all > 0 ? 100 * (double)unmeasured / (double)all : 0;
}
