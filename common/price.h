/* What recording costs, measured in the process itself: so that the trace can say how much it slowed the program down.
 */
#ifndef HEDDLE_COMMON_PRICE_H
#define HEDDLE_COMMON_PRICE_H

#include <stdint.h>

#define PRICE_RECORDS 256u

/* Ticks that so many records of two words take, without what follows when the window is full. Takes some 10 us. */
uint64_t price_measure(void);

#endif
