#include "jvmti-agent/core/objects.h"

#include "common/process/session.h"
#include "common/process/text.h"
#include "jvmti-agent/core/class_ids.h"
#include "jvmti-agent/core/names.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CLASSES 65536u

/* Ids of classes by name, so that what several loaders load under one name is one class. An id is an index + 1. */
static struct {
  pthread_mutex_t lock;
  char **names;
  uint32_t count, room;
  uint32_t *buckets; /* 2 * MOST_CLASSES of them, each an id or 0 */
} classes = {.lock = PTHREAD_MUTEX_INITIALIZER};

/*
 * The objects that the thread met last, by identity hash. To ask for an object's class takes several calls, and each of
 * them takes a lock of the JVM's. Two objects may have one hash, so the reference decides. It is weak: it keeps no
 * object alive, and the collector updates it.
 */
#define SEEN 4
static __thread struct seen {
  jweak object;
  uint64_t number; /* as object_of gives it */
} seen[SEEN] __attribute__((tls_model("initial-exec")));
/* The object that was met last: often it is the same again, and then even the hash is not asked for. */
static __thread struct seen *newest __attribute__((tls_model("initial-exec")));

static bool objects_describe(uint32_t id, const char *name)
{
  char line[4096];
  struct text text = TEXT_OVER(line);
  text_add(&text, "class: ");
  text_add_number(&text, id);
  text_add(&text, " ");
  text_add_word(&text, name, strlen(name));
  text_add(&text, "\n");
  return !text.cut && session_describe(line, text.used);
}

static bool has_room(void)
{
  if (!classes.buckets && !(classes.buckets = calloc(2 * MOST_CLASSES, sizeof *classes.buckets)))
    return false;
  if (classes.count < classes.room)
    return true;
  uint32_t room = classes.room ? classes.room * 2 : 64;
  char **names = room <= MOST_CLASSES ? realloc(classes.names, room * sizeof *names) : NULL;
  if (!names)
    return false;
  classes.names = names;
  classes.room = room;
  return true;
}

static uint32_t id_of_name(const char *name)
{
  uint32_t hash = 2166136261u;
  for (const char *c = name; *c; c++)
    hash = (hash ^ (unsigned char)*c) * 16777619u;
  if (!has_room())
    return 0;
  uint32_t *bucket;
  for (;; hash++) {
    bucket = &classes.buckets[hash & (2 * MOST_CLASSES - 1)];
    if (!*bucket)
      break;
    if (!strcmp(classes.names[*bucket - 1], name))
      return *bucket;
  }
  uint32_t id = classes.count + 1;
  char *copy = strdup(name);
  if (!copy || !objects_describe(id, name)) {
    free(copy);
    return 0;
  }
  classes.names[classes.count++] = copy;
  return *bucket = id;
}

uint32_t class_id_of_name(const char *name)
{
  pthread_mutex_lock(&classes.lock);
  uint32_t id = id_of_name(name);
  pthread_mutex_unlock(&classes.lock);
  return id;
}

/* The id of java.lang.Class. */
static atomic_uint of_classes;

/* A class as an object, of static synchronized methods: "com.acme.Server.class". */
static uint32_t name_class_itself(jvmtiEnv *jvmti, jclass object)
{
  static const char end[] = ".class";
  char *signature, name[1024];
  if ((*jvmti)->GetClassSignature(jvmti, object, &signature, NULL) != JVMTI_ERROR_NONE)
    return of_classes;
  name_of_signature(signature, name, sizeof name - sizeof end);
  (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
  uint32_t id = class_id_of_name(strcat(name, end));
  return id ? id : of_classes;
}

static uint32_t name_class(jvmtiEnv *jvmti, jclass class)
{
  char *signature, name[1024];
  if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) != JVMTI_ERROR_NONE)
    return 0;
  name_of_signature(signature, name, sizeof name);
  (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
  uint32_t id = class_id_of_name(name);
  if (strcmp(name, "java.lang.Class") == 0)
    of_classes = id;
  /* The class itself remembers its id: no table of ours has to follow what the collector moves and unloads. */
  if (id)
    (*jvmti)->SetTag(jvmti, class, id);
  return id;
}

/* In tags: the id is the object's own, not the id of its class' objects. */
#define OWN_NAME (1ll << 32)

void object_name(jvmtiEnv *jvmti, JNIEnv *jni, jobject object, const char *name)
{
  char text[1024];
  jlong tag = 0;
  bool has_name = (*jvmti)->GetTag(jvmti, object, &tag) != JVMTI_ERROR_NONE || tag;
  uint32_t class_id = has_name ? 0 : class_id_of(jvmti, jni, object);
  if (!class_id)
    return;
  pthread_mutex_lock(&classes.lock);
  snprintf(text, sizeof text, "%s \"%s\"", classes.names[class_id - 1], name);
  uint32_t id = id_of_name(text);
  pthread_mutex_unlock(&classes.lock);
  if (id)
    (*jvmti)->SetTag(jvmti, object, OWN_NAME | id);
}

uint32_t class_id_of(jvmtiEnv *jvmti, JNIEnv *jni, jobject object)
{
  jlong tag = 0;
  if (!object)
    return 0;
  if ((*jvmti)->GetTag(jvmti, object, &tag) == JVMTI_ERROR_NONE && tag & OWN_NAME)
    return (uint32_t)tag;
  tag = 0;
  jclass class = (*jni)->GetObjectClass(jni, object);
  if (!class || (*jvmti)->GetTag(jvmti, class, &tag) != JVMTI_ERROR_NONE)
    return 0;
  if (!tag)
    tag = name_class(jvmti, class);
  (*jni)->DeleteLocalRef(jni, class);
  return tag && tag == of_classes ? name_class_itself(jvmti, object) : (uint32_t)tag;
}

const char *object_class(uint64_t object)
{
  uint64_t id = object >> 32;
  pthread_mutex_lock(&classes.lock);
  const char *name = id > 0 && id <= classes.count ? classes.names[id - 1] : NULL;
  pthread_mutex_unlock(&classes.lock);
  return name;
}

/* Keeps an object in the place of another one. Nothing is kept where there is no memory. */
static void keep(JNIEnv *jni, struct seen *entry, jobject object, uint64_t number)
{
  if (entry->object)
    (*jni)->DeleteWeakGlobalRef(jni, entry->object);
  entry->object = (*jni)->NewWeakGlobalRef(jni, object);
  entry->number = number;
  if (!entry->object)
    (*jni)->ExceptionClear(jni);
}

uint64_t object_of(jvmtiEnv *jvmti, JNIEnv *jni, jobject object)
{
  jint hash;
  if (object && newest && newest->object && (*jni)->IsSameObject(jni, newest->object, object))
    return newest->number;
  if (!object || (*jvmti)->GetObjectHashCode(jvmti, object, &hash) != JVMTI_ERROR_NONE)
    return 0;
  struct seen *entry = &seen[(uint32_t)hash % SEEN];
  newest = entry;
  if (entry->object && (uint32_t)entry->number == (uint32_t)hash && (*jni)->IsSameObject(jni, entry->object, object))
    return entry->number;
  uint64_t number = (uint64_t)class_id_of(jvmti, jni, object) << 32 | (uint32_t)hash;
  keep(jni, entry, object, number);
  return number;
}

void objects_thread_end(JNIEnv *jni)
{
  for (size_t i = 0; i < SEEN; i++)
    if (seen[i].object)
      (*jni)->DeleteWeakGlobalRef(jni, seen[i].object);
  memset(seen, 0, sizeof seen);
}

#define MISSES_MOST 3u /* a look may fail for another reason, as a stack that ends */

/* A second thread finds the same. */
static jfieldID find(JNIEnv *jni, struct jdk_field *field)
{
  jclass class = (*jni)->FindClass(jni, field->owner);
  jclass global = class ? (*jni)->NewGlobalRef(jni, class) : NULL;
  jfieldID id = global ? (*jni)->GetFieldID(jni, global, field->name, field->type) : NULL;
  (*jni)->DeleteLocalRef(jni, class);
  if (!id) {
    (*jni)->ExceptionClear(jni);
    (*jni)->DeleteGlobalRef(jni, global);
    atomic_fetch_add_explicit(&field->misses, 1, memory_order_relaxed);
    return NULL;
  }
  atomic_store_explicit(&field->class, global, memory_order_relaxed);
  atomic_store_explicit(&field->id, id, memory_order_release);
  return id;
}

jfieldID jdk_field_id(JNIEnv *jni, struct jdk_field *field)
{
  jfieldID id = atomic_load_explicit(&field->id, memory_order_acquire);
  if (!id && atomic_load_explicit(&field->misses, memory_order_relaxed) < MISSES_MOST)
    id = find(jni, field);
  return id;
}

bool jdk_field_is_of(JNIEnv *jni, struct jdk_field *field, jobject object)
{
  return object && jdk_field_id(jni, field) &&
         (*jni)->IsInstanceOf(jni, object, atomic_load_explicit(&field->class, memory_order_relaxed));
}

jobject jdk_field_object(JNIEnv *jni, struct jdk_field *field, jobject object)
{
  if (!jdk_field_is_of(jni, field, object))
    return NULL;
  return (*jni)->GetObjectField(jni, object, atomic_load_explicit(&field->id, memory_order_relaxed));
}
