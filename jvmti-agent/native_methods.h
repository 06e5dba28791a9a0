/* Native methods of the JDK that the agent replaces when the JVM binds them (natives.h). */
#ifndef HEDDLE_JVMTI_AGENT_NATIVE_METHODS_H
#define HEDDLE_JVMTI_AGENT_NATIVE_METHODS_H

#include <stddef.h>

struct native {
  const char *class_signature, *name, *signature;
  const char *symbol; /* of libjvm: for methods that are bound before names can be read; or NULL */
  void *ours;
  void *jvms; /* the JVM's own function is stored there */
};

/* Methods of input and output (io.c). */
extern const struct native io_natives[];
extern const size_t io_native_count;

#endif
