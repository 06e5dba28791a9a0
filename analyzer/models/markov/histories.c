#include "analyzer/models/markov/histories.h"

#include <string.h>

static void give_up(struct markov_histories *histories, unsigned length)
{
  for (unsigned i = length; i <= MARKOV_HISTORY_MOST; i++) {
    vector_free(&histories->levels[i].nodes);
    hash_free(&histories->levels[i].index);
  }
  histories->most = length - 1;
}

bool markov_histories_begin(struct markov_histories *histories, unsigned most)
{
  memset(histories, 0, sizeof *histories);
  histories->most = most;
  return vector_push(&histories->levels[0].nodes,
                     ((struct markov_history){.child_state = UINT32_MAX, .child = UINT32_MAX}));
}

void markov_histories_free(struct markov_histories *histories)
{
  give_up(histories, 1);
  vector_free(&histories->levels[0].nodes);
}

/* The child of a history of length - 1; UINT32_MAX: no memory, or too many. */
static uint32_t find_child(struct markov_histories *histories, unsigned length, uint32_t parent, uint32_t suffix,
                           uint32_t state)
{
  struct markov_history *above = &histories->levels[length - 1].nodes.items[parent];
  struct markov_history_level *level = &histories->levels[length];
  if (above->child_state == state && above->child != UINT32_MAX)
    return above->child;
  uint64_t key = (uint64_t)parent << 32 | state;
  uint64_t *known = hash_find(&level->index, key);
  uint32_t child = known ? (uint32_t)*known : (uint32_t)level->nodes.count;
  if (!known &&
      (child >= MARKOV_HISTORIES_MOST || !hash_add(&level->index, key, child) ||
       !vector_push(
           &level->nodes,
           ((struct markov_history){
               .parent = parent, .suffix = suffix, .state = state, .child_state = UINT32_MAX, .child = UINT32_MAX}))))
    return UINT32_MAX;
  above->child_state = state;
  above->child = child;
  return child;
}

bool markov_histories_add(struct markov_histories *histories, uint32_t state)
{
  uint32_t parent = 0, suffix = 0;
  if (histories->seen < histories->most)
    histories->seen++;
  for (unsigned length = 1; length <= histories->seen && length <= histories->most; length++) {
    uint32_t now = find_child(histories, length, parent, suffix, state);
    if (now == UINT32_MAX && histories->levels[length].nodes.count >= MARKOV_HISTORIES_MOST) {
      give_up(histories, length);
      return true;
    }
    if (now == UINT32_MAX)
      return false;
    histories->levels[length].nodes.items[now].count++;
    parent = histories->current[length]; /* of the states before this one */
    histories->current[length] = suffix = now;
  }
  return true;
}

void markov_history_states(const struct markov_histories *histories, unsigned length, uint32_t history,
                           uint32_t *states)
{
  for (; length > 0; length--) {
    const struct markov_history *node = &histories->levels[length].nodes.items[history];
    states[length - 1] = node->state;
    history = node->parent;
  }
}
