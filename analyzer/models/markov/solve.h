/*
 * Sparse matrices, and the two kinds of equations that chains lead to. Up to MARKOV_DENSE rows they are solved by
 * elimination, which is exact but for rounding; larger ones by Gauss-Seidel iteration, which says how far it got.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_SOLVE_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_SOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MARKOV_DENSE = 1000, MARKOV_SWEEPS_MAX = 20000 };

/* Compressed rows: entries row[i] to row[i + 1] - 1 are those of row i. */
struct markov_matrix {
  uint32_t n;
  size_t *row;
  uint32_t *column;
  double *value;
};

/* Room for so many rows and entries. False: no memory; markov_matrix_free() is right in any case. */
bool markov_matrix_create(struct markov_matrix *matrix, uint32_t n, size_t entries);
void markov_matrix_free(struct markov_matrix *matrix);

bool markov_matrix_transpose(struct markov_matrix *to, const struct markov_matrix *from);

/* The rows and columns whose index in `rank` is not UINT32_MAX, at the place that it says; there are n of them. */
bool markov_matrix_part(struct markov_matrix *to, const struct markov_matrix *from, const uint32_t *rank, uint32_t n);

/* How a solution was found. */
struct markov_effort {
  unsigned sweeps; /* the most that an iteration took; 0: none was needed */
  double change;   /* the largest relative change in a last sweep */
};

/* x = x P, sum of x = 1, for an irreducible stochastic P. False: no memory. */
bool markov_stationary(const struct markov_matrix *p, double *x, struct markov_effort *effort);

/* x = b + A x, where all of A's rows, or all of its columns, add up to at most 1 and (I - A) can be inverted. False: no
 * memory. */
bool markov_linear(const struct markov_matrix *a, const double *b, double *x, struct markov_effort *effort);

/* Private to markov/: the communicating classes of a chain. */

/* The class of each state (UINT32_MAX for states with used[state] false), numbered so that no class leads to one with a
 * higher number. Returns how many there are; UINT32_MAX: no memory. */
uint32_t markov_classes(const struct markov_matrix *p, const bool *used, uint32_t *class_of);

/* The period of the class that has that state; 0: it has no cycle. UINT32_MAX: no memory. */
uint32_t markov_period(const struct markov_matrix *p, const uint32_t *class_of, uint32_t state);

#endif
