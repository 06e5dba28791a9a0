#include "pthread-layer/layer.h"

#include <stdlib.h>
#include <string.h>

_Atomic int layer_state;
const struct heddle_pthread_calls *layer_calls;

static bool is_off(void)
{
  const char *off = getenv("HEDDLE_PTHREAD"), *all = getenv("HEDDLE");
  return (off && strcmp(off, "0") == 0) || (all && strcmp(all, "off") == 0);
}

__attribute__((constructor(101))) static void load(void)
{
  next_find();
  atomic_store(&layer_state, is_off() ? LAYER_OFF : LAYER_IDLE);
}
