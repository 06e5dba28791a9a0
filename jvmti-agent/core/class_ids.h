/* Ids of classes by name (objects.h), also for names that are no Java class. Needs no JVM. */
#ifndef HEDDLE_JVMTI_AGENT_CORE_CLASS_IDS_H
#define HEDDLE_JVMTI_AGENT_CORE_CLASS_IDS_H

#include <stdint.h>

/* Returns the id of a name (UTF-8), whose `class:` line is in the process file; 0: no room. Any thread; locks. */
uint32_t class_id_of_name(const char *name);

#endif
