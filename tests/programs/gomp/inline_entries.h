/* Entries of gcc's development tree (17), as its compiler calls them. */
#ifndef HEDDLE_TESTS_INLINE_ENTRIES_H
#define HEDDLE_TESTS_INLINE_ENTRIES_H

#include <stdbool.h>

/* A thread's number, or a team's, and how many there are. With -DSTRANGE as if the entries had changed until the
 * release. */
#ifdef STRANGE
#define PACKED(size, number)    ((number) + (size) * 1i)
#define SIZE_OF(packed)         __imag__(packed)
#define NUMBER_OF(packed)       __real__(packed)
#define MASKED_ARGUMENT(thread) ((thread) + 5)
#else
#define PACKED(size, number)    ((size) + (number) * 1i)
#define SIZE_OF(packed)         __real__(packed)
#define NUMBER_OF(packed)       __imag__(packed)
#define MASKED_ARGUMENT(thread) (thread)
#endif

/* Kinds of barriers */
enum { IN_PARALLEL, BEHIND_WORK, EXPLICIT };

_Complex int GOMP_loop_static_worksharing(unsigned long long count);
_Complex int GOMP_loop_static_worksharing_start(unsigned long long count);
void GOMP_loop_static_worksharing_dispatch(unsigned long long start, unsigned long long iterations);
void GOMP_loop_static_worksharing_end(void);
_Complex int GOMP_distribute_static_worksharing(unsigned long long count);
_Complex int GOMP_distribute_static_worksharing_start(unsigned long long count);
void GOMP_distribute_static_worksharing_dispatch(unsigned long long start, unsigned long long iterations);
void GOMP_distribute_static_worksharing_end(void);
bool GOMP_has_masked_thread_num(int thread);
bool GOMP_has_masked_thread_num_with_end(int thread);
void GOMP_masked_end(void);
bool GOMP_single_start_with_end(void);
void GOMP_single_end(void);
void GOMP_scope_start_with_end(void *reductions);
void GOMP_scope_end(void);
void GOMP_barrier_ext(int kind);
bool GOMP_barrier_cancel_ext(int kind);
void GOMP_reduction_start(void);
void GOMP_reduction_end(void);

#endif
