/* Inside of the symbols of a module, shared by symbols*.c alone: its tables, sorted by address. */
#ifndef HEDDLE_OTF2_CONVERT_SYMBOLS_INSIDE_H
#define HEDDLE_OTF2_CONVERT_SYMBOLS_INSIDE_H

#include "otf2-convert/call_site.h"
#include "otf2-convert/symbols.h"
#include "otf2-convert/texts.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#define LINE_MAX 0x7fffffffu

/* A row of the line table: the code from here to the next row is of this line. */
struct line_row {
  uint64_t address;       /* first: tables are searched by their first member */
  uint32_t line : 31;     /* 0: the end of a sequence */
  uint32_t statement : 1; /* the line begins here; else it goes on, after others */
  uint32_t file;          /* number in files, or TEXTS_NONE */
  uint32_t number;        /* in the table of its unit: rows of one address stay in their order */
};

struct function {
  uint64_t low, high;
  const char *name; /* the DWARF's */
  Dwarf_Die die;
};

struct symbols {
  Dwfl *dwfl;
  Dwfl_Module *module;
  struct code *code;   /* NULL: it calls nothing of libgomp's */
  const char *program; /* of Fortran's, the name of the main one; NULL: none */
  VECTOR(struct line_row) lines;
  VECTOR(struct function) functions;
  struct texts files;
  struct texts names; /* handed out */
};

/* The row that an address is in; NULL: none. */
const struct line_row *symbols_line(const struct symbols *symbols, uint64_t address);
/* The innermost function of the debug information; functions may nest, but not overlap. */
const struct function *symbols_function(const struct symbols *symbols, uint64_t address);
/* The source's name for a name of the symbol table or the debug information; "" when memory is short. */
const char *symbols_plain_name(struct symbols *symbols, const char *name);
/* The name itself; "" when memory is short. */
const char *symbols_kept_name(struct symbols *symbols, const char *name);

/* The number of a source file that a unit names; TEXTS_NONE when memory is short. */
uint32_t symbols_file(struct symbols *symbols, const char *name, Dwarf_Die *unit);

/* symbols_inlining.c: the functions that code was inlined from, each into the one before it, the first into `function`.
 */
#define INLINING_MAX 16u
struct inlining {
  unsigned depth;
  Dwarf_Die functions[INLINING_MAX];
};
struct inlining inlining_at(const struct function *function, uint64_t address);
/* How deep two places are in the same functions. */
unsigned inlining_common(struct inlining *a, struct inlining *b);
/*
 * The line of a row as the function has it that is `depth` deep: its own, or that of the call of what was inlined into
 * it. False: not known, and place is as it was.
 */
bool inlining_line(struct symbols *symbols, struct inlining *inlining, unsigned depth, const struct line_row *row,
                   struct source_place *place);
/* A file and line: those of a row, or of two attributes (DW_AT_call_line and DW_AT_call_file, ...). */
void symbols_set_line(const struct symbols *symbols, const struct line_row *row, struct source_place *place);
bool symbols_line_named(struct symbols *symbols, Dwarf_Die *die, unsigned line, unsigned file,
                        struct source_place *place);
/* An attribute's number; 0: it has none. */
uint32_t symbols_number(Dwarf_Die *die, unsigned name);

/* symbols_libgomp.c: whether gcc outlined a function of that name from a construct. */
bool symbols_is_outlined(const char *function);

/*
 * symbols_libgomp.c: the place of a construct at a call of libgomp's that the compiler made, of which the line table
 * tells the place of something else. `place` is what it tells, and becomes the construct's. function: the one that the
 * call is in, NULL unknown.
 */
void symbols_libgomp(struct symbols *symbols, uint64_t after, const struct function *function,
                     struct source_place *place);

/*
 * The same of the construct from which the function was outlined that begins at an address, whatever the processor.
 * False: none was, and place is as it was.
 */
bool symbols_outlined(struct symbols *symbols, uint64_t address, struct source_place *place);

#endif
