/*
 * What the machine code around a call shows, in an x86-64 ELF file: which function of a shared library is called, and
 * where the program continues when the call returns a certain value. No byte is trusted. 0 or NULL: unknown, as
 * everything is in files for other processors.
 */
#ifndef HEDDLE_OTF2_CONVERT_SYMBOLS_CALL_SITE_H
#define HEDDLE_OTF2_CONVERT_SYMBOLS_CALL_SITE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct code;

/* NULL: nothing can be known about this file, or out of memory. The ELF must live longer. */
struct code *code_open(Elf *elf);
void code_close(struct code *code);

/*
 * The name of the GOMP_ or omp_ function that the call before `after`, its return address, calls through the procedure
 * linkage table or the global offset table. It belongs to the ELF.
 */
const char *code_callee(const struct code *code, uint64_t after);

/*
 * The next call of such a function from an address on, in the order of the code; or the end of the search.
 * With `or_jump`, it may end where there could be an unconditional jump.
 */
uint64_t code_next_call(const struct code *code, uint64_t from, bool or_jump);

/* Where the program continues after comparisons and jumps when the call has returned this value. */
uint64_t code_continues(const struct code *code, uint64_t after, uint32_t value);

#endif
