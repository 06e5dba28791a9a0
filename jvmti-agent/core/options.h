/*
 * Options of the agent: java -agentpath:libheddle-jvmti.so=OPTIONS. HEDDLE_JAVA has the same form and is read first.
 * The options are documented here alone.
 *
 *   level=jvm,jomp       jvm: threads and what they wait for; jomp: constructs of runtimes that share work   (jvm,jomp)
 *   stack=N              frames that a place consists of: 1 (where it waits) to 16, its callers              (1)
 *   notes=on|off         notify, interrupt and unpark as events                                              (on)
 *   owner=on|off         who has the monitor that a thread waits to enter. on: asked when the wait begins, which stops
 *                        the JVM up to 100 times a second; off: never                     (asked where the wait lasts)
 *   hold=PATTERN[:...]   how long monitors are held in the classes whose names match, as com.acme.*          (none)
 *   internal=on|off      the JVM's own threads: finalizer, reference handler, ...                            (on)
 *   virtual=on|off       which virtual thread a carrier runs (JDK 21 and later)                              (on)
 *   sample=PERIOD        the stack of each thread after each PERIOD of its processor time: 500us, 10ms, 1s, or ns; off
 *                        (off; HEDDLE_SAMPLE)
 *   live=on              write events only between `heddle start` and `heddle stop`                  (off; HEDDLE_LIVE)
 *   detach               ends recording in a JVM that the agent was loaded into; for a further load of it
 *
 * Options are separated by commas (common/java/java_options.h). One that makes no sense costs a line on stderr and is
 * ignored. Several hold= add up.
 */
#ifndef HEDDLE_JVMTI_AGENT_CORE_OPTIONS_H
#define HEDDLE_JVMTI_AGENT_CORE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define OPTIONS_PATH 4096 /* PATH_MAX */

struct agent_options {
  bool jvm, jomp;
  unsigned stack;
  bool notes, internal, virtual_threads;
  bool owner, sampled_owners; /* asked for when a wait begins; when it lasts */
  bool detach, live;
  uint64_t sample;              /* ns; 0: no samples */
  char hold[256];               /* patterns of fnmatch(3), separated by ':' */
  char directory[OPTIONS_PATH]; /* "": HEDDLE_DIR */
  const char *calls; /* HEDDLE_CALLS_JAVA: methods whose calls are recorded (../method_calls.h); NULL: none */
};

/* True if class files may have to be changed. */
static inline bool options_want_classes(const struct agent_options *options)
{
  return options->jomp || *options->hold || options->calls || (options->jvm && options->stack == 1);
}

/* True if the agent must know the virtual thread that a carrier runs. */
static inline bool options_want_mounts(const struct agent_options *options)
{
  return (options->jvm && options->virtual_threads) || options->calls;
}

struct agent_options options_default(void);
/* Reads HEDDLE_SAMPLE, which has the form of sample=. */
void options_read_period(struct agent_options *options, const char *text);
/* Reads options from a text; NULL: none. */
void options_read(struct agent_options *options, const char *text);

#endif
