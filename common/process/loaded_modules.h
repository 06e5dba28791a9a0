/*
 * What is loaded, as the loader or the kernel tells it: each module with its place, the identity of its content, and
 * its path. One caller at a time. No allocation.
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
  bool runs;                        /* some of it can be executed; told by loaded_by_kernel */
  bool is_vdso;                     /* the kernel's page of code, of no file (vdso.h); told by loaded_by_loader */
  const char *path; /* good until the visitor returns; of the loader, also relative or "" (the program itself) */
};

struct loaded_counts {
  uint64_t came, went; /* libraries, ever, in all of the loader's name spaces */
  uint64_t visited;    /* of those that are there; the others are in name spaces of their own (dlmopen) */
};

typedef void loaded_visitor(struct loaded_module *module, void *context);

/* The GNU build id within a segment of notes; its size, or 0. */
size_t loaded_find_id(const unsigned char *notes, size_t size, const unsigned char **id);

/* How many libraries came and went. Takes the loader's lock. */
struct loaded_counts loaded_count(void);

/* Visits the modules in the order in which they were loaded, under the loader's lock: the visitor must not call libc.
 */
struct loaded_counts loaded_by_loader(loaded_visitor *visitor, void *context);

/*
 * Visits what is mapped of files, in the order of addresses: device, inode, path, start and end of neighbouring
 * mappings of a file. False: the kernel does not tell. Takes no lock: safe in signal handlers and after fork; makes
 * openat, read, pread and close.
 */
bool loaded_by_kernel(loaded_visitor *visitor, void *context);

/* In a child: lets go of what loaded_by_kernel keeps open, which is the parent's. */
void loaded_leave(void);

/*
 * For the visitor of loaded_by_kernel: completes what is known of the module by its ELF header, which may vanish
 * meanwhile. False: these mappings are no module, or not the begin of one.
 */
bool loaded_look(struct loaded_module *module);

#endif
