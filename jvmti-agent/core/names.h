/* Names of the JVM in the form of the trace, converted in place. A name gets longer only by []. */
#ifndef HEDDLE_JVMTI_AGENT_CORE_NAMES_H
#define HEDDLE_JVMTI_AGENT_CORE_NAMES_H

#include <stddef.h>

/* The JVM's modified UTF-8 (zero as two bytes, pairs of surrogates) to UTF-8; what is none becomes '?'. */
void name_to_utf8(char *name);

/* A class' signature, Ljava/util/Map$Entry; or [[I, as java.util.Map$Entry or int[][], cut to fit; in UTF-8. */
void name_of_signature(const char *signature, char *name, size_t size);

#endif
