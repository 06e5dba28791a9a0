/*
 * Replacement of methods in a class file, and its reversal. New constants follow the old ones. Everything else is
 * unchanged, except for an attribute of the class ("HeddleWoven") with the original methods, which the JVM ignores.
 *
 * A class that a JVM refuses must not become acceptable by new constants or more room for variables. Therefore such a
 * class is not woven.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_REWRITE_H
#define HEDDLE_JVMTI_AGENT_WEAVER_REWRITE_H

#include "jvmti-agent/weaver/class_file.h"
#include "jvmti-agent/weaver/class_output.h"
#include "jvmti-agent/weaver/relocate.h"

/* As class_file_read(). False also if a constant that the class names is missing, or if variables do not fit. */
bool class_read_sound(struct class_file *file, const uint8_t *bytes, size_t size);

struct rewriting {
  const struct class_file *file;
  struct constants constants;
  struct buffer methods;  /* all methods of the new class */
  struct buffer replaced; /* the originals of the changed ones, for the attribute */
  unsigned taken, changed;
};

void rewrite_begin(struct rewriting *rewriting, const struct class_file *file);

/* Add the class' next method, with changed code; unchanged. False: it cannot be changed, and is added unchanged. */
bool rewrite_change(struct rewriting *rewriting, const struct relocation *relocation);
void rewrite_keep(struct rewriting *rewriting);

/*
 * Returns the new class file and frees the rewriting; the caller frees the bytes. Bytes NULL: no method was changed, a
 * limit of class files is reached, or out of memory.
 */
struct buffer rewrite_end(struct rewriting *rewriting);

/* True if a class file was rewritten, maybe changed by another tool afterwards. Mostly fast if it was not. */
bool rewrite_is_done(const uint8_t *bytes, size_t size);

/*
 * Returns the original of a class file that was rewritten once or several times, to the byte; the caller frees the
 * bytes. Bytes NULL: it was not rewritten, or has changed since.
 */
struct buffer rewrite_undo(const uint8_t *bytes, size_t size);

#endif
