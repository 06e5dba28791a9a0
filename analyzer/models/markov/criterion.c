#include "analyzer/models/markov/carry.h"
#include "analyzer/models/markov/histories.h"

#include <math.h>
#include <stdlib.h>

static bool read_histories(struct markov_histories *histories, struct pes_stream *stream, struct error *error)
{
  struct pes_record *records = malloc(PES_BATCH * sizeof *records);
  size_t count = 1;
  bool good =
      (records && markov_histories_begin(histories, MARKOV_ORDER_MOST + 1)) || error_set(error, "out of memory");
  good = good && pes_rewind(stream, error);
  while (good && count > 0) {
    good = pes_next(stream, records, &count, error);
    for (size_t i = 0; good && i < count; i++)
      good = markov_histories_add(histories, records[i].state) || error_set(error, "out of memory");
  }
  free(records);
  return good;
}

/* leaving[h]: how often a history of this length was followed by any state. NULL: no memory. */
static double *count_leaving(const struct markov_histories *histories, unsigned length)
{
  const struct markov_history_level *behind = &histories->levels[length + 1];
  double *leaving = calloc(histories->levels[length].nodes.count + 1, sizeof *leaving);
  for (size_t i = 0; leaving && i < behind->nodes.count; i++)
    leaving[behind->nodes.items[i].parent] += (double)behind->nodes.items[i].count;
  return leaving;
}

/* successors[s]: how many states follow a state. NULL: no memory. */
static uint32_t *count_successors(const struct markov_histories *histories, uint32_t states)
{
  const struct markov_history_level *first = &histories->levels[1], *second = &histories->levels[2];
  uint32_t *successors = calloc((size_t)states + 1, sizeof *successors);
  for (size_t i = 0; successors && i < second->nodes.count; i++)
    successors[first->nodes.items[second->nodes.items[i].parent].state]++;
  return successors;
}

static bool add_order(struct markov_criterion *criterion, const struct markov_histories *histories, unsigned order,
                      const uint32_t *successors)
{
  const struct markov_history_level *level = &histories->levels[order], *behind = &histories->levels[order + 1];
  double *leaving = count_leaving(histories, order);
  if (!leaving)
    return false;
  for (size_t i = 0; i < behind->nodes.count; i++) {
    const struct markov_history *node = &behind->nodes.items[i];
    criterion->log_likelihood[order - 1] += (double)node->count * log((double)node->count / leaving[node->parent]);
  }
  for (size_t i = 0; i < level->nodes.count; i++) {
    if (leaving[i] > 0)
      criterion->parameters[order - 1] += successors[level->nodes.items[i].state] - 1.;
  }
  for (size_t i = 0; order == 1 && i < level->nodes.count; i++)
    criterion->transitions += leaving[i];
  free(leaving);
  return true;
}

bool markov_criterion_add(struct markov_criterion *criterion, struct pes_stream *stream, struct error *error)
{
  struct markov_histories histories = {0};
  bool good = read_histories(&histories, stream, error);
  uint32_t *successors =
      good && histories.most >= 2 ? count_successors(&histories, pes_states_count(stream->states)) : NULL;
  unsigned most = histories.most >= 2 ? histories.most - 1 : 1;
  if (good && histories.most >= 2)
    good = successors || error_set(error, "out of memory");
  for (unsigned order = 1; good && successors && order <= most; order++)
    good = add_order(criterion, &histories, order, successors) || error_set(error, "out of memory");
  criterion->most = criterion->most == 0 || most < criterion->most ? most : criterion->most;
  markov_histories_free(&histories);
  free(successors);
  return good;
}

double markov_criterion_value(const struct markov_criterion *criterion, unsigned order)
{
  double weight = criterion->transitions > 0 ? log(criterion->transitions) : 0;
  return -2 * criterion->log_likelihood[order - 1] + criterion->parameters[order - 1] * weight;
}

unsigned markov_criterion_best(const struct markov_criterion *criterion)
{
  unsigned best = 1;
  for (unsigned order = 2; order <= criterion->most; order++) {
    if (markov_criterion_value(criterion, order) < markov_criterion_value(criterion, best))
      best = order;
  }
  return best;
}
