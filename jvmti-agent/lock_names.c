#include "jvmti-agent/lock_names.h"

#include "common/budget/mix.h"
#include "common/process/session.h"
#include "common/process/text.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/names.h"
#include "jvmti-agent/core/objects.h"
#include "jvmti-agent/core/thread_self.h"
#include "jvmti-agent/weaver/lock_code.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* To find a field takes some tens of microseconds: after so many objects others get no name. */
#define OBJECTS_NAMED 1024u
#define OBJECTS_ROOM  4096u

static struct {
  atomic_uint_fast64_t seen[OBJECTS_ROOM];
  atomic_uint count;
} objects;

/* In an entry, above the object: how many waits said nothing; at the most, or once a field is found, no more look. */
#define TRY      (1ull << 60)
#define MOST     (7 * TRY)
#define IS_DONE  (1ull << 63)
#define OF_ENTRY (TRY - 1)

/* The object's entry; NULL: the object needs no more look. Waits of several threads may look at once. */
static atomic_uint_fast64_t *entry_of(uint64_t object)
{
  if (object == 0 || object > OF_ENTRY)
    return NULL;
  for (uint64_t at = mix(object);; at++) {
    atomic_uint_fast64_t *entry = &objects.seen[at % OBJECTS_ROOM];
    uint_fast64_t there = atomic_load_explicit(entry, memory_order_relaxed);
    if (there == 0) {
      if (atomic_load_explicit(&objects.count, memory_order_relaxed) >= OBJECTS_NAMED)
        return NULL;
      if (atomic_compare_exchange_strong(entry, &there, object)) {
        atomic_fetch_add(&objects.count, 1);
        return entry;
      }
    }
    if ((there & OF_ENTRY) == object)
      return there & IS_DONE || there >= MOST ? NULL : entry;
  }
}

/* True if a thread waits for another object than the field's: Condition.await waits for the lock,
 * too, at its end. */
static bool is_other(uint64_t object, const struct lock_field *field)
{
  static const char await[] = "await";
  const char *class_name = object_class(object);
  return field->call.size >= sizeof await - 1 && memcmp(field->call.bytes, await, sizeof await - 1) == 0 &&
         class_name && strncmp(class_name, "java.util.concurrent.locks.", 27) == 0 &&
         !strstr(class_name, "ConditionObject");
}

static void add_span(struct text *text, struct span span, const char *end)
{
  char name[1024];
  span_string(span, name, sizeof name - strlen(end));
  name_to_utf8(name);
  strcat(name, end);
  text_add(text, " ");
  text_add_word(text, name, strlen(name));
}

static void describe(uint64_t object, const struct lock_field *field)
{
  char bytes[8192];
  struct text text = TEXT_OVER(bytes);
  text_add(&text, "field: ");
  text_add_hex(&text, object);
  add_span(&text, field->owner, "");
  add_span(&text, field->name, field->element ? "[]" : "");
  text_add(&text, "\n");
  if (!text.cut)
    session_describe(bytes, text.used);
}

uint8_t *lock_names_read_method(jvmtiEnv *jvmti, jclass class, jmethodID method, size_t *size, size_t *code)
{
  unsigned char *constants, *instructions = NULL;
  jint count, constants_size, instructions_size = 0;
  uint8_t *bytes = NULL;
  if ((*jvmti)->GetConstantPool(jvmti, class, &count, &constants_size, &constants) != JVMTI_ERROR_NONE)
    return NULL;
  if ((*jvmti)->GetBytecodes(jvmti, method, &instructions_size, &instructions) == JVMTI_ERROR_NONE) {
    *code = 2 + (size_t)constants_size;
    *size = *code + (size_t)instructions_size;
    bytes = malloc(*size);
  }
  if (bytes) {
    bytes[0] = (uint8_t)(count >> 8);
    bytes[1] = (uint8_t)count;
    memcpy(bytes + 2, constants, (size_t)constants_size);
    memcpy(bytes + *code, instructions, (size_t)instructions_size);
  }
  (*jvmti)->Deallocate(jvmti, constants);
  (*jvmti)->Deallocate(jvmti, instructions);
  return bytes;
}

/* False: this wait says nothing about the object; another one may. */
static bool find_field(JNIEnv *jni, uint64_t object, const jvmtiFrameInfo *frame)
{
  jclass class;
  struct class_file file;
  struct class_method method;
  struct lock_field field;
  size_t size, code;
  if (frame->location < 0 ||
      (*agent.jvmti)->GetMethodDeclaringClass(agent.jvmti, frame->method, &class) != JVMTI_ERROR_NONE)
    return false;
  uint8_t *bytes = lock_names_read_method(agent.jvmti, class, frame->method, &size, &code);
  (*jni)->DeleteLocalRef(jni, class);
  bool found = false;
  if (bytes && lock_field_open(&file, &method, bytes, size, code)) {
    found = lock_field_find(&file, &method, (uint32_t)frame->location, &field) && !is_other(object, &field);
    if (found)
      describe(object, &field);
    class_file_free(&file);
  }
  free(bytes);
  return found;
}

static void lock_names_look(JNIEnv *jni, atomic_uint_fast64_t *entry, uint64_t object, const struct place_stack *stack)
{
  if (stack->chosen < stack->count && find_field(jni, object, &stack->frames[stack->chosen]))
    atomic_fetch_or(entry, IS_DONE);
  else
    atomic_fetch_add(entry, TRY);
}

void lock_name_frame(JNIEnv *jni, uint64_t object, const struct place_stack *stack)
{
  atomic_uint_fast64_t *entry = thread_self.mounted ? NULL : entry_of(object);
  if (entry)
    lock_names_look(jni, entry, object, stack);
}

void lock_name(JNIEnv *jni, uint64_t object, enum raw_block kind)
{
  struct place_stack stack;
  atomic_uint_fast64_t *entry = thread_self.mounted ? NULL : entry_of(object);
  if (!entry)
    return;
  place_if_known(agent.jvmti, jni, kind, &stack);
  lock_names_look(jni, entry, object, &stack);
}
