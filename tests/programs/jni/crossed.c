/* The native side of Crossed.java. */
#include <jni.h>
#include <pthread.h>

JNIEXPORT void JNICALL Java_Crossed_lock(JNIEnv *jni, jclass self, jboolean call);

static pthread_mutex_t crossed = PTHREAD_MUTEX_INITIALIZER;

JNIEXPORT void JNICALL Java_Crossed_lock(JNIEnv *jni, jclass self, jboolean call)
{
  pthread_mutex_lock(&crossed); /* mark: the mutex */
  if (call)
    (*jni)->CallStaticVoidMethod(jni, self, (*jni)->GetStaticMethodID(jni, self, "inside", "()V"));
  pthread_mutex_unlock(&crossed);
}
