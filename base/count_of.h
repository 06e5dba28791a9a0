/* Number of items of an array. The compiler warns if the argument is a pointer. */
#ifndef HEDDLE_BASE_COUNT_OF_H
#define HEDDLE_BASE_COUNT_OF_H

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

#endif
