#include "analyzer/models/pes_show.h"

#include "analyzer/models/state_letters.h"
#include "analyzer/models/unmeasured_fact.h"

#include <stdlib.h>

static int pes_show_compare_time(const void *a, const void *b, void *context)
{
  const struct pes_state_totals *totals = context;
  uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
  uint64_t left_time = totals->states.items[left].time, right_time = totals->states.items[right].time;
  if (left_time != right_time)
    return left_time < right_time ? 1 : -1;
  return (left > right) - (left < right);
}

/* The states in the order of the table, which the caller frees. NULL: out of memory. */
static uint32_t *order_states(struct pes_state_totals *totals)
{
  uint32_t count = (uint32_t)totals->states.count;
  uint32_t *order = malloc((count + 1) * sizeof *order);
  for (uint32_t i = 0; order && i < count; i++)
    order[i] = i;
  if (order)
    qsort_r(order, count, sizeof *order, pes_show_compare_time, totals);
  return order;
}

static void pes_show_put_facts(struct print *print, const struct pes_stream *stream,
                               const struct pes_state_totals *totals)
{
  const struct pes_program *program = stream->program;
  print_fact(print, "program", "Program", PRINT_STRING, print_string(program->name));
  print_fact(print, "components", "Components", PRINT_COUNT, print_number(program->component_count));
  print_fact(print, "records", "Records", PRINT_COUNT, print_number(totals->records));
  print_fact(print, "states", "Distinct states", PRINT_COUNT, print_number(pes_states_count(stream->states)));
  print_fact(print, "begin", "Begin (ticks)", PRINT_NUMBER, print_number(totals->begin));
  print_fact(print, "end", "End (ticks)", PRINT_NUMBER, print_number(stream->end.time));
  if (program->ticks_per_second > 0)
    print_fact(print, "duration", "Duration", PRINT_DURATION, print_number(totals->duration));
  else
    print_fact(print, "duration", "Duration (ticks)", PRINT_NUMBER, print_number(totals->duration));
  unmeasured_put_fact(print, unmeasured_of_totals(stream, totals));
  char *terminal =
      stream->end.terminal == PES_NONE ? NULL : pes_state_name(program, stream->states, stream->end.terminal);
  print_fact(print, "terminal", "Terminal state", PRINT_STRING, print_string(terminal));
  free(terminal);
}

static void pes_show_put_parameters(struct print *print, const struct pes_program *program)
{
  static const struct print_column columns[] = {{"name", "Parameter", PRINT_STRING, false},
                                                {"value", "Value", PRINT_STRING, false}};
  if (program->parameter_count == 0)
    return;
  print_table(print, "parameters", NULL, columns, 2, false);
  for (uint32_t i = 0; i < program->parameter_count; i++)
    print_row(print, (struct print_cell[]){print_string(program->parameters[i].name),
                                           print_string(program->parameters[i].value)});
  print_table_end(print);
}

/* Without a clock, the unit of times is unknown. */
static bool pes_show_put_states(struct print *print, const struct pes_stream *stream, struct pes_state_totals *totals,
                                uint64_t top)
{
  static const char *const kinds[] = {"basic", "filter aggregate", "pattern aggregate"};
  bool clock = stream->program->ticks_per_second > 0;
  const struct print_column columns[] = {{"state", "No.", PRINT_NUMBER, false},
                                         {"name", "State", PRINT_STRING, false},
                                         {"kind", "Kind", PRINT_STRING, false},
                                         {"count", "Records", PRINT_COUNT, false},
                                         {"time", clock ? "Time" : "Ticks", clock ? PRINT_SHARE : PRINT_COUNT, false}};
  uint32_t count = (uint32_t)totals->states.count, *order = order_states(totals);
  if (!order)
    return false;
  print_table(print, "state_list", top < count ? "States of most time" : "States", columns, 5, false);
  struct state_letters *letters = state_letters_create(stream->program);
  for (uint32_t i = 0; i < count && i < top; i++) {
    const struct pes_state_total *total = &totals->states.items[order[i]];
    char *name = pes_state_name(stream->program, stream->states, order[i]);
    print_row(print, (struct print_cell[]){
                         print_number(order[i]), print_string(name),
                         print_string(kinds[pes_state(stream->states, order[i])->kind]), print_number(total->count),
                         clock ? print_share(total->time, totals->duration) : print_number(total->time)});
    free(name);
    if (letters)
      state_letters_add(letters, stream->states, order[i]);
  }
  print_table_end(print);
  char *sentence = state_letters_end(letters);
  if (sentence)
    print_sentence(print, "letters", sentence);
  free(sentence);
  free(order);
  return true;
}

bool pes_show(struct print *print, const struct pes_stream *stream, struct pes_state_totals *totals, uint64_t top)
{
  pes_show_put_facts(print, stream, totals);
  pes_show_put_parameters(print, stream->program);
  return pes_show_put_states(print, stream, totals, top);
}
