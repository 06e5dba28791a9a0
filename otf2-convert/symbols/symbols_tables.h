/*
 * Inside of symbols, for symbols*.c only: a module's lines, functions and inlining by address, from its DWARF, and what
 * gcc's code shows of constructs.
 */
#ifndef HEDDLE_OTF2_CONVERT_SYMBOLS_SYMBOLS_TABLES_H
#define HEDDLE_OTF2_CONVERT_SYMBOLS_SYMBOLS_TABLES_H

#include "base/hash.h"
#include "otf2-convert/samples/unwind.h"
#include "otf2-convert/symbols/call_site.h"
#include "otf2-convert/symbols/source_place.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#define LINE_MAX 0x7fffffffu

/* A row of the line table: the code from here to the next row is of this line. */
struct line_row {
  uint64_t address;       /* first: tables are searched by their first member */
  uint32_t line : 31;     /* 0: the end of a sequence */
  uint32_t statement : 1; /* the line begins here; else it continues */
  uint32_t file;          /* number in files, or STRING_TABLE_NONE */
  uint32_t number;        /* in the table of its unit: rows of one address stay in their order */
};

struct function {
  uint64_t low, high;
  const char *name; /* the DWARF's */
  Dwarf_Die die;
};

/* A variable with an address of its own. */
struct variable {
  uint64_t address;
  Dwarf_Die die;
};

struct symbols {
  Dwfl *dwfl;
  Dwfl_Module *module;
  struct code *code;          /* NULL: it does not call libgomp */
  struct frame_rules *frames; /* NULL: not needed yet */
  const char *program;        /* name of Fortran's main program; NULL: none */
  VECTOR(struct line_row) lines;
  VECTOR(struct function) functions;
  bool has_variables; /* they are read when the first one is needed */
  VECTOR(struct variable) variables;
  struct string_table files;
  struct string_table names; /* that were returned to callers */
};

/* Reads the lines and functions of symbols->module, as far as memory allows. */
void symbols_read_tables(struct symbols *symbols);
void symbols_free_tables(struct symbols *symbols);

/* Returns the row of an address; NULL: none. */
const struct line_row *symbols_line(const struct symbols *symbols, uint64_t address);
/* Returns the innermost function of an address; functions may nest, but not overlap. */
const struct function *symbols_function(const struct symbols *symbols, uint64_t address);
/* Returns the source's name for a name of the symbol table or the debug information; "": out of memory. */
const char *symbols_plain_name(struct symbols *symbols, const char *name);
/* Returns a copy of the name that lives as long as the symbols; "": out of memory. */
const char *symbols_kept_name(struct symbols *symbols, const char *name);

/* Returns the source's name of a function, or its linkage name if only that has the module; NULL: it has none. */
const char *symbols_function_name(Dwarf_Die *die);
const char *symbols_linkage_name(Dwarf_Die *die);

/* Returns the number of a source file that a unit names; STRING_TABLE_NONE: out of memory. */
uint32_t symbols_file(struct symbols *symbols, const char *name, Dwarf_Die *unit);

/* Set file and line: from a row, or from two attributes (DW_AT_call_line and DW_AT_call_file, ...). */
void symbols_set_line(const struct symbols *symbols, const struct line_row *row, struct source_place *place);
bool symbols_line_named(struct symbols *symbols, Dwarf_Die *die, unsigned line, unsigned file,
                        struct source_place *place);
/* Returns an attribute's number; 0: it has none. */
uint32_t symbols_number(Dwarf_Die *die, unsigned name);

/* The functions that code was inlined from: the first into `function`, each further one into the former. */
#define INLINING_MAX 16u
struct inlining {
  unsigned depth;
  Dwarf_Die functions[INLINING_MAX];
};
struct inlining inlining_at(const struct function *function, uint64_t address);
/* Returns the depth up to which two places are in the same functions. */
unsigned inlining_common(struct inlining *a, struct inlining *b);
/*
 * Finds the line of a row in the function at `depth`: the row's own line, or the inlined call's line. False: unknown;
 * place is unchanged.
 */
bool inlining_line(struct symbols *symbols, struct inlining *inlining, unsigned depth, const struct line_row *row,
                   struct source_place *place);

/* True if a source file belongs to the system or the compiler, not to the program. */
bool symbols_is_header(const char *file);

/*
 * Replaces a place in a header of the system (std::mutex::lock) by the place in the program's own source into which it
 * was inlined, if any.
 */
void symbols_leave_headers(struct symbols *symbols, const struct function *function, uint64_t address,
                           struct source_place *place);

/*
 * Places of constructs that gcc compiled. The compiler makes the call by which a construct begins. In the line table
 * this call has the line of the construct, of the code before it, or of an inlined function. The code after the call,
 * and the function that was outlined from the construct, show the place better. See docs/otf2.md.
 */

/* True if gcc outlined a function of this name from a construct. */
bool symbols_is_outlined(const char *function);

/*
 * Corrects the place of a construct at a compiler's call of libgomp. `place` has the line table's place, and becomes
 * the construct's. function: has the call; NULL: unknown.
 */
void symbols_libgomp(struct symbols *symbols, uint64_t after, const struct function *function,
                     struct source_place *place);

/*
 * The same for a construct whose outlined function begins at an address; for any processor. False: there is none; place
 * is unchanged.
 */
bool symbols_outlined(struct symbols *symbols, uint64_t address, struct source_place *place);

#endif
