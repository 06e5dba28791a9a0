/*
 * The program's names for its own regions and events: the lines `name:` of a process file (format:
 * common/raw/raw_trace.h). Lines with an invalid or repeated id are left out.
 */
#ifndef HEDDLE_OTF2_CONVERT_PLAN_USER_NAMES_H
#define HEDDLE_OTF2_CONVERT_PLAN_USER_NAMES_H

#include "base/vector.h"

#include <stdint.h>

#define USER_NAMES_MAX 65536u /* further ones are unknown */

struct user_names {
  VECTOR(char *) items; /* by id - 1; NULL: there is none with that id */
};

/* Takes the text after the line's key, and changes it. False: out of memory. */
bool user_names_add(struct user_names *names, char *value);
void user_names_free(struct user_names *names);

/* NULL: there is none with that id. */
const char *user_name(const struct user_names *names, uint64_t id);

/* Whether it is the name of an event by which generated code says what it was generated from (NAME_BUILT). */
bool user_name_is_built(const struct user_names *names, uint64_t id);

#endif
