/* A file of an archive that tests damage, and what was in it before. Any failure ends the test. */
#ifndef HEDDLE_TESTS_ANALYZER_VICTIM_H
#define HEDDLE_TESTS_ANALYZER_VICTIM_H

#include <stddef.h>

/* ThreadSanitizer makes a thread cost a lot, and looks for other things than what a byte does. */
#if defined __has_feature
#if __has_feature(thread_sanitizer)
#define VICTIM_SPARSE 17
#endif
#endif
#ifndef VICTIM_SPARSE
#define VICTIM_SPARSE 1
#endif

struct victim {
  char path[256];
  unsigned char *bytes;
  size_t size;
};

/* The file of that name in the directory. */
struct victim victim_take(const char *directory, const char *name);
/* The file has so many of these bytes from here on. */
void victim_write(const struct victim *victim, const unsigned char *bytes, size_t size);
/* The file is whole again. */
void victim_heal(struct victim *victim);

#endif
