/*
 * Virtual threads that wait for something with an owner: a monitor, a lock of java.util.concurrent, or another thread's
 * end. The JVM lists no
 * virtual threads, so who wants to look at them later has to note them as they begin to wait. One that waits again
 * costs a few ns, as its reference is kept for a while. There is room for VIRTUAL_WAITS_MOST ids of threads in
 * sequence; of two with the same place the first one is watched, the other is not.
 */
#ifndef HEDDLE_JVMTI_AGENT_VIRTUAL_THREADS_H
#define HEDDLE_JVMTI_AGENT_VIRTUAL_THREADS_H

#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define VIRTUAL_WAITS_MOST (1u << 17)

#define VIRTUAL_JOINS (1ull << 63)

/* A virtual thread's wait. Its thread writes it when it begins to wait; then only who holds it may read it. */
struct virtual_wait {
  atomic_uint state;
  atomic_bool idle;    /* it did not wait in the look before */
  atomic_bool monitor; /* it waits for a monitor */
  jweak thread;
  atomic_uint_fast64_t id, begin; /* Thread.getId; ticks: no two waits of a thread have the same */
  atomic_uint_fast64_t object;    /* as object_of() has it; or VIRTUAL_JOINS | Thread.getId of whom it joins */
  /* The watch's own. */
  uint64_t looked_at; /* the `begin` of the wait that the rest is of */
  uint64_t due;       /* ticks: to be looked at again */
  uint32_t pause;     /* ms from then to the next time */
  uint32_t round;     /* of recordings */
  bool told;
};

/* From now on waits are noted. In the live phase, once. */
void virtual_waits_open(void);

/* The calling thread, virtual, begins to wait for the monitor of an object, for a lock, or for a thread's end. `id` is
 * its Thread.getId; object: as in struct virtual_wait. */
void virtual_wait_begins(JNIEnv *jni, jthread thread, uint64_t id, bool monitor, uint64_t object);
/* It does not wait any more for such a thing; also where it did not. */
void virtual_wait_ends(uint64_t id, bool monitor);

/* The rest is the watch's (core/watch.h), and of no other thread. */

/* Calls `look` for each wait that has lasted for so many ticks, held. False ends it. */
typedef bool virtual_wait_look(void *context, JNIEnv *jni, struct virtual_wait *wait);
void virtual_waits_each(JNIEnv *jni, uint64_t lasts, virtual_wait_look *look, void *context);
/* The wait of a thread that waits now; NULL: it waits for no such thing, or is not watched. It is not held. */
struct virtual_wait *virtual_wait_of(uint64_t id);
/* Whether a wait that began then goes on. */
bool virtual_wait_goes_on(const struct virtual_wait *wait, uint64_t begin);

/*
 * Which monitors virtual threads have that wait: as long as a thread waits, it has the same ones. The JVM does not say
 * which virtual thread has a monitor. Up to VIRTUAL_MONITORS_MOST are known. Called by the watch alone (core/watch.h).
 */

#define VIRTUAL_MONITORS_MOST 4096u

/* Asks the JVM for the monitors of a thread whose wait is held, and is the one of `looked_at`. Nothing where the JVM
 * refuses: after heddle attach. */
void virtual_monitors_add(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, const struct virtual_wait *wait);
/* Forgets those of waits that are over. */
void virtual_monitors_forget(JNIEnv *jni);
/* The thread that has a monitor: a local reference; NULL: it is none of these. number: as object_of() has it. */
jthread virtual_monitors_find(JNIEnv *jni, jobject monitor, uint64_t number);

/*
 * Virtual threads (JDK 21 and later): which one runs on a carrier, from when to when, and what it waits for when the
 * carrier lets go of it. They are too many for locations of their own.
 */

/* Asks for the events of mounting, where this JVM has them. */
void virtual_threads_open(jvmtiEnv *jvmti);

#endif
