/*
 * A look at a program before it is started: what the kernel and the dynamic loader will load, and which OpenMP
 * runtimes are among that. It reads files and runs nothing. What a program opens later (dlopen), and the programs that
 * it starts, cannot be seen this way: so a look is good for messages, never a reason not to start a program.
 */
#ifndef HEDDLE_ANALYZER_LAUNCH_LOOK_H
#define HEDDLE_ANALYZER_LAUNCH_LOOK_H

#include "analyzer/launch/elf_image.h"

#include <stdbool.h>
#include <stddef.h>

enum look_runtime {
  RUNTIME_NONE,
  RUNTIME_LIBOMP, /* LLVM's, or one made from it: has OMPT itself */
  RUNTIME_LIBGOMP /* GCC's: gets OMPT from libheddle-gomp.so */
};

struct look_library {
  char *name;        /* as the file that needs it names it */
  char *path;        /* where it is; NULL: not found */
  const char *asker; /* the path of the file that needs it first, or "LD_PRELOAD" */
  enum look_runtime runtime;
};

struct look {
  char *path;       /* the program's file; NULL: there is none that may be executed */
  bool script;      /* it is run by an interpreter, and the rest is about that one */
  char *executable; /* what the kernel loads, symbolic links followed; NULL: it can't be told, and the rest is empty */
  enum elf_kind kind;
  bool is_static;    /* no dynamic loader: nothing can be loaded into it */
  bool other_loader; /* a dynamic loader that is not glibc's */
  bool secure;     /* set-user-ID, set-group-ID or capabilities that the caller has not: the loader heeds no settings */
  bool jvm;        /* it is or has the JDK's launcher or the JVM itself */
  bool incomplete; /* a file is damaged or missing, or there are too many: there may be more than is listed */
  enum look_runtime inside;       /* a runtime that is linked into the executable itself */
  bool inside_by_text;            /* it has no symbols; a text in it is libgomp's */
  struct look_library *libraries; /* in the order of loading */
  size_t count;
};

/* What is found as execvp() and ld.so(8) would find it now, with this process's environment. NULL: no memory. */
struct look *look_at(const char *program);
void look_free(struct look *look);

/* The first library that is or has such a runtime, or NULL. */
const struct look_library *look_find(const struct look *look, enum look_runtime runtime);

#endif
