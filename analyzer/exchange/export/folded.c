#include "analyzer/command/print/escape.h"
#include "analyzer/exchange/export/formats.h"
#include "analyzer/exchange/export/sink.h"
#include "analyzer/exchange/export/stacks.h"

#include <stdlib.h>

/*
 * Folded stacks, as flame graph tools and speedscope read them: a line a stack, its functions from the outermost one on
 * with ; between them, a space, and the number of samples of one trigger; of exact calls ns, or the number of calls.
 */
struct folded {
  struct stacks stacks;
  struct sink sink;
  const struct export_stacks *options;
  uint32_t trigger;
};

static bool choose_trigger(struct folded *folded, struct error *error)
{
  const struct stacks *stacks = &folded->stacks;
  const char *wanted = folded->options->trigger;
  folded->trigger = TRACE_NONE;
  for (uint32_t i = 0; i < stacks->trigger_count && folded->trigger == TRACE_NONE; i++)
    if (wanted ? strcmp(stacks->triggers[i].name, wanted) == 0
               : stacks->triggers[i].timed && !stacks->triggers[i].waits)
      folded->trigger = i;
  if (folded->trigger == TRACE_NONE && wanted && stacks->archive)
    return error_set(error, "--trigger %s: exact calls have time, blocked and calls", wanted);
  if (folded->trigger == TRACE_NONE && wanted)
    return error_set(error, "--trigger %s: the samples have no such trigger: see `heddle calls`", wanted);
  if (folded->trigger == TRACE_NONE)
    folded->trigger = 0;
  return true;
}

/* False: no memory. */
static bool put_frame(struct folded *folded, const char *name)
{
  char *escaped = escape_text(name);
  if (!escaped)
    return false;
  for (char *at = escaped; *at; at++)
    if (*at == ';') /* it would end the frame */
      *at = ':';
  sink_text(&folded->sink, escaped);
  free(escaped);
  return true;
}

/* False: no memory. */
static bool folded_put_row(struct folded *folded, const struct stack_row *row, uint32_t path[STACK_MOST])
{
  const char *roots[2];
  size_t root_count = stacks_roots(&folded->stacks, row, folded->options->root, roots);
  bool cut, good = true, first = true;
  size_t count = stacks_path(&folded->stacks, row->node, path, &cut);
  for (size_t i = 0; good && i < root_count + cut + count; i++) {
    const char *name = i < root_count         ? roots[i]
                       : i < root_count + cut ? STACK_CUT
                                              : stacks_name(&folded->stacks, path[count - 1 - (i - root_count - cut)]);
    if (!first)
      sink_char(&folded->sink, ';');
    first = false;
    good = put_frame(folded, name);
  }
  sink_char(&folded->sink, ' ');
  sink_number(&folded->sink, row->samples);
  sink_char(&folded->sink, '\n');
  return good;
}

static bool folded_write_all(struct folded *folded, struct error *error)
{
  uint32_t *path = calloc(STACK_MOST, sizeof *path);
  bool good = path != NULL;
  for (size_t i = 0; good && i < folded->stacks.count && !sink_failed(&folded->sink); i++)
    if (folded->stacks.rows[i].trigger == folded->trigger)
      good = folded_put_row(folded, &folded->stacks.rows[i], path);
  free(path);
  if (!good)
    return error_set(error, "%s: out of memory", folded->stacks.trace->anchor);
  return sink_finish(&folded->sink) || sink_fail(&folded->sink, error);
}

bool export_folded(const struct trace *trace, const struct export_stacks *options, const char *path,
                   struct error *error)
{
  struct folded *folded = calloc(1, sizeof *folded);
  if (!folded)
    return error_set(error, "%s: out of memory", trace->anchor);
  folded->options = options;
  struct stacks_wish wish = {
      .unit = CALLS_FUNCTIONS, .use = (enum calls_use)options->use, .locations = options->root != EXPORT_ROOT_NONE};
  bool good = stacks_open(trace, wish, &folded->stacks, error) && choose_trigger(folded, error);
  if (good && (good = sink_open(&folded->sink, path, error)))
    good = sink_close(&folded->sink, folded_write_all(folded, error), error);
  stacks_close(&folded->stacks);
  free(folded);
  return good;
}
