/*
 * The parts of an ELF file that the dynamic loader reads (System V ABI, "Dynamic Linking"). The file may be damaged or
 * hostile: libelf checks all offsets, and time and memory are bounded here. Any thread may call.
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

/* Opens a file of kind ELF_NATIVE for libelf; close it with elf_end(). NULL: it is damaged, or there is no memory. */
Elf *elf_open(int fd);

/* Reads exactly `size` bytes at `offset`. False: the file is too short, or cannot be read. */
bool elf_read_at(int fd, void *to, size_t size, unsigned long long offset);

#endif
