/* Conversion of the JVM's names to the trace's names, in place. */
#ifndef HEDDLE_JVMTI_AGENT_CORE_NAMES_H
#define HEDDLE_JVMTI_AGENT_CORE_NAMES_H

#include <stddef.h>

/* Converts the JVM's modified UTF-8 (zero as two bytes, surrogate pairs) to UTF-8; damaged bytes become '?'. */
void name_to_utf8(char *name);

/* Converts a signature, as Ljava/util/Map$Entry; or [[I, to java.util.Map$Entry or int[][], in UTF-8, cut to fit. */
void name_of_signature(const char *signature, char *name, size_t size);

#endif
