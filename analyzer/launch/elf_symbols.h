/*
 * Which OpenMP runtime an ELF file is or contains, by the symbols that it defines. Checked and bounded as elf_image.h.
 */
#ifndef HEDDLE_ANALYZER_LAUNCH_ELF_SYMBOLS_H
#define HEDDLE_ANALYZER_LAUNCH_ELF_SYMBOLS_H

#include <stdbool.h>

struct elf_symbols {
  bool table; /* there is such a table, and it was read whole */
  bool kmp;   /* defines __kmpc_fork_call: LLVM's runtime, or one made from it */
  bool gomp;  /* defines GOMP_parallel; LLVM's runtime does this, too */
};

/* What an open file of kind ELF_NATIVE defines: in .dynsym (for other files to use), or else in .symtab (all). */
void elf_symbols_exported(int fd, struct elf_symbols *symbols);
void elf_symbols_all(int fd, struct elf_symbols *symbols);

/* Whether a text stands in the first 256 MiB of the file; for what a file without symbols still tells. */
bool elf_contains(int fd, const char *text);

#endif
