/*
 * Virtual threads (JDK 21 and later): which one runs on a carrier, and what it waits for when the carrier lets go of
 * it. There are too many for a location each.
 *
 * The JVM does not list virtual threads. Therefore each one notes itself when it begins to wait for a monitor, for a
 * lock of java.util.concurrent or for another thread's end. A further wait of the same thread costs a few ns, because
 * its reference is kept for a while. Threads share VIRTUAL_WAITS_MOST slots by their ids; if two share a slot, only the
 * first is watched.
 */
#ifndef HEDDLE_JVMTI_AGENT_VIRTUAL_THREADS_H
#define HEDDLE_JVMTI_AGENT_VIRTUAL_THREADS_H

#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define VIRTUAL_WAITS_MOST (1u << 17)

#define VIRTUAL_JOINS (1ull << 63)

/* Asks for the events of mounting, if this JVM has them. */
void virtual_threads_open(jvmtiEnv *jvmti);

/* A virtual thread's wait. The thread writes it when it begins to wait; then only the holder may read it. */
struct virtual_wait {
  atomic_uint state;
  atomic_bool idle;    /* it did not wait in the look before */
  atomic_bool monitor; /* it waits for a monitor */
  jweak thread;
  atomic_uint_fast64_t id, begin; /* Thread.getId; ticks: no two waits of a thread have the same */
  atomic_uint_fast64_t object;    /* as object_of() returns it; or VIRTUAL_JOINS | Thread.getId of the joined thread */
  /* For the thread "Heddle" alone. */
  uint64_t looked_at; /* the `begin` of the wait that the following is about */
  uint64_t due;       /* ticks of the next look */
  uint32_t pause;     /* ms between that look and the one after */
  uint32_t round;     /* of recordings */
  bool reported;
};

/* Begins to note waits. In the live phase, once. */
void virtual_waits_open(void);

/* The calling virtual thread, with this Thread.getId, begins to wait. object: as in struct virtual_wait. */
void virtual_wait_begins(JNIEnv *jni, jthread thread, uint64_t id, bool monitor, uint64_t object);
/* The wait has ended; also for a thread that did not wait. */
void virtual_wait_ends(uint64_t id, bool monitor);

/* The following functions are for the thread "Heddle" alone. */

/* Calls `look` for each wait of at least `lasts` ticks, which is held during the call. Ends when `look` returns false.
 */
typedef bool virtual_wait_look(void *context, JNIEnv *jni, struct virtual_wait *wait);
void virtual_waits_each(JNIEnv *jni, uint64_t lasts, virtual_wait_look *look, void *context);
/* Returns the wait of a thread, which is not held; NULL: it does not wait, or is not watched. */
struct virtual_wait *virtual_wait_of(uint64_t id);

/*
 * Monitors that waiting virtual threads hold: they do not change while the thread waits. The JVM does not report the
 * virtual thread that holds a monitor. At most VIRTUAL_MONITORS_MOST are known.
 */
#define VIRTUAL_MONITORS_MOST 4096u

/* Asks the JVM for the monitors of the thread of `looked_at`, whose wait is held. Does nothing if the JVM refuses, as
 * after heddle attach. */
void virtual_monitors_add(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, const struct virtual_wait *wait);
/* Forgets the monitors of waits that have ended. */
void virtual_monitors_forget(JNIEnv *jni);
/* Returns the holder of a monitor as a local reference; NULL: unknown. number: as object_of() returns it. */
jthread virtual_monitors_find(JNIEnv *jni, jobject monitor, uint64_t number);

#endif
