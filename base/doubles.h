/* Numbers in order. */
#ifndef HEDDLE_BASE_DOUBLES_H
#define HEDDLE_BASE_DOUBLES_H

#include <stddef.h>

/* Puts them into ascending order; there is no NAN among them. */
void doubles_sort(double *values, size_t count);

#endif
