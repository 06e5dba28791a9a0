/* Search for JDKs of this machine: JAVA_HOME, `java` in PATH, and the directories of distributions. */
#ifndef HEDDLE_ANALYZER_RECORD_MACHINE_JAVA_H
#define HEDDLE_ANALYZER_RECORD_MACHINE_JAVA_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the versions that were found, a phrase. False: Heddle records none of them, or its agent is not installed. */
bool machine_java_find(char *found, size_t size);

#endif
