/* Writes samples.otf2 or calls.otf2 beside an archive of fixture.h, event by event. Any failure ends the test. */
#ifndef HEDDLE_TESTS_ANALYZER_SAMPLES_ARCHIVE_H
#define HEDDLE_TESTS_ANALYZER_SAMPLES_ARCHIVE_H

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

#define TAKEN_TOP OTF2_UNDEFINED_CALLING_CONTEXT /* the parent of what nothing called */

struct taken;

/* In the directory of an archive, which has the property HEDDLE::SAMPLES. */
struct taken *taken_create(const char *directory);

/* Definitions; they return references. Lines of functions are in /src/NAME.c, of std:: in
 * /usr/include. */
uint32_t taken_trigger(struct taken *taken, const char *name, bool timed, uint64_t period);
uint32_t taken_function(struct taken *taken, const char *name);
uint32_t taken_context(struct taken *taken, uint32_t parent, uint32_t function, uint32_t line);
/* Gives the context a property; the name is static. */
void taken_property(struct taken *taken, uint32_t context, const char *name);
/* The same without checks of the references. */
uint32_t taken_any_context(struct taken *taken, uint32_t parent, uint32_t function);

/* So many samples at a time. */
void taken_take(struct taken *taken, uint32_t location, uint64_t time, uint32_t context, uint32_t trigger,
                uint32_t count);

/* calls.otf2 in its place, where the property is HEDDLE::CALLS; and the sums of a context on a location. */
struct taken *taken_create_calls(const char *directory);
struct taken_sums {
  uint64_t calls, inclusive, self, blocked, shortest, longest, running;
};
void taken_add(struct taken *taken, uint32_t location, uint32_t context, struct taken_sums sums);

/* Finishes the archive and frees `taken`. */
void taken_finish(struct taken *taken);

#endif
