/*
 * Program file and libraries: the files that the kernel and the dynamic loader will load for a program, and the OpenMP
 * runtimes among them. Files are read, and nothing is run. Libraries that the program opens later (dlopen) and programs
 * that it starts are unknown. The result is good for messages, but no reason not to start a program.
 */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_PROGRAM_LIBRARIES_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_PROGRAM_LIBRARIES_H

#include "analyzer/record/launch/elf_image.h"

#include <stdbool.h>
#include <stddef.h>

enum openmp_runtime {
  RUNTIME_NONE,
  RUNTIME_LIBOMP, /* LLVM's, or one made from it: has OMPT */
  RUNTIME_LIBGOMP /* GCC's: gets OMPT from libheddle-gomp.so */
};

struct program_library {
  char *name;        /* in the file that needs it */
  char *path;        /* NULL: not found */
  const char *asker; /* the path of the first file that needs it, or "LD_PRELOAD" */
  enum openmp_runtime runtime;
  bool waits;   /* calls functions that libheddle-pthread.so records, and is no runtime, whose waits are its own */
  bool hooks;   /* its functions report their calls and returns, as compiled with -finstrument-functions */
  bool entries; /* its functions report calls alone: compiled with -pg -mfentry or -fpatchable-function-entry */
};

struct program_libraries {
  char *path;       /* the program's file; NULL: no executable file */
  bool script;      /* an interpreter runs the file; all else is about the interpreter */
  char *executable; /* the file that the kernel loads, links resolved; NULL: unknown, and all else is empty */
  enum elf_kind kind;
  bool is_static;    /* no dynamic loader: it cannot load libraries */
  bool other_loader; /* a dynamic loader that is not glibc's */
  bool secure;       /* set-user-ID, set-group-ID or more capabilities than the caller: the loader ignores settings */
  bool jvm;          /* it is or has the JDK's launcher or the JVM */
  bool incomplete;   /* a file is damaged or missing, or there are too many: the list may be incomplete */
  enum openmp_runtime inside;        /* a runtime linked into the executable */
  bool inside_by_text;               /* by a text of libgomp's, as the file has no symbols */
  bool waits, hooks, entries;        /* as of a library */
  struct program_library *libraries; /* in the order of loading */
  size_t count;
};

/* Finds files as execvp() and ld.so(8) do, with this process's environment. NULL: out of memory. */
struct program_libraries *program_libraries_find(const char *program);
void program_libraries_free(struct program_libraries *libraries);

/* The first library that is or has this runtime, or NULL. */
const struct program_library *program_libraries_with(const struct program_libraries *libraries,
                                                     enum openmp_runtime runtime);

/* The path of the first file whose threads may wait for each other by calls that libheddle-pthread.so records, or NULL.
 */
const char *program_libraries_waits(const struct program_libraries *libraries);

/* The path of the first file whose functions report their calls, or NULL. program_libraries_entries(): calls alone,
 * without returns. */
const char *program_libraries_hooks(const struct program_libraries *libraries);
const char *program_libraries_entries(const struct program_libraries *libraries);

#endif
