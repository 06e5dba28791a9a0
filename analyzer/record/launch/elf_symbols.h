/* The OpenMP runtime that an ELF file is or contains, and whether its threads wait for each other, by its symbols.
 * Checks and bounds are those of elf_image.h. */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_ELF_SYMBOLS_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_ELF_SYMBOLS_H

#include <stdbool.h>

struct elf_symbols {
  bool table;   /* the file has the table, and all of it was read */
  bool kmp;     /* defines __kmpc_fork_call: LLVM's runtime, or one made from it */
  bool gomp;    /* defines GOMP_parallel, as GCC's and LLVM's runtimes do */
  bool waits;   /* calls functions that libheddle-pthread.so records; only of elf_symbols_exported */
  bool hooks;   /* its functions report their calls and returns (-finstrument-functions); likewise */
  bool entries; /* its functions report their calls alone (-pg -mfentry); likewise */
};

/* The symbols that an open file of kind ELF_NATIVE exports (.dynsym), or all that it defines (.symtab). */
void elf_symbols_exported(int fd, struct elf_symbols *symbols);
void elf_symbols_all(int fd, struct elf_symbols *symbols);

/* Whether the file has a section of that name. */
bool elf_has_section(int fd, const char *name);

/* Whether the first 256 MiB of the file have a text: for files without symbols. */
bool elf_contains(int fd, const char *text);

#endif
