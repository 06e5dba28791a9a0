/*
 * What the dynamic loader reads of an ELF file (System V ABI, "Dynamic Linking"), read with every offset checked: the
 * file may be damaged or hostile. Bounded in time and memory whatever the file says. Any thread may call.
 */
#ifndef HEDDLE_ANALYZER_LAUNCH_ELF_IMAGE_H
#define HEDDLE_ANALYZER_LAUNCH_ELF_IMAGE_H

#include "base/vector.h"

#include <stdbool.h>
#include <stddef.h>

enum elf_kind {
  ELF_NOT_ONE, /* no ELF file, or not one that a loader would take */
  ELF_32_BIT,  /* an executable or a shared library, but of 32 bits */
  ELF_FOREIGN, /* ... of 64 bits, for another processor than this one */
  ELF_NATIVE   /* only these have any of the below */
};

struct elf_image {
  enum elf_kind kind;
  bool damaged;      /* native, but some table lies outside the file or has no end: what is below may lack something */
  bool dynamic;      /* has a dynamic section */
  char *interpreter; /* PT_INTERP: the dynamic loader; NULL: none */
  char *soname;      /* DT_SONAME, DT_RPATH, DT_RUNPATH; NULL: none */
  char *rpath;
  char *runpath;
  bool no_default_directories; /* DF_1_NODEFLIB */
  VECTOR(char *) needed;       /* DT_NEEDED, in order */
};

/* Reads an open regular file. What was read is to be freed with elf_image_free(), also where memory ran out
 * (then `damaged` is set). The file's offset stays as it is. */
void elf_image_read(int fd, struct elf_image *image);
void elf_image_free(struct elf_image *image);

/* Reads exactly `size` bytes at `offset`. False: the file has not that many, or can't be read. */
bool elf_read_at(int fd, void *to, size_t size, unsigned long long offset);

#endif
