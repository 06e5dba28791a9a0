/* A module's lines and functions by address, from its DWARF; shared by symbols*.c alone. */
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
  uint32_t statement : 1; /* the line begins here; else it continues after others */
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
  struct code *code;          /* NULL: it calls nothing of libgomp's */
  struct frame_rules *frames; /* NULL: nobody asked for them yet */
  const char *program;        /* of Fortran's, the name of the main one; NULL: none */
  VECTOR(struct line_row) lines;
  VECTOR(struct function) functions;
  bool has_variables; /* they are read when the first one is asked for */
  VECTOR(struct variable) variables;
  struct string_table files;
  struct string_table names; /* handed out */
};

/* Reads the lines and functions of symbols->module, as far as there is memory. */
void symbols_read_tables(struct symbols *symbols);
void symbols_free_tables(struct symbols *symbols);

/* The row that an address is in; NULL: none. */
const struct line_row *symbols_line(const struct symbols *symbols, uint64_t address);
/* The innermost function of the debug information; functions may nest, but not overlap. */
const struct function *symbols_function(const struct symbols *symbols, uint64_t address);
/* The source's name for a name of the symbol table or the debug information; "" when memory is short. */
const char *symbols_plain_name(struct symbols *symbols, const char *name);
/* The name itself; "" when memory is short. */
const char *symbols_kept_name(struct symbols *symbols, const char *name);

/* The source's own name of a function, except if only the linkage name has its module; NULL: it has none. */
const char *symbols_function_name(Dwarf_Die *die);
const char *symbols_linkage_name(Dwarf_Die *die);

/* The number of a source file that a unit names; STRING_TABLE_NONE when memory is short. */
uint32_t symbols_file(struct symbols *symbols, const char *name, Dwarf_Die *unit);

/* A file and line: those of a row, or of two attributes (DW_AT_call_line and DW_AT_call_file, ...). */
void symbols_set_line(const struct symbols *symbols, const struct line_row *row, struct source_place *place);
bool symbols_line_named(struct symbols *symbols, Dwarf_Die *die, unsigned line, unsigned file,
                        struct source_place *place);
/* An attribute's number; 0: it has none. */
uint32_t symbols_number(Dwarf_Die *die, unsigned name);

#endif
