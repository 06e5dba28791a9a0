/*
 * ELF files: the parts that the dynamic loader reads (System V ABI, "Dynamic Linking"), and the symbols that show an
 * OpenMP runtime, waits and hooks. The file may be damaged or hostile: libelf checks all offsets, and time and memory
 * are bounded here. Any thread may call.
 */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_ELF_IMAGE_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_ELF_IMAGE_H

#include "base/vector.h"

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>

enum elf_kind {
  ELF_NOT_ONE, /* no ELF file, or one that a loader refuses */
  ELF_32_BIT,  /* an executable or a shared library of 32 bits */
  ELF_FOREIGN, /* ... of 64 bits, for another processor */
  ELF_NATIVE   /* ... for this processor; only these have the members below */
};

struct elf_image {
  enum elf_kind kind;
  bool damaged;      /* a table is outside the file or has no end, so the members below may be incomplete */
  bool dynamic;      /* has a dynamic section */
  char *interpreter; /* PT_INTERP: the dynamic loader; NULL: none */
  char *soname;      /* DT_SONAME, DT_RPATH, DT_RUNPATH; NULL: none */
  char *rpath;
  char *runpath;
  bool no_default_directories; /* DF_1_NODEFLIB */
  VECTOR(char *) needed;       /* DT_NEEDED, in order */
};

/* Reads an open regular file, without moving its offset. Free the image with elf_image_free(), also if memory ran out
 * (then `damaged` is set). */
void elf_image_read(int fd, struct elf_image *image);
void elf_image_free(struct elf_image *image);

/* Opens a file of kind ELF_NATIVE for libelf; close it with elf_end(). NULL: it is damaged, or out of memory. */
Elf *elf_open(int fd);

/* Reads exactly `size` bytes at `offset`. False: the file is too short, or cannot be read. */
bool elf_read_at(int fd, void *to, size_t size, unsigned long long offset);

/* Findings from the symbols of a file. */
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

/* True if the file has a section of that name. */
bool elf_has_section(int fd, const char *name);

/* True if the first 256 MiB of the file have a text: for files without symbols. */
bool elf_contains(int fd, const char *text);

#endif
