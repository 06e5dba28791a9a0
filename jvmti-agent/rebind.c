#include "jvmti-agent/rebind.h"

#include "base/count_of.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/natives.h"

#include <stdbool.h>
#include <string.h>

/*
 * The JDK registers its natives by a method of each class, registerNatives. It is called once more, and what it gives
 * to JNI's RegisterNatives is looked through on its way: only natives that are ours are registered anew, as ours.
 *
 * The JVM warns on its standard output if anything but the JDK registers natives of the JDK: it looks at the method
 * that called registerNatives. So the caller is a method of the JDK, MethodHandle.invokeWithArguments.
 */
static __thread bool rebinding;
static jint(JNICALL *register_natives)(JNIEnv *, jclass, const JNINativeMethod *, jint);

/* Those of Object have no registerNatives in all JDKs: they are registered with the first that comes. */
static void register_of_object(JNIEnv *jni)
{
  JNINativeMethod methods[8];
  jint count = natives_of_object(methods, 8);
  jclass object = (*jni)->FindClass(jni, "java/lang/Object");
  for (jint i = 0; object && i < count; i++) { /* one by one: of two names of a method, a JDK has one */
    if ((*jni)->GetMethodID(jni, object, methods[i].name, methods[i].signature) != NULL &&
        register_natives(jni, object, &methods[i], 1) == JNI_OK && !strncmp(methods[i].name, "wait", 4))
      atomic_store(&agent.sees_wait, true);
    (*jni)->ExceptionClear(jni);
  }
  (*jni)->DeleteLocalRef(jni, object);
}

static jint JNICALL on_register(JNIEnv *jni, jclass class, const JNINativeMethod *methods, jint count)
{
  /* The table of functions is every thread's. */
  if (!rebinding)
    return register_natives(jni, class, methods, count);
  if (!atomic_load(&agent.sees_wait))
    register_of_object(jni);
  for (jint i = 0; i < count; i++) {
    JNINativeMethod method = methods[i];
    if (natives_replace(&method))
      register_natives(jni, class, &method, 1);
  }
  return JNI_OK;
}

/* java.lang.invoke's lookup that may find everything, and a handle of a class' static registerNatives() by it. */
static jobject find_handle(JNIEnv *jni, jclass class)
{
  jclass lookup = (*jni)->FindClass(jni, "java/lang/invoke/MethodHandles$Lookup");
  jclass type = (*jni)->FindClass(jni, "java/lang/invoke/MethodType");
  jclass void_class = (*jni)->FindClass(jni, "java/lang/Void");
  if (!lookup || !type || !void_class)
    return NULL;
  jfieldID trusted = (*jni)->GetStaticFieldID(jni, lookup, "IMPL_LOOKUP", "Ljava/lang/invoke/MethodHandles$Lookup;");
  jfieldID primitive = (*jni)->GetStaticFieldID(jni, void_class, "TYPE", "Ljava/lang/Class;");
  jmethodID make =
      (*jni)->GetStaticMethodID(jni, type, "methodType", "(Ljava/lang/Class;)Ljava/lang/invoke/MethodType;");
  jmethodID find = (*jni)->GetMethodID(
      jni, lookup, "findStatic",
      "(Ljava/lang/Class;Ljava/lang/String;Ljava/lang/invoke/MethodType;)Ljava/lang/invoke/MethodHandle;");
  if (!trusted || !primitive || !make || !find)
    return NULL;
  jobject void_type = (*jni)->GetStaticObjectField(jni, void_class, primitive);
  jobject takes_none = (*jni)->CallStaticObjectMethod(jni, type, make, void_type);
  jstring name = (*jni)->ExceptionCheck(jni) ? NULL : (*jni)->NewStringUTF(jni, "registerNatives");
  if (!takes_none || !name)
    return NULL;
  jobject finder = (*jni)->GetStaticObjectField(jni, lookup, trusted);
  jobject handle = (*jni)->CallObjectMethod(jni, finder, find, class, name, takes_none);
  return (*jni)->ExceptionCheck(jni) ? NULL : handle;
}

static void register_again(JNIEnv *jni, const char *class_name)
{
  jclass class = (*jni)->FindClass(jni, class_name), object = (*jni)->FindClass(jni, "java/lang/Object");
  jobject handle = class ? find_handle(jni, class) : NULL;
  if (handle) {
    jclass handle_class = (*jni)->FindClass(jni, "java/lang/invoke/MethodHandle");
    jmethodID invoke =
        (*jni)->GetMethodID(jni, handle_class, "invokeWithArguments", "([Ljava/lang/Object;)Ljava/lang/Object;");
    jobjectArray none = invoke ? (*jni)->NewObjectArray(jni, 0, object, NULL) : NULL;
    if (none) {
      rebinding = true;
      (*jni)->CallObjectMethod(jni, handle, invoke, none);
      rebinding = false;
    }
  }
  (*jni)->ExceptionClear(jni);
}

void natives_rebind(jvmtiEnv *jvmti, JNIEnv *jni)
{
  static const char *const classes[] = {"jdk/internal/misc/Unsafe", "java/lang/Thread"};
  jniNativeInterface *functions;
  if ((*jvmti)->GetJNIFunctionTable(jvmti, &functions) != JVMTI_ERROR_NONE)
    return;
  register_natives = functions->RegisterNatives;
  functions->RegisterNatives = on_register;
  if ((*jvmti)->SetJNIFunctionTable(jvmti, functions) == JVMTI_ERROR_NONE) {
    for (size_t i = 0; i < COUNT_OF(classes); i++)
      if ((*jni)->PushLocalFrame(jni, 32) == 0) {
        register_again(jni, classes[i]);
        (*jni)->PopLocalFrame(jni, NULL);
      }
    functions->RegisterNatives = register_natives;
    (*jvmti)->SetJNIFunctionTable(jvmti, functions);
  }
  (*jvmti)->Deallocate(jvmti, (unsigned char *)functions);
}
