/*
 * HotSpot's attach protocol over a socket that is connected: a request to load an agent, and the answer. Who answers
 * need not be a JVM: whatever comes, and however slowly, this ends in time, and says in one line what was wrong.
 */
#ifndef HEDDLE_ANALYZER_RECORD_JVM_TALK_H
#define HEDDLE_ANALYZER_RECORD_JVM_TALK_H

#include <stdbool.h>
#include <sys/types.h>
#include <sys/un.h>

#define JVM_ATTACH_MESSAGE 512

/* Writes a message. Returns false. */
__attribute__((format(printf, 2, 3))) bool jvm_talk_fail(char message[JVM_ATTACH_MESSAGE], const char *format, ...);

/* Seconds on a clock that does not jump. */
double jvm_talk_clock(void);

/* Connects; until: of jvm_talk_clock(). Returns a descriptor that does not block, or -1 with errno set. */
int jvm_talk_connect(const struct sockaddr_un *address, double until);

/*
 * Asks the JVM `pid` to load an agent, or to call it again if it is loaded, and reads its answer. False: `message` says
 * why.
 */
bool jvm_talk_load(int fd, pid_t pid, const char *agent, const char *options, double until,
                   char message[JVM_ATTACH_MESSAGE]);

#endif
