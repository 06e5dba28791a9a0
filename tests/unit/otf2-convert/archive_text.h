/*
 * The events of one location of an archive as text, for tests: one line an event, `time name region {attribute=value
 * ...}`.
 */
#ifndef HEDDLE_TESTS_ARCHIVE_TEXT_H
#define HEDDLE_TESTS_ARCHIVE_TEXT_H

#include <stdint.h>

/* To be freed; NULL when the archive cannot be read. */
char *archive_text(const char *anchor, uint64_t location);

/* A property of the archive; to be freed. */
char *archive_property(const char *anchor, const char *name);

#endif
