#include "jvmti-agent/sample_names.h"

#include "common/process/session.h"
#include "common/process/text.h"
#include "common/raw/raw_trace.h"
#include "jvmti-agent/core/pair_table.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/sample_calls.h"

#define SAMPLE_NAMES_TABLE_SIZE (1u << 19)
#define UNKNOWN                 UINT32_MAX /* the place of a call in a class that is gone */
#define LINE_MOST               64u

static struct {
  struct pair_table places; /* (method, index of a bytecode), and (method, LINES | line): number of a place */
  uint32_t next;            /* all calls below this are told */
} sample_names_state = {.next = RAW_CALL_FIRST};
#define LINES (1ull << 32)

bool sample_names_open(void)
{
  return pair_table_open(&sample_names_state.places, SAMPLE_NAMES_TABLE_SIZE);
}

/* A line of a method is one place, whichever of its instructions are met. */
static uint32_t place_of_line(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method, unsigned line)
{
  uint32_t place = pair_table_find(&sample_names_state.places, (uintptr_t)method, LINES | line);
  if (place)
    return place;
  uint64_t code = place_of_method(jvmti, jni, method, line);
  place = code ? (uint32_t)(code & ~RAW_CODE_PLACE) : UNKNOWN;
  pair_table_add(&sample_names_state.places, (uintptr_t)method, LINES | line, place);
  return place;
}

static uint32_t sample_names_place_of(jvmtiEnv *jvmti, JNIEnv *jni, const struct sample_call *call)
{
  jmethodID method = call->method;
  if (!method)
    return 0;
  uint32_t place = pair_table_find(&sample_names_state.places, (uintptr_t)method, (uint32_t)call->bytecode);
  if (!place) {
    place = place_of_line(jvmti, jni, method, place_line(jvmti, method, call->bytecode));
    pair_table_add(&sample_names_state.places, (uintptr_t)method, (uint32_t)call->bytecode, place);
  }
  return place == UNKNOWN ? 0 : place;
}

static void add_call(struct text *text, uint32_t number, uint32_t caller, uint32_t place)
{
  text_add(text, "call: ");
  text_add_number(text, number);
  text_add(text, " ");
  text_add_number(text, caller);
  text_add(text, " ");
  text_add_number(text, place);
  text_add(text, "\n");
}

/* The number of one that is being made comes again: it stops us, for the moment. */
void sample_names_tell(jvmtiEnv *jvmti, JNIEnv *jni)
{
  char bytes[4096];
  struct text text = TEXT_OVER(bytes);
  struct sample_call call;
  for (uint32_t end = sample_calls_end();
       sample_names_state.next < end && sample_calls_get(sample_names_state.next, &call); sample_names_state.next++) {
    add_call(&text, sample_names_state.next, call.caller, sample_names_place_of(jvmti, jni, &call));
    if (text.used + LINE_MOST > sizeof bytes) {
      session_describe(bytes, text.used);
      text.used = 0;
    }
  }
  if (text.used)
    session_describe(bytes, text.used);
}
