/*
 * Sparse matrices of Markov chains: their linear equations, their communicating classes and periods. Up to MARKOV_DENSE
 * rows are solved by elimination, which is exact except for rounding. Larger systems are solved by Gauss-Seidel
 * iteration, which reports its effort.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_SOLVE_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_SOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MARKOV_DENSE = 1000, MARKOV_SWEEPS_MAX = 20000 };

/* Compressed rows: row i has the entries row[i] to row[i + 1] - 1. */
struct markov_matrix {
  uint32_t n;
  size_t *row;
  uint32_t *column;
  double *value;
};

/* Makes room for `n` rows and `entries`. False: out of memory; markov_matrix_free() is right in any case. */
bool markov_matrix_create(struct markov_matrix *matrix, uint32_t n, size_t entries);
void markov_matrix_free(struct markov_matrix *matrix);

bool markov_matrix_transpose(struct markov_matrix *to, const struct markov_matrix *from);

/* Copies the rows and columns whose `rank` is not UINT32_MAX to the place `rank`; there are n of them. */
bool markov_matrix_part(struct markov_matrix *to, const struct markov_matrix *from, const uint32_t *rank, uint32_t n);

/* Effort of an iterative solution. */
struct markov_effort {
  unsigned sweeps; /* the most that an iteration took; 0: none was needed */
  double change;   /* the largest relative change in a last sweep */
};

/* Solves x = x P with sum of x = 1, for an irreducible stochastic P. False: out of memory. */
bool markov_stationary(const struct markov_matrix *p, double *x, struct markov_effort *effort);

/*
 * Solves x = b + A x. All rows of A, or all columns, add up to at most 1, and (I - A) is invertible. False: out of
 * memory.
 */
bool markov_linear(const struct markov_matrix *a, const double *b, double *x, struct markov_effort *effort);

/* Private to markov/: the communicating classes of a chain. */

/*
 * Fills in the communicating class of each state (UINT32_MAX: used[state] is false). Classes lead only to classes of
 * lower number. Returns the number of classes; UINT32_MAX: out of memory.
 */
uint32_t markov_classes(const struct markov_matrix *p, const bool *used, uint32_t *class_of);

/* Returns the period of the class of `state`; 0: it has no cycle; UINT32_MAX: out of memory. */
uint32_t markov_period(const struct markov_matrix *p, const uint32_t *class_of, uint32_t state);

#endif
