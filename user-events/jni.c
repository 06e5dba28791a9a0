/*
 * The native methods of heddle.Heddle (java/heddle/Heddle.java). The JVM finds them here because the library was loaded
 * as an agent; in a JVM without it the class finds none, and does nothing.
 */
#include "common/process/session.h"
#include "user-events/calls.h"
#include "user-events/names.h"

#include <jni.h>

JNIEXPORT jboolean JNICALL Java_heddle_Heddle_listens0(JNIEnv *jni, jclass class);
JNIEXPORT jint JNICALL Java_heddle_Heddle_number0(JNIEnv *jni, jclass class, jbyteArray utf8);
JNIEXPORT void JNICALL Java_heddle_Heddle_enter0(JNIEnv *jni, jclass class, jint name);
JNIEXPORT void JNICALL Java_heddle_Heddle_leave0(JNIEnv *jni, jclass class, jint name);
JNIEXPORT void JNICALL Java_heddle_Heddle_phase0(JNIEnv *jni, jclass class, jint name);
JNIEXPORT void JNICALL Java_heddle_Heddle_event0(JNIEnv *jni, jclass class, jint name, jlongArray attributes,
                                                 jint count);
JNIEXPORT void JNICALL Java_heddle_Heddle_nameThread0(JNIEnv *jni, jclass class, jbyteArray utf8);
JNIEXPORT void JNICALL Java_heddle_Heddle_measure0(JNIEnv *jni, jclass class, jboolean on);

jboolean Java_heddle_Heddle_listens0(JNIEnv *jni, jclass class)
{
  (void)jni, (void)class;
  return !session_is_off();
}

/* As much of a name as counts, and one byte more, by which one sees whether it is cut inside a character. */
static size_t name_bytes(JNIEnv *jni, jbyteArray utf8, char *bytes)
{
  jsize length = (*jni)->GetArrayLength(jni, utf8);
  jsize most = NAME_BYTES_MAX + 1;
  (*jni)->GetByteArrayRegion(jni, utf8, 0, length < most ? length : most, (jbyte *)bytes);
  return (size_t)(length < most ? length : most);
}

jint Java_heddle_Heddle_number0(JNIEnv *jni, jclass class, jbyteArray utf8)
{
  char bytes[NAME_BYTES_MAX + 1];
  uint32_t number;
  (void)class;
  return calls_name(bytes, name_bytes(jni, utf8, bytes), &number) ? (jint)number : 0;
}

/* Name 0: it could not be described, or there is none. */
void Java_heddle_Heddle_enter0(JNIEnv *jni, jclass class, jint name)
{
  (void)jni, (void)class;
  calls_enter((uint32_t)name);
}

void Java_heddle_Heddle_leave0(JNIEnv *jni, jclass class, jint name)
{
  (void)jni, (void)class;
  calls_leave((uint32_t)name);
}

void Java_heddle_Heddle_phase0(JNIEnv *jni, jclass class, jint name)
{
  (void)jni, (void)class;
  if (calls_ready())
    recorder_emit(RAW_USER_PHASE, 0, (uint32_t)name);
}

/* The attributes come as the record has them, two words each. */
void Java_heddle_Heddle_event0(JNIEnv *jni, jclass class, jint name, jlongArray attributes, jint count)
{
  jlong elements[RECORDER_MOST][RAW_EXTRA];
  unsigned n = count < 0 ? 0 : (unsigned)count < RECORDER_MOST ? (unsigned)count : RECORDER_MOST;
  (void)class;
  (*jni)->GetLongArrayRegion(jni, attributes, 0, (jsize)(n * RAW_EXTRA), elements[0]);
  calls_event((uint32_t)name, n, (const uint64_t(*)[RAW_EXTRA])elements);
}

void Java_heddle_Heddle_nameThread0(JNIEnv *jni, jclass class, jbyteArray utf8)
{
  char bytes[NAME_BYTES_MAX + 1];
  (void)class;
  calls_name_thread(bytes, name_bytes(jni, utf8, bytes));
}

void Java_heddle_Heddle_measure0(JNIEnv *jni, jclass class, jboolean on)
{
  (void)jni, (void)class;
  calls_measure(on);
}
