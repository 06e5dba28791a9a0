/* How many items an array has. Only for arrays: the compiler warns where it is a pointer. */
#ifndef HEDDLE_BASE_COUNT_OF_H
#define HEDDLE_BASE_COUNT_OF_H

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

#endif
