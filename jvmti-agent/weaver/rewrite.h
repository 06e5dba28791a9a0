/*
 * What a JVM refuses, and would no longer refuse once the class is woven: then there are further constants, and more
 * room for variables.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_REWRITE_H
#define HEDDLE_JVMTI_AGENT_WEAVER_REWRITE_H

#include "jvmti-agent/weaver/class_file.h"
#include "jvmti-agent/weaver/class_output.h"
#include "jvmti-agent/weaver/relocate.h"

/* Whether all constants that the class, its members and its instructions name are there, and the variables fit. */
bool class_is_sound(const struct class_file *file);

/* class_file_read() of a class to be woven. False: also if it is not sound. */
bool class_read_sound(struct class_file *file, const uint8_t *bytes, size_t size);

/*
 * Replaces methods of a class file, and undoes it. New constants come after the old ones; all else is unchanged, except
 * for an attribute of the class ("HeddleWoven"), which holds the original methods. The JVM ignores it.
 */

struct rewriting {
  const struct class_file *file;
  struct constants constants;
  struct buffer methods;  /* of the new class, all of them */
  struct buffer replaced; /* the originals of the changed ones, for the attribute */
  unsigned taken, changed;
};

void rewrite_begin(struct rewriting *rewriting, const struct class_file *file);

/* The class' methods, one after the other: with other code, or as it is. False: it can't be changed, and is kept. */
bool rewrite_change(struct rewriting *rewriting, const struct relocation *relocation);
void rewrite_keep(struct rewriting *rewriting);

/*
 * The new class file; the caller frees its bytes. Bytes NULL: no method was changed, or there is no room or no memory.
 * Frees what the rewriting has.
 */
struct buffer rewrite_end(struct rewriting *rewriting);

/* Whether a class file is the work of rewrite_end, or what another tool made of that. Quick where it is not, mostly. */
bool rewrite_is_done(const uint8_t *bytes, size_t size);

/*
 * The class file that was rewritten, once or several times, to the byte; the caller frees its bytes. Bytes NULL: it
 * was not, or it is not as it was left.
 */
struct buffer rewrite_undo(const uint8_t *bytes, size_t size);

#endif
