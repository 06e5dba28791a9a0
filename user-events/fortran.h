/*
 * What the Fortran module `heddle` (user-events/include/heddle.f90) calls. A character(*) of Fortran has a length, no
 * zero, and blanks at its end that don't count.
 */
#ifndef HEDDLE_USER_EVENTS_FORTRAN_H
#define HEDDLE_USER_EVENTS_FORTRAN_H

#include <stddef.h>
#include <stdint.h>

int heddle_f_listens(void);
void heddle_f_enter(const char *name, size_t length);
void heddle_f_leave(const char *name, size_t length);
void heddle_f_phase(const char *name, size_t length);
void heddle_f_name_thread(const char *name, size_t length);
void heddle_f_measure(int on);
/* An event; the names of a kind of attribute lie one after the other, `size` characters each. */
void heddle_f_event(const char *name, size_t length, size_t integers, const char *integer_names, size_t integer_size,
                    const int64_t *integer_values, size_t reals, const char *real_names, size_t real_size,
                    const double *real_values);

#endif
