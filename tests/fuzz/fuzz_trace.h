/*
 * The trace directory for inputs: one for all inputs, in memory if there is such a file system.
 */
#ifndef HEDDLE_TESTS_FUZZ_TRACE_H
#define HEDDLE_TESTS_FUZZ_TRACE_H

#include <stddef.h>
#include <stdint.h>

/* Once, before the first input. The directory goes when the program ends, unless it crashes. */
void fuzz_trace_begin(void);
const char *fuzz_trace_path(void);

/*
 * Writes the files that an input has packed. An input is any number of
 *     kind, number (1 byte each), length (3 bytes, little endian), as many bytes.
 * The kinds are:
 * - P: a process file;
 * - L: a chunk in the log `number`, behind the chunks that are there;
 * - W: window `number` (chunks and windows stand at multiples of 4,096: the least window size);
 * - T: a topology (number 0: the process has it, else the trace);
 * - J: a log of the JVM's (number 0: the newer one);
 * - D: what follows belongs to process `number`; the bytes are ignored.
 *
 * Other kinds are windows. Without D there is one process.
 */
void fuzz_trace_unpack(const uint8_t *data, size_t size);

/* Converts it, and ends the program if that fails. A trace that the plan refuses is fine. */
void fuzz_trace_convert(void);

/* The same; then process 1 has a file of calls (common/raw/raw_calls.h) with so many bytes, and that is converted. The
 * archives are written one after the other, because otf2_checker knows one at a time. */
void fuzz_trace_convert_calls(const uint8_t *calls, size_t size);

/* The directory of a process; -1: it has none. To be closed. */
int fuzz_trace_process(unsigned number);

/* Removes what was written: after each input. */
void fuzz_trace_clear(void);

#endif
