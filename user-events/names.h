/*
 * Numbers for the program's names. A name is in the process file (raw_trace.h) before its number is in a
 * record, and is looked up by its bytes: the caller may reuse its memory.
 *
 * names_find takes no lock and allocates nothing. Memory is bounded: further names share one number.
 */
#ifndef HEDDLE_USER_EVENTS_NAMES_H
#define HEDDLE_USER_EVENTS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAMES_MAX      65535u     /* the last one is that of all further ones */
#define NAME_BYTES_MAX 1024u      /* of one name; the rest is cut off */
#define NAMES_BYTES    (4u << 20) /* of all names */

/* The number of a name that this process has described; 0: names_add must be asked. Any thread. */
uint32_t names_find(const char *text, size_t length);
/* Whether a number that names_find or names_add gave is that name's. */
bool names_is(uint32_t number, const char *text, size_t length);

/*
 * The same for any name, which is described now. 0: it can't be, or a signal handler interrupted
 * the calling thread in this function. The session is open. Any thread; errno is kept.
 */
uint32_t names_add(const char *text, size_t length);

/* How much of a text counts: at most NAME_BYTES_MAX bytes, cut between two characters. */
size_t names_cut(const char *text, size_t length);

#endif
