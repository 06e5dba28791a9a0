#include "analyzer/analyses/intervals/words.h"

#include "base/count_of.h"
#include "common/raw/archive_names.h"

#include <string.h>

static const struct own_event own_events[] = {
    {"region_begin", OWN_BEGIN, NULL},
    {"region_end", OWN_END, NULL},
    {"chunk", OWN_BEGIN, REGION_CHUNK},
    {"chunk_end", OWN_END, REGION_CHUNK},
    {"lock", OWN_ACQUIRE, NULL},
    {"unlock", OWN_RELEASE, NULL},
    {"park", OWN_BEGIN, REGION_PARK},
    {"park_end", OWN_END, REGION_PARK},
    {"unpark", OWN_BEGIN, REGION_UNPARK},
    {"notify", OWN_BEGIN, REGION_NOTIFY},
    {"notify_all", OWN_BEGIN, REGION_NOTIFY_ALL},
    {"wait", OWN_BEGIN, REGION_OBJECT_WAIT},
    {"wait_end", OWN_END, REGION_OBJECT_WAIT},
    {"gc", OWN_BEGIN, REGION_GC},
    {"gc_end", OWN_END, REGION_GC},
    {"task_create", OWN_TASK_CREATE, NULL},
    {"task_switch", OWN_TASK_SWITCH, NULL},
    {"task_end", OWN_TASK_END, NULL},
};

const struct intrinsic_word intrinsics[INTRINSICS] = {
    [INTRINSIC_THREAD] = {"thread", SPEC_INTEGER},
    [INTRINSIC_TIME] = {"time", SPEC_TIME},
    [INTRINSIC_PROCESS] = {"process", SPEC_INTEGER},
    [INTRINSIC_MEMBER] = {"member", SPEC_INTEGER},
    [INTRINSIC_CONSTRUCT] = {"construct", SPEC_TEXT},
    [INTRINSIC_LINE] = {"line", SPEC_INTEGER},
    [INTRINSIC_FILE] = {"file", SPEC_TEXT},
    [INTRINSIC_FUNCTION] = {"function", SPEC_TEXT},
    [INTRINSIC_THREAD_NAME] = {"thread_name", SPEC_TEXT},
    [INTRINSIC_TARGET] = {"target", SPEC_INTEGER},
    [INTRINSIC_LOCK] = {"lock", SPEC_INTEGER},
    [INTRINSIC_TASK] = {"task", SPEC_INTEGER},
};

const struct own_event *own_event_find(const char *name)
{
  for (size_t i = 0; i < COUNT_OF(own_events); i++)
    if (strcmp(own_events[i].name, name) == 0)
      return &own_events[i];
  return NULL;
}

const char *own_event_names(void)
{
  return "region_begin, region_end, chunk, chunk_end, lock, unlock, park, park_end, unpark, notify, notify_all, wait, "
         "wait_end, gc, gc_end, task_create, task_switch, task_end";
}

struct own_event own_event_of_quoted(const char *quoted)
{
  static const struct {
    const char *begin;
    enum own_kind kind;
  } forms[] = {{"begin of ", OWN_BEGIN}, {"end of ", OWN_END}, {"", OWN_BEGIN}};
  size_t i = 0;
  while (strncmp(quoted, forms[i].begin, strlen(forms[i].begin)) != 0)
    i++;
  return (struct own_event){.name = quoted, .kind = forms[i].kind, .region = quoted + strlen(forms[i].begin)};
}
