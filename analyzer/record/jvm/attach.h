/*
 * Talks to a running HotSpot JVM by its attach mechanism, as jcmd does: a socket that the JVM opens on request. An
 * agent can be loaded over it.
 */
#ifndef HEDDLE_ANALYZER_RECORD_JVM_ATTACH_H
#define HEDDLE_ANALYZER_RECORD_JVM_ATTACH_H

#include "analyzer/record/jvm/talk.h"

/*
 * Returns true if the process is a JVM that accepts agents, and finds this agent under its name here. In a container it
 * may have other files. False: `message` says why not.
 */
bool jvm_attach_can(pid_t pid, const char *agent, char message[JVM_ATTACH_MESSAGE]);

/* The same of the trace's directory. */
bool jvm_attach_sees(pid_t pid, const char *directory, char message[JVM_ATTACH_MESSAGE]);

/*
 * Loads an agent into the JVM, or calls it again if it is loaded. Waits for its answer, at most a minute; the caller
 * must be the JVM's user, or root. False: `message` says why in one line.
 */
bool jvm_attach_load(pid_t pid, const char *agent, const char *options, char message[JVM_ATTACH_MESSAGE]);

/* The owner of a process. False: unknown. */
bool jvm_attach_user(pid_t pid, uid_t *user, gid_t *group);

/*
 * The directory of the trace that a process is recording into, from the windows that it has mapped; to be freed.
 * NULL: it records none.
 */
char *jvm_attach_trace(pid_t pid);

#endif
