/*
 * Plug-ins for `heddle transform --plugin FILE[,ARGUMENTS]`: transforms of program execution sequences that users make.
 *
 * A plug-in is a shared library that defines `heddle_transform`, below. It gets the records of a sequence in batches
 * and returns the records of another sequence. A record says which program state begins when, in ticks. A state is a
 * number, and a vector of values, one a component. An aggregate is a state that stands for sequences of others. The end
 * of a sequence says when its last state ended, and which state began then (the terminal one).
 *
 * Heddle checks the result, and stops with a message if it is no sequence. Entries must not descend, states must be
 * known, and the end must not be before the last entry. A sequence is read several times, so a plug-in must answer the
 * same whenever it is asked the same. All calls come from one thread. A plug-in must not keep pointers that it is
 * given, but to the host.
 */
#ifndef HEDDLE_TRANSFORM_H
#define HEDDLE_TRANSFORM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_TRANSFORM_VERSION 1
#define HEDDLE_TRANSFORM_NONE    UINT32_MAX /* no state */

struct heddle_transform_record {
  uint64_t entry;
  uint32_t state;
};

struct heddle_transform_end {
  uint64_t time;
  uint32_t terminal; /* NONE: unknown */
};

/* What Heddle does for a plug-in. Texts are UTF-8 or what the file has, and valid until the next call. */
struct heddle_transform_host {
  unsigned version;
  unsigned component_count;
  uint64_t ticks_per_second; /* 0: unknown */
  void *internal;

  /* The components and their values. A value is a number from 0 on. NULL: there is none of that number. */
  const char *(*component_name)(const struct heddle_transform_host *host, unsigned component);
  const char *(*value_name)(const struct heddle_transform_host *host, unsigned component, uint32_t value);

  /* The states. All that the sequence has are there when a plug-in is opened. */
  uint32_t (*state_count)(const struct heddle_transform_host *host);
  const char *(*state_name)(const struct heddle_transform_host *host, uint32_t state);
  const uint32_t *(*state_vector)(const struct heddle_transform_host *host, uint32_t state); /* NULL: an aggregate */
  uint32_t (*find_state)(const struct heddle_transform_host *host, const char *name);        /* NONE: not one */

  /* The state with that vector, new or not. NONE: a value is out of range, or there is no memory. */
  uint32_t (*state_of)(const struct heddle_transform_host *host, const uint32_t *vector);

  /* A new aggregate; the same when it is asked for again. NONE: the name is taken, or there is no memory. */
  uint32_t (*add_aggregate)(const struct heddle_transform_host *host, const char *name);

  /*
   * The aggregate stood once more for that sequence of states, which were there before it. 0: done.
   * Heddle counts the first time that the sequence is read, so a plug-in calls this every time.
   */
  int (*count_run)(const struct heddle_transform_host *host, uint32_t aggregate, const uint32_t *states,
                   uint32_t length);

  /* Why open() or work() fails, a line for the user. */
  void (*fail)(const struct heddle_transform_host *host, const char *message);
};

/* Records go in and come out. */
struct heddle_transform_batch {
  const struct heddle_transform_record *in;
  size_t in_count;
  struct heddle_transform_record *out;
  size_t out_size;                  /* room */
  size_t taken, made;               /* the plug-in says how many it took and how many it made */
  struct heddle_transform_end *end; /* NULL: more records come. Else there is nothing in `in`; it may change the end. */
};

struct heddle_transform {
  unsigned version; /* HEDDLE_TRANSFORM_VERSION */

  /* `arguments` is what stands behind the comma, or "". NULL: it failed. What it returns goes to all other calls. */
  void *(*open)(const struct heddle_transform_host *host, const char *arguments);

  /*
   * Takes records and makes others. It is called again with the records that it did not take. If it made as many as
   * there is room for, it is called again, also at the end, until it makes fewer. 0: done; else it failed.
   */
  int (*work)(void *self, struct heddle_transform_batch *batch);

  /* The sequence begins again. 0: done; else it failed. */
  int (*rewind)(void *self);

  void (*close)(void *self);
};

#if defined __GNUC__
__attribute__((visibility("default")))
#endif
extern const struct heddle_transform heddle_transform; /* what a plug-in defines */

#ifdef __cplusplus
}
#endif
#endif
