#include "analyzer/exchange/generate/names.h"

#include <string.h>
#include <strings.h>

/* Each list ends with "". C's header serves C++, so keywords of both, and macros that are often there. */
static const char *const c_words[] = {"alignas",
                                      "alignof",
                                      "and",
                                      "and_eq",
                                      "asm",
                                      "atomic_cancel",
                                      "auto",
                                      "bitand",
                                      "bitor",
                                      "bool",
                                      "break",
                                      "case",
                                      "catch",
                                      "char",
                                      "char16_t",
                                      "char32_t",
                                      "char8_t",
                                      "class",
                                      "co_await",
                                      "co_return",
                                      "co_yield",
                                      "compl",
                                      "concept",
                                      "const",
                                      "const_cast",
                                      "consteval",
                                      "constexpr",
                                      "constinit",
                                      "continue",
                                      "decltype",
                                      "default",
                                      "delete",
                                      "do",
                                      "double",
                                      "dynamic_cast",
                                      "else",
                                      "enum",
                                      "explicit",
                                      "export",
                                      "extern",
                                      "false",
                                      "float",
                                      "for",
                                      "friend",
                                      "goto",
                                      "if",
                                      "inline",
                                      "int",
                                      "long",
                                      "mutable",
                                      "namespace",
                                      "new",
                                      "noexcept",
                                      "not",
                                      "not_eq",
                                      "nullptr",
                                      "operator",
                                      "or",
                                      "or_eq",
                                      "private",
                                      "protected",
                                      "public",
                                      "register",
                                      "reflexpr",
                                      "reinterpret_cast",
                                      "requires",
                                      "restrict",
                                      "return",
                                      "short",
                                      "signed",
                                      "sizeof",
                                      "static",
                                      "static_assert",
                                      "static_cast",
                                      "struct",
                                      "switch",
                                      "synchronized",
                                      "template",
                                      "this",
                                      "thread_local",
                                      "throw",
                                      "true",
                                      "try",
                                      "typedef",
                                      "typeid",
                                      "typename",
                                      "typeof",
                                      "typeof_unqual",
                                      "union",
                                      "unsigned",
                                      "using",
                                      "virtual",
                                      "void",
                                      "volatile",
                                      "wchar_t",
                                      "while",
                                      "xor",
                                      "xor_eq",
                                      "linux",
                                      "unix",
                                      "errno",
                                      "stdin",
                                      "stdout",
                                      "stderr",
                                      "NULL",
                                      "EOF",
                                      "I",
                                      "complex",
                                      "imaginary",
                                      "noreturn",
                                      "int64_t",
                                      ""};
static const char *const java_words[] = {
    "_",         "abstract",   "assert",  "boolean",    "break",        "byte",      "case",   "catch",
    "char",      "class",      "const",   "continue",   "default",      "do",        "double", "else",
    "enum",      "extends",    "false",   "final",      "finally",      "float",     "for",    "goto",
    "if",        "implements", "import",  "instanceof", "int",          "interface", "long",   "native",
    "new",       "null",       "package", "private",    "protected",    "public",    "return", "short",
    "static",    "strictfp",   "super",   "switch",     "synchronized", "this",      "throw",  "throws",
    "transient", "true",       "try",     "void",       "volatile",     "while",     ""};
/* No static method can have the signature of one of every object's. */
static const char *const java_methods[] = {"clone",  "equals",    "finalize", "getClass", "hashCode",
                                           "notify", "notifyAll", "toString", "wait",     ""};
/* Names of classes that are not keywords, but no class can have. */
static const char *const java_classes[] = {"permits", "record", "sealed", "var", "yield", ""};
static const char *const fortran_words[] = {"int32", "int64", "real32", "real64", ""};
static const char *const python_words[] = {
    "False",    "None",   "True",  "and",  "as",     "assert",    "async",   "await", "break", "class",
    "continue", "def",    "del",   "elif", "else",   "except",    "finally", "for",   "from",  "global",
    "if",       "import", "in",    "is",   "lambda", "nonlocal",  "not",     "or",    "pass",  "raise",
    "return",   "try",    "while", "with", "yield",  "__debug__", "int",     "float", ""};

static bool is_one_of(const char *const *words, const char *name, bool any_case)
{
  for (; **words; words++)
    if ((any_case ? strcasecmp : strcmp)(*words, name) == 0)
      return true;
  return false;
}

/* What generated code itself calls, and the names it has for itself, begin so in all languages. */
static bool is_ours(const char *name)
{
  return strncasecmp(name, "heddle", strlen("heddle")) == 0;
}

const char *name_end(enum generate_language language, enum name_kind kind, const char *name)
{
  bool taken = kind != NAME_WHOLE && is_ours(name);
  if (language == GENERATE_C || language == GENERATE_FORTRAN) {
    /* Functions begin with the specification's name. */
    taken = kind == NAME_PARAMETER &&
            (taken || is_one_of(language == GENERATE_C ? c_words : fortran_words, name, language == GENERATE_FORTRAN));
  } else if (language == GENERATE_JAVA) {
    taken = taken || is_one_of(java_words, name, false) ||
            (kind == NAME_FUNCTION && is_one_of(java_methods, name, false)) ||
            (kind == NAME_WHOLE && is_one_of(java_classes, name, false));
  } else {
    taken = taken || is_one_of(python_words, name, false);
  }
  return taken ? "_" : "";
}

bool names_clash(enum generate_language language, enum name_kind kind, const char *a, const char *b)
{
  size_t a_size = strlen(a), b_size = strlen(b);
  const char *a_end = name_end(language, kind, a), *b_end = name_end(language, kind, b);
  size_t least = a_size < b_size ? a_size : b_size;
  if (a_size + strlen(a_end) != b_size + strlen(b_end) ||
      (language == GENERATE_FORTRAN ? strncasecmp : strncmp)(a, b, least) != 0)
    return false;
  /* One may be longer by the other's end. */
  return strcmp(a_size > least ? a + least : a_end, b_size > least ? b + least : b_end) == 0;
}
