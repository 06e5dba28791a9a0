/*
 * A program's own regions, phases, events with numbers, and names of threads; and when to measure. The OTF2 archive has
 * them beside everything else that Heddle records. heddle-user-events(3) has examples.
 *
 * Link the program with libheddle-user.a, a few hundred bytes that depend on libc alone. If Heddle does not record the
 * program, every call is one branch. Any thread may call anything at any time, also in parallel regions; a signal
 * handler may after its thread has called something. No call fails: events that can't be recorded are lost. Errno is
 * kept.
 *
 * Names are the caller's, and copied at their first use: any bytes except zero, best UTF-8. The first 1,024 bytes of a
 * name count. A program may have 65,534 names; further ones appear as "(further names)".
 */
#ifndef HEDDLE_H
#define HEDDLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The version that a program is built with, as 10000 * major + 100 * minor + patch. */
#define HEDDLE_VERSION_NUMBER 100

#ifdef __cplusplus
extern "C" {
#endif

enum heddle_type { HEDDLE_INTEGER = 1, HEDDLE_REAL = 2 };

/* An attribute of an event: a name and a number. */
struct heddle_attribute {
  const char *name;
  size_t length; /* of the name */
  union {
    int64_t integer;
    double real;
  } value;
  enum heddle_type type;
};

/*
 * What the recording library offers; programs call what is below instead. Names have a length and need no zero. The
 * struct only ever grows, at its end.
 */
struct heddle_user_calls {
  void (*enter)(const char *name, size_t length);
  void (*leave)(const char *name, size_t length);
  void (*phase)(const char *name, size_t length);
  void (*event)(const char *name, size_t length, size_t count, const struct heddle_attribute *attributes);
  void (*name_thread)(const char *name, size_t length);
  void (*measure)(int on);
};

/* NULL where nothing records. libheddle-user.a has it, and sets it before main; it does not change after that. */
extern const struct heddle_user_calls *heddle_user __attribute__((visibility("hidden")));

static inline size_t heddle_length(const char *name)
{
  return name ? strlen(name) : 0;
}

/* True if the program is recorded. Use it to avoid computations that only serve the recording. */
static inline int heddle_listens(void)
{
  return heddle_user != NULL;
}

/*
 * A region of the program, from enter to leave, by one thread. Regions nest, in each other and in OpenMP's constructs.
 * Leaving a region leaves those inside it; leaving one that was not entered on this thread, inside the innermost
 * construct, does nothing. Both are counted, and `heddle info` shows it.
 */
static inline void heddle_enter(const char *name)
{
  if (heddle_user)
    heddle_user->enter(name, heddle_length(name));
}

static inline void heddle_leave(const char *name)
{
  if (heddle_user)
    heddle_user->leave(name, heddle_length(name));
}

/*
 * A phase of the calling thread begins. It lasts until the next one begins, or until the region or construct ends in
 * which it began. NULL or "": none begins.
 */
static inline void heddle_phase(const char *name)
{
  if (heddle_user)
    heddle_user->phase(name, heddle_length(name));
}

/* Names the calling thread; the last name counts. */
static inline void heddle_name_thread(const char *name)
{
  if (heddle_user)
    heddle_user->name_thread(name, heddle_length(name));
}

/* Switches measurement on and off, for all threads, as omp_control_tool(omp_control_tool_start or _pause) does. */
static inline void heddle_start(void)
{
  if (heddle_user)
    heddle_user->measure(1);
}

static inline void heddle_pause(void)
{
  if (heddle_user)
    heddle_user->measure(0);
}

/*
 * An event of no duration, with up to 255 attributes whose names differ:
 *
 *     heddle_event("residual", heddle_integer("step", i), heddle_real("norm", r));
 *
 * In C attributes are computed only where somebody listens.
 */
static inline struct heddle_attribute heddle_integer(const char *name, int64_t value)
{
  struct heddle_attribute attribute;
  attribute.name = name;
  attribute.length = heddle_length(name);
  attribute.value.integer = value;
  attribute.type = HEDDLE_INTEGER;
  return attribute;
}

static inline struct heddle_attribute heddle_real(const char *name, double value)
{
  struct heddle_attribute attribute;
  attribute.name = name;
  attribute.length = heddle_length(name);
  attribute.value.real = value;
  attribute.type = HEDDLE_REAL;
  return attribute;
}

/* The same with the attributes in an array. */
static inline void heddle_event_n(const char *name, size_t count, const struct heddle_attribute *attributes)
{
  if (heddle_user)
    heddle_user->event(name, heddle_length(name), count, attributes);
}

/*
 * For generated code (heddle-spec(1)): an integer of any type. A real number or a pointer in its place does not
 * compile.
 */
#ifndef __cplusplus
typedef int64_t heddle_whole;
#define HEDDLE_WHOLE(value)                                                                                            \
  ((int64_t)_Generic(+(value),                                                                                         \
       int: (value),                                                                                                   \
       unsigned: (value),                                                                                              \
       long: (value),                                                                                                  \
       unsigned long: (value),                                                                                         \
       long long: (value),                                                                                             \
       unsigned long long: (value)))
#endif

#ifdef __cplusplus
}

struct heddle_whole {
  heddle_whole(int value) : number(value)
  {
  }
  heddle_whole(unsigned value) : number(value)
  {
  }
  heddle_whole(long value) : number(value)
  {
  }
  heddle_whole(unsigned long value) : number(static_cast<int64_t>(value))
  {
  }
  heddle_whole(long long value) : number(value)
  {
  }
  heddle_whole(unsigned long long value) : number(static_cast<int64_t>(value))
  {
  }
  heddle_whole(float) = delete;
  heddle_whole(double) = delete;
  heddle_whole(long double) = delete;
  operator int64_t() const
  {
    return number;
  }

private:
  int64_t number;
};

template <typename... Attributes> inline void heddle_event(const char *name, Attributes... attributes)
{
  const heddle_attribute list[] = {attributes..., heddle_attribute()};
  heddle_event_n(name, sizeof...(attributes), list);
}
#else
/* The list ends with an attribute that is not one, so that it may be empty. */
#define heddle_event(...) HEDDLE_EVENT_(__VA_ARGS__, {0})
#define HEDDLE_EVENT_(name, ...)                                                                                       \
  (heddle_user ? heddle_event_n(                                                                                       \
                     (name), sizeof((struct heddle_attribute[]){__VA_ARGS__}) / sizeof(struct heddle_attribute) - 1,   \
                     (struct heddle_attribute[]){__VA_ARGS__})                                                         \
               : (void)0)
#endif

#endif
