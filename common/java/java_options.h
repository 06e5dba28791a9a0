/*
 * The options of the Java agent as users write them (jvmti-agent/core/options.h has their meaning): words that commas
 * or blanks separate, as `level=jvm,jomp,stack=4`. The agent reads them, and `heddle record` refuses wrong ones before
 * the program starts. Needs only the C library; nothing is allocated.
 */
#ifndef HEDDLE_COMMON_JAVA_JAVA_OPTIONS_H
#define HEDDLE_COMMON_JAVA_JAVA_OPTIONS_H

#include "base/count_of.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define JAVA_OPTION_FRAMES   16u         /* the most of stack= */
#define JAVA_OPTION_SHORTEST 100000u     /* the least of sample=, in ns */
#define JAVA_OPTION_LONGEST  1000000000u /* likewise */
#define JAVA_OPTION_PATTERNS 255u        /* bytes that hold= takes in all */

enum java_option_type {
  JAVA_OPTION_SWITCH,
  JAVA_OPTION_LEVEL,
  JAVA_OPTION_NUMBER,
  JAVA_OPTION_PERIOD,
  JAVA_OPTION_PATTERN,
  JAVA_OPTION_PATH,
  JAVA_OPTION_NOTHING
};

/* X(constant, name, type, what it takes) */
#define JAVA_OPTIONS(X)                                                                                                \
  X(LEVEL, "level", LEVEL, "jvm, jomp, or both")                                                                       \
  X(STACK, "stack", NUMBER, "a number from 1 to 16")                                                                   \
  X(NOTES, "notes", SWITCH, "on or off")                                                                               \
  X(OWNER, "owner", SWITCH, "on or off")                                                                               \
  X(HOLD, "hold", PATTERN, "names of classes, as com.acme.*, of 255 bytes in all")                                     \
  X(INTERNAL, "internal", SWITCH, "on or off")                                                                         \
  X(SAMPLE, "sample", PERIOD, "a time from 100us to 1s, as 10ms, or off")                                              \
  X(VIRTUAL, "virtual", SWITCH, "on or off")                                                                           \
  X(LIVE, "live", SWITCH, "on or off")                                                                                 \
  X(DIR, "dir", PATH, "an absolute path")                                                                              \
  X(DETACH, "detach", NOTHING, "no value")

#define JAVA_OPTION_NAMES "level, stack, notes, owner, hold, internal, sample, virtual, live, dir and detach"

enum java_option {
#define X(constant, name, type, takes) JAVA_##constant,
  JAVA_OPTIONS(X)
#undef X
      JAVA_UNKNOWN
};

/* One word of the text. */
struct java_option_word {
  const char *text; /* it, not ended by 0 ... */
  size_t size;
  enum java_option option;
  bool good;         /* the value is one */
  bool continues;    /* level=jvm,jomp: a further level of the option before */
  const char *takes; /* what the option takes; NULL: unknown option */
  const char *value;
  size_t value_size;
  uint64_t number; /* NUMBER; SWITCH: 0 or 1; PERIOD: ns, 0: off */
};

static inline bool java_option_is(const char *text, size_t size, const char *word)
{
  return strlen(word) == size && memcmp(text, word, size) == 0;
}

static inline bool java_option_number(const char *value, size_t size, uint64_t *number)
{
  *number = 0;
  for (size_t i = 0; i < size; i++) {
    if (value[i] < '0' || value[i] > '9' || *number > JAVA_OPTION_FRAMES)
      return false;
    *number = *number * 10 + (uint64_t)(value[i] - '0');
  }
  return *number >= 1 && *number <= JAVA_OPTION_FRAMES;
}

/* At most 10 digits, one of them may follow a point. */
static inline bool java_option_period(const char *value, size_t size, uint64_t *ns)
{
  static const struct {
    const char *unit;
    uint64_t ns;
  } units[] = {{"", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
  uint64_t number = 0, per = 1;
  size_t i = 0;
  *ns = 0;
  if (java_option_is(value, size, "off"))
    return true;
  for (bool point = false; i < size && i < 11 && ((value[i] >= '0' && value[i] <= '9') || (value[i] == '.' && !point));
       i++) {
    if (value[i] == '.') {
      point = true;
    } else {
      number = number * 10 + (uint64_t)(value[i] - '0');
      per *= point ? 10 : 1;
    }
  }
  for (size_t k = 0; i > 0 && k < COUNT_OF(units); k++)
    if (java_option_is(value + i, size - i, units[k].unit) && number / per <= JAVA_OPTION_LONGEST / units[k].ns)
      *ns = number * units[k].ns / per;
  return *ns >= JAVA_OPTION_SHORTEST && *ns <= JAVA_OPTION_LONGEST;
}

static inline bool java_option_level(const char *value, size_t size)
{
  return java_option_is(value, size, "jvm") || java_option_is(value, size, "jomp");
}

static inline void java_option_read(struct java_option_word *word, enum java_option_type type, bool has_value)
{
  const char *value = word->value;
  size_t size = word->value_size;
  if (type == JAVA_OPTION_NOTHING)
    word->good = !has_value;
  else if (!has_value)
    word->good = false;
  else if (type == JAVA_OPTION_SWITCH)
    word->good = (word->number = java_option_is(value, size, "on")) || java_option_is(value, size, "off");
  else if (type == JAVA_OPTION_LEVEL)
    word->good = java_option_level(value, size);
  else if (type == JAVA_OPTION_NUMBER)
    word->good = java_option_number(value, size, &word->number);
  else if (type == JAVA_OPTION_PERIOD)
    word->good = java_option_period(value, size, &word->number);
  else if (type == JAVA_OPTION_PATTERN)
    word->good = size <= JAVA_OPTION_PATTERNS;
  else
    word->good = size > 0 && *value == '/';
}

/* The next word of a text, which goes on behind it; `word` holds the one before, at first zeros. False: no more words.
 */
static inline bool java_options_next(const char **text, struct java_option_word *word)
{
  static const struct {
    const char *name, *takes;
    enum java_option_type type;
  } all[] = {
#define X(constant, name, type, takes) {name, takes, JAVA_OPTION_##type},
      JAVA_OPTIONS(X)
#undef X
  };
  bool in_level = word->good && word->takes && word->option == JAVA_LEVEL;
  if (!*text || !*(*text += strspn(*text, ", ")))
    return false;
  const char *begin = *text;
  size_t size = strcspn(begin, strncmp(begin, "dir=", 4) == 0 ? "," : ", "); /* names may have spaces */
  const char *equals = memchr(begin, '=', size);
  size_t name = equals ? (size_t)(equals - begin) : size;
  *word = (struct java_option_word){.text = begin, .size = size, .option = JAVA_UNKNOWN};
  word->value = equals ? equals + 1 : begin + size;
  word->value_size = size - name - (equals ? 1 : 0);
  for (size_t i = 0; i < JAVA_UNKNOWN; i++)
    if (java_option_is(begin, name, all[i].name)) {
      word->option = (enum java_option)i;
      word->takes = all[i].takes;
      java_option_read(word, all[i].type, equals);
    }
  if (word->option == JAVA_UNKNOWN && in_level && java_option_level(begin, size))
    *word = (struct java_option_word){.text = begin,
                                      .size = size,
                                      .option = JAVA_LEVEL,
                                      .good = true,
                                      .continues = true,
                                      .takes = all[JAVA_LEVEL].takes,
                                      .value = begin,
                                      .value_size = size};
  *text += size;
  return true;
}

#endif
