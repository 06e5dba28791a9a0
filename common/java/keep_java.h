/* Java places of HEDDLE_KEEP (keep.h), by their text. */
#ifndef HEDDLE_COMMON_JAVA_KEEP_JAVA_H
#define HEDDLE_COMMON_JAVA_KEEP_JAVA_H

#include <stdbool.h>

/* A place of Java (raw_trace.h, `place:`). */
struct keep_java {
  const char *class_name; /* as java.util.HashMap */
  const char *method;
  const char *file; /* as HashMap.java; NULL or "-": unknown */
  unsigned line;    /* 0: unknown */
};

/* True if a text is a file, or lines of a file, that compilers for the JVM read: Solver.java, Solver.kt:40-60. */
bool keep_java_source(const char *text);

/*
 * True if a text names the place: Solver.java, com/acme/Solver.java:42, src/com/acme/Solver.java:40-60, Solver.step,
 * com.acme.Solver.step. Directories must be the class' packages, as far as both are given.
 */
bool keep_java_is(const struct keep_java *place, const char *text);

#endif
