/* A native method of the JDK that is ours once the JVM binds it (natives.h). */
#ifndef HEDDLE_JVMTI_AGENT_NATIVE_METHODS_H
#define HEDDLE_JVMTI_AGENT_NATIVE_METHODS_H

#include <stddef.h>

struct native {
  const char *class_signature, *name, *signature;
  const char *symbol; /* of libjvm: for methods that are bound before names can be read; or NULL */
  void *ours;
  void *jvms; /* where the JVM's own goes */
};

/* Those of input and output (io.h). */
extern const struct native io_natives[];
extern const size_t io_native_count;

#endif
