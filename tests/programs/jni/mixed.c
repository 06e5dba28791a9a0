/* The native side of Mixed.java, on libomp. */
#include <jni.h>

JNIEXPORT jlong JNICALL Java_Mixed_region(JNIEnv *jni, jclass self, jint n);

JNIEXPORT jlong JNICALL Java_Mixed_region(JNIEnv *jni, jclass self, jint n)
{
  (void)jni, (void)self;
  long iterations = 0;
#pragma omp parallel for num_threads(2) reduction(+ : iterations)
  for (int i = 0; i < n; i++)
    iterations++;
  return iterations;
}
