/* Private to generate/: names of events and attributes as identifiers of a language. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_GENERATE_NAMES_H
#define HEDDLE_ANALYZER_EXCHANGE_GENERATE_NAMES_H

#include "analyzer/exchange/generate/language.h"

#include <stdbool.h>

enum name_kind { NAME_FUNCTION, NAME_PARAMETER, NAME_WHOLE /* the module or class */ };

/*
 * What follows the name to make it an identifier: "_" if the language, or the generated code itself, uses the name
 * otherwise, else "".
 */
const char *name_end(enum generate_language language, enum name_kind kind, const char *name);

/* Whether the identifiers of two names are the same. */
bool names_clash(enum generate_language language, enum name_kind kind, const char *a, const char *b);

#endif
