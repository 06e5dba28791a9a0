/*
 * The events of one location of an archive as text, for tests: one line an event, `time name region {attribute=value
 * ...}`. A sample is `time sample outermost:line > ... > innermost:line (unwind distance)`.
 */
#ifndef HEDDLE_TESTS_ARCHIVE_TEXT_H
#define HEDDLE_TESTS_ARCHIVE_TEXT_H

#include <stdint.h>

/* To be freed; NULL when the archive cannot be read. */
char *archive_text(const char *anchor, uint64_t location);

/*
 * The definitions of one kind, in the order they are in, one line each:
 *
 *     clock <ticks a second> <global offset> <length> <realtime>
 *     node <ref> <class> <name> in <parent or ->
 *     group <ref> <name> on <node> of <creating group or ->
 *     location <ref> <name> in <group>
 *     region <name>; <canonical name>; <description>; <file>:<line>[ Java]
 *     group-property <group> <name>=<text>
 *     location-property <location> <name>=<text or number>
 * To be freed; NULL when the archive cannot be read.
 */
char *archive_definitions_text(const char *anchor, const char *kind);

/* A property of the archive, and the name of the machine in its anchor file; to be freed. */
char *archive_property(const char *anchor, const char *name);
char *archive_machine_name(const char *anchor);

#endif
