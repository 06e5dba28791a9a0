/*
 * The places whose instances the budget never omits (HEDDLE_KEEP).
 *
 * HEDDLE_KEEP is a list of PLACE or PLACE@RANGE,RANGE... with semicolons between them. A PLACE is the name of a region
 * or event of the program's own. RANGE says where the code of a place is, as MODULE+FROM-TO. The addresses are
 * hexadecimal, as the file has them, TO not included; a place is the return address of its call. MODULE is a build id,
 * or the last part of a path; without one, the MODULE of the range before applies. `heddle record --keep` finds the
 * ranges of source lines, files and functions; here they are unknown. The ranges of `critical (NAME)` are the addresses
 * of the critical section's variable: it is kept wherever it is used.
 *
 * Code of Java has no addresses: there a PLACE is a file or a method. Files are Solver.java or com/acme/Solver.java,
 * perhaps with :LINE or :LINE-LINE; methods are Solver.step or com.acme.Solver.step.
 */
#ifndef HEDDLE_COMMON_BUDGET_KEEP_H
#define HEDDLE_COMMON_BUDGET_KEEP_H

#include "common/budget/budget_row.h"
#include "common/java/keep_java.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Takes the list, once, before the first row; NULL: an empty one. Says in a line what can't be tested. */
void keep_begin(const char *list);

/* True if the list has a name of the program's own. */
bool keep_has_name(const char *name, size_t length);
/* The number of such a name, for keep_has. Any thread. */
void keep_add_number(uint32_t number);

/* Keeps the place of a number, if the list has it: before the first row of the place. Any thread. */
void keep_add_java(uint32_t number, const struct keep_java *place);
/* True if it was kept. Any thread. */
bool keep_has_java(uint64_t number);

/* Finds where the variables of critical sections are in memory: once the modules are listed (modules.h). */
void keep_find_sections(void);
/*
 * True if a lock belongs to a critical section in the list. pointers: a section's variable may have the address of a
 * structure that begins with the lock's, as libomp's have, whose locks are elsewhere. Any thread.
 */
bool keep_has_section(uint64_t lock, bool pointers);

/*
 * True if a row's place is in the list: code, the number of a name, or the number of a place of Java. Slow: for new
 * rows. Any thread, anywhere a record is made.
 */
bool keep_has(uint64_t place, enum budget_class class);

#endif
