/*
 * Loaded modules, as the loader or the kernel reports them: their addresses, the identity of their content, their
 * paths. One caller at a time. No allocation.
 */
#ifndef HEDDLE_COMMON_PROCESS_LOADED_MODULES_H
#define HEDDLE_COMMON_PROCESS_LOADED_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOADED_ID_MOST 32u

struct loaded_module {
  uintptr_t base, start, end;       /* of its own addresses; where it is in memory */
  uint64_t device, inode;           /* as /proc/self/maps has them; inode 0: not known */
  uint64_t content;                 /* two files at one place differ in it; 0: not known */
  unsigned char id[LOADED_ID_MOST]; /* build id */
  unsigned id_size;                 /* 0: it has none, or it is not known */
  bool runs;                        /* a part is executable; from loaded_by_kernel */
  bool is_vdso;                     /* the kernel's page of code, without a file (vdso.h); from loaded_by_loader */
  const char *path; /* valid until the visitor returns; the loader's may be relative, or "" (the program itself) */
};

struct loaded_counts {
  uint64_t came, went; /* libraries, ever, in all of the loader's name spaces */
  uint64_t visited;    /* loaded ones, without those in other name spaces (dlmopen) */
};

typedef void loaded_visitor(struct loaded_module *module, void *context);

/* Finds the GNU build id in a segment of notes. Returns its size; 0: there is none. */
size_t loaded_find_id(const unsigned char *notes, size_t size, const unsigned char **id);

/* Counts loads and unloads of libraries. Takes the loader's lock. */
struct loaded_counts loaded_count(void);

/* Visits the modules in the order of loading. Holds the loader's lock: the visitor must not call libc. */
struct loaded_counts loaded_by_loader(loaded_visitor *visitor, void *context);

/*
 * Visits the mappings of files in the order of addresses: device, inode, path, start and end of neighbouring mappings
 * of a file. False: the kernel does not show them. Takes no lock, so it is safe in signal handlers and after fork.
 * Calls openat, read, pread and close only.
 */
bool loaded_by_kernel(loaded_visitor *visitor, void *context);

/* In a child: closes the parent's file that loaded_by_kernel keeps open. */
void loaded_leave(void);

/*
 * Completes a module from its ELF header, which may vanish meanwhile. For the visitor of loaded_by_kernel. False: these
 * mappings are no module, or not its begin.
 */
bool loaded_look(struct loaded_module *module);

#endif
