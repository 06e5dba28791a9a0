/*
 * Machine code around a call in an x86-64 ELF file. It shows the called function of a shared library, and the address
 * at which the program continues if the call returns a certain value. No byte is trusted. 0 or NULL: unknown; in files
 * for other processors everything is.
 */
#ifndef HEDDLE_OTF2_CONVERT_SYMBOLS_CALL_SITE_H
#define HEDDLE_OTF2_CONVERT_SYMBOLS_CALL_SITE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct code;

/* Opens the code of a file. NULL: it has no usable code, or out of memory. The ELF must live longer. */
struct code *code_open(Elf *elf);
void code_close(struct code *code);

/*
 * Returns the name of the GOMP_ or omp_ function of a call through the procedure linkage table or the global offset
 * table. after: return address of the call. The name belongs to the ELF.
 */
const char *code_callee(const struct code *code, uint64_t after);

/*
 * Returns the next call of such a function from an address on, or the end of the search. With `or_jump`, the search may
 * end at a possible unconditional jump.
 */
uint64_t code_next_call(const struct code *code, uint64_t from, bool or_jump);

/* Returns the address at which the program continues, after comparisons and jumps, if the call returned this value. */
uint64_t code_continues(const struct code *code, uint64_t after, uint32_t value);

/* Copies up to n bytes of a file's code; returns how many there are. */
size_t code_bytes(Elf *elf, uint64_t address, uint8_t *bytes, size_t n);

#endif
