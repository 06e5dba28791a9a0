/* The vDSO of this process: the kernel's page of code, a library without a file. clock_gettime and others run there. */
#ifndef HEDDLE_COMMON_PROCESS_VDSO_H
#define HEDDLE_COMMON_PROCESS_VDSO_H

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>

#define VDSO_NAME   "linux-vdso.so.1" /* in place of a path */
#define VDSO_SUFFIX ".vdso"           /* of the copies by `heddle record` beside the kernel's logs (kernel_log.h) */
#define VDSO_MOST   65536u            /* bytes of one */

/* Returns its bytes, in the form of an ELF file; NULL: there is none. */
static inline const void *vdso_bytes(size_t *size)
{
  const char *bytes = (const char *)getauxval(AT_SYSINFO_EHDR); /* NOLINT: an address */
  const ElfW(Ehdr) *header = (const void *)bytes;
  if (bytes == NULL || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_phentsize != sizeof(ElfW(Phdr)))
    return NULL;
  const ElfW(Phdr) *segments = (const void *)(bytes + header->e_phoff);
  *size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize; /* what comes last */
  for (unsigned i = 0; i < header->e_phnum; i++)
    if (segments[i].p_offset + segments[i].p_filesz > *size)
      *size = segments[i].p_offset + segments[i].p_filesz;
  return *size <= VDSO_MOST ? bytes : NULL;
}

#endif
