#include "pthread-layer/layer.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

_Atomic int layer_state;
bool layer_all;
const struct heddle_pthread_calls *layer_calls;
const struct returns *layer_returns;

/* Whether this is the JDK's launcher: a JVM waits all the time, and its agent tells of what Java does. */
static bool is_jvm(void)
{
  bool launches = dlsym(RTLD_DEFAULT, "JLI_Launch") != NULL;
  dlerror(); /* what was not found is not the program's business */
  return launches;
}

static bool is_off(void)
{
  const char *setting = getenv("HEDDLE_PTHREAD"), *all = getenv("HEDDLE");
  if ((setting && strcmp(setting, "0") == 0) || (all && strcmp(all, "off") == 0))
    return true;
  layer_all = setting && strcmp(setting, "all") == 0;
  return !(setting && strcmp(setting, "1") == 0) && is_jvm();
}

__attribute__((constructor(101))) static void load(void)
{
  next_find();
  atomic_store(&layer_state, is_off() ? LAYER_OFF : LAYER_IDLE);
}
