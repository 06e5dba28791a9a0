/* Archives that tests write with the OTF2 library. */
#ifndef HEDDLE_TESTS_WRITING_H
#define HEDDLE_TESTS_WRITING_H

#include <otf2/otf2.h>

#define WRITING_CHUNK (256 * 1024) /* the least that OTF2 allows: readers clear as much for each location */

/* Ends the program if what was done is not good. */
void writing_check(int good, const char *what);
#define CHECK(call) writing_check((call) == OTF2_SUCCESS, #call)

/* Begins an archive NAME.otf2 in a directory. last: the time of its newest event, whenever it is asked for. */
OTF2_Archive *writing_begin(const char *directory, const char *name, uint64_t *last);

#endif
