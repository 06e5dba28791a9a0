/*
 * An agent that says which code the methods of a class have just now, without having the JVM transform it.
 * -agentpath:libbytes.so=PIPE: for each line of PIPE, a class' name with '/', it writes a line to PIPE.answers. The
 * line has bytes of code, and a sum of these, names and descriptors.
 */
#include <jvmti.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED 0xcbf29ce484222325u

static JavaVM *vm;
static jvmtiEnv *jvmti;
static char questions[4096], answers[4096 + 8];

static uint64_t hash_on(uint64_t hash, const void *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
  return hash;
}

/* Methods may come in another order after a redefinition: their hashes are added. */
static void add_method(jmethodID method, long *bytes, uint64_t *sum)
{
  char *name, *descriptor;
  jint size;
  unsigned char *code;
  if ((*jvmti)->GetMethodName(jvmti, method, &name, &descriptor, NULL) != JVMTI_ERROR_NONE)
    return;
  uint64_t hash = hash_on(hash_on(SEED, name, strlen(name)), descriptor, strlen(descriptor));
  if ((*jvmti)->GetBytecodes(jvmti, method, &size, &code) == JVMTI_ERROR_NONE) {
    *bytes += size;
    hash = hash_on(hash, code, (size_t)size);
    (*jvmti)->Deallocate(jvmti, code);
  }
  *sum += hash;
  (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
  (*jvmti)->Deallocate(jvmti, (unsigned char *)descriptor);
}

static void answer(FILE *to, jclass class)
{
  jint count = 0;
  jmethodID *methods;
  long bytes = 0;
  uint64_t sum = 0;
  if (class && (*jvmti)->GetClassMethods(jvmti, class, &count, &methods) == JVMTI_ERROR_NONE) {
    for (jint i = 0; i < count; i++)
      add_method(methods[i], &bytes, &sum);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)methods);
  }
  fprintf(to, "%ld %016llx\n", bytes, (unsigned long long)sum);
  fflush(to);
}

/* The first class of the name, a local reference; NULL: none is loaded. */
static jclass find(const char *name)
{
  jint count;
  jclass *classes, found = NULL;
  if ((*jvmti)->GetLoadedClasses(jvmti, &count, &classes) != JVMTI_ERROR_NONE)
    return NULL;
  for (jint i = 0; i < count; i++) {
    char *signature;
    if (!found && (*jvmti)->GetClassSignature(jvmti, classes[i], &signature, NULL) == JVMTI_ERROR_NONE) {
      if (strlen(signature) == strlen(name) + 2 && strncmp(signature + 1, name, strlen(name)) == 0)
        found = classes[i];
      (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    }
  }
  (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
  return found;
}

static void *serve(void *argument)
{
  JNIEnv *jni;
  char name[4096];
  if ((*vm)->AttachCurrentThreadAsDaemon(vm, (void **)&jni, NULL) != JNI_OK)
    return argument;
  FILE *from = fopen(questions, "r"), *to = fopen(answers, "w");
  while (from && to && fgets(name, sizeof name, from)) {
    name[strcspn(name, "\n")] = '\0';
    if ((*jni)->PushLocalFrame(jni, 60000) != JNI_OK)
      break;
    answer(to, find(name));
    (*jni)->PopLocalFrame(jni, NULL);
  }
  return argument;
}

static void JNICALL on_vm_init(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
  pthread_t server;
  (void)env, (void)jni, (void)thread;
  pthread_create(&server, NULL, serve, NULL);
  pthread_detach(server);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *given, char *options, void *reserved)
{
  jvmtiCapabilities wanted;
  jvmtiEventCallbacks callbacks = {.VMInit = on_vm_init};
  (void)reserved;
  vm = given;
  snprintf(questions, sizeof questions, "%s", options ? options : "");
  snprintf(answers, sizeof answers, "%s.answers", questions);
  memset(&wanted, 0, sizeof wanted);
  wanted.can_get_bytecodes = 1;
  if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) != JNI_OK ||
      (*jvmti)->AddCapabilities(jvmti, &wanted) != JVMTI_ERROR_NONE)
    return JNI_ERR;
  (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks);
  (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
  return JNI_OK;
}
