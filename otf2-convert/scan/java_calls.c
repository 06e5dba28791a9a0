#include "otf2-convert/scan/java_calls.h"

#include "otf2-convert/plan/java_names.h"
#include "otf2-convert/text_fields.h"

bool java_calls_add(struct java_calls *calls, char *value)
{
  uint64_t id = field_next_number(&value, 10);
  uint64_t caller = field_next_number(&value, 10);
  uint64_t place = field_next_number(&value, 10);
  if (id < RAW_CALL_FIRST || id >= JAVA_CALLS_MAX || caller >= id || place > JAVA_IDS_MAX)
    return true;
  if (calls->items.count <= id && !vector_resize(&calls->items, (size_t)id + 1))
    return false;
  struct java_call *call = &calls->items.items[id];
  if (!call->known)
    *call = (struct java_call){.known = true, .caller = (uint32_t)caller, .place = (uint32_t)place};
  return true;
}

void java_calls_add_counts(struct java_calls *calls, char *value)
{
  calls->due = field_next_number(&value, 10);
  calls->taken = field_next_number(&value, 10);
  for (unsigned i = 0; i < RAW_SAMPLE_REASONS; i++)
    calls->lost[i] = field_next_number(&value, 10);
}

void java_calls_free(struct java_calls *calls)
{
  vector_free(&calls->items);
}

struct java_call *java_call(const struct java_calls *calls, uint32_t id)
{
  return id >= RAW_CALL_FIRST && id < calls->items.count && calls->items.items[id].known ? &calls->items.items[id]
                                                                                         : NULL;
}
