/*
 * Symbols of a module (an executable, a shared library, the kernel's page of code): source lines, functions and
 * variables of addresses. They come from its DWARF and symbol table, or from separate debug files found by build id or
 * debug link. One thread at a time.
 */
#ifndef HEDDLE_OTF2_CONVERT_SYMBOLS_SYMBOLS_H
#define HEDDLE_OTF2_CONVERT_SYMBOLS_SYMBOLS_H

#include "otf2-convert/samples/unwind.h"
#include "otf2-convert/symbols/source_place.h"

#include <stddef.h>

struct symbols;

/* Opens a module. NULL: it cannot be read, or it is not the recorded file, because its build id differs ("-": unknown).
 */
struct symbols *symbols_open(const char *path, const char *build_id);
void symbols_close(struct symbols *symbols);

/* Returns the place of the call with the return address `offset`, one of the module's own addresses. */
struct source_place symbols_find(struct symbols *symbols, uint64_t offset);

/* Function of an address that ran or called. */
struct code_function {
  const char *name;   /* as in the source, C++ with its namespaces and classes; NULL: unknown */
  const char *file;   /* full path; "": unknown */
  uint32_t line;      /* of the address; 0: unknown */
  uint32_t construct; /* first line of a function that was outlined for a construct, else 0 */
  uint64_t begin;     /* the function's first address in the module; 0: unknown */
  bool outlined;      /* the compiler outlined it for a construct */
};
#define CODE_FUNCTIONS_MOST 17u

/* Finds the functions of an address as of symbols_find(): the compiled one first, each further one is inlined into the
 * former. Returns their number, 1 to CODE_FUNCTIONS_MOST. */
unsigned symbols_code(struct symbols *symbols, uint64_t offset, struct code_function *functions);

/* What machine code around an instruction says. */
struct code_facts {
  bool spins;        /* it waits for another thread, by its loop (spin_loop.h) */
  bool atomic;       /* it changes memory atomically, or follows an instruction that does */
  bool calls_kernel; /* the instruction before it calls the kernel */
  bool calls_futex;  /* ... for a futex */
};
/* address: one of the module's own. */
struct code_facts symbols_facts(struct symbols *symbols, uint64_t address);

/* Returns the unwinder's rules of the module; NULL: out of memory. */
struct frame_rules *symbols_frames(struct symbols *symbols);

/* Writes the name of the global or static variable at one of the module's own addresses, with the member or element
 * there: `queue.lock`, `forks[2]`. False: unknown. */
bool symbols_variable(struct symbols *symbols, uint64_t address, char *name, size_t size);
/* Returns the variable at `offset`; *into: bytes from its begin. NULL: none. Valid as long as the symbols. */
const char *symbols_object(struct symbols *symbols, uint64_t offset, uint64_t *into);

/*
 * The kernel's page of code (common/process/vdso.h) is no file. It is read from the converter's own process, if that
 * has the same page, or from the copies of `heddle record`.
 */

/* True if a file in the directory of the kernel's logs is such a copy. */
bool kernel_page_is_copy(const char *name);

/* Opens the page with a build id. trace_fd: the trace's directory; -1: none. NULL: unknown. Close it with
 * symbols_close(). */
struct symbols *kernel_page_symbols(int trace_fd, const char *build_id);

#endif
