/* Ids of classes by name (objects.h), also of what is no class of Java's. Needs no JVM. */
#ifndef HEDDLE_JVMTI_AGENT_CORE_CLASS_IDS_H
#define HEDDLE_JVMTI_AGENT_CORE_CLASS_IDS_H

#include <stdint.h>

/* name: UTF-8. Its `class:` line is in the process file. 0: there is no room. Any thread; takes a lock. */
uint32_t class_id_of_name(const char *name);

#endif
