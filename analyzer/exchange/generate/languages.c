#include "analyzer/exchange/generate/languages.h"

#include "base/hash.h"
#include "common/raw/archive_names.h"

#include <inttypes.h>
#include <stdio.h>
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
/* Methods of every object, whose signature no static method can have. */
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

/* Prefixes of names that generated code calls or defines, in all languages. */
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
  /* One name may be the other one with a suffix. */
  return strcmp(a_size > least ? a + least : a_end, b_size > least ? b + least : b_end) == 0;
}

/* The hash must stay the same when messages and enums change. */
static const char *type_word(enum spec_type type)
{
  return type == SPEC_INTEGER ? "int;" : type == SPEC_REAL ? "real;" : "text;";
}

uint64_t spec_hash(const struct spec *spec)
{
  uint64_t hash = hash_text(0, spec->name ? spec->name : "");
  for (const struct spec_event *event = spec->events; event; event = event->next) {
    if (!event->declared)
      continue;
    hash = hash_text(hash_mix(hash), event->name);
    for (const struct spec_attribute *attribute = event->attributes; attribute; attribute = attribute->next)
      hash = hash_text(hash_text(hash, type_word(attribute->type)), attribute->name);
  }
  return hash;
}

void spec_hash_text(uint64_t hash, char text[SPEC_HASH_SIZE])
{
  snprintf(text, SPEC_HASH_SIZE, "%016" PRIx64, hash);
}

#define BUILT_SIZE 1200

/* Returns the name of the event by which a program reports its specification. */
static const char *built_event(const struct spec *spec, char text[BUILT_SIZE])
{
  char hash[SPEC_HASH_SIZE];
  spec_hash_text(spec_hash(spec), hash);
  snprintf(text, BUILT_SIZE, "%s%s %s %s", NAME_BUILT, spec->name, hash, HEDDLE_VERSION);
  return text;
}

/* A header for C and C++. */

static const char *c_code_end(const struct spec_attribute *attribute)
{
  return name_end(GENERATE_C, NAME_PARAMETER, attribute->name);
}

/* In C a macro of the function's name checks types, and computes no argument where nothing records. */
static void write_macro(const struct spec *spec, const struct spec_event *event, FILE *file)
{
  unsigned n = 0;
  fprintf(file, "#ifndef __cplusplus\n#define %s_%s(", spec->name, event->name);
  for (const struct spec_attribute *a = event->attributes; a; a = a->next, n++)
    fprintf(file, "%sa%u", n ? ", " : "", n);
  fprintf(file, ") (heddle_user ? (%s_%s)(", spec->name, event->name);
  n = 0;
  for (const struct spec_attribute *a = event->attributes; a; a = a->next, n++)
    fprintf(file, a->type == SPEC_INTEGER ? "%sHEDDLE_WHOLE(a%u)" : "%s(a%u)", n ? ", " : "", n);
  fputs(") : (void)0)\n#endif\n", file);
}

static void c_write_function(const struct spec *spec, const struct spec_event *event, FILE *file)
{
  fprintf(file, "\nstatic inline void %s_%s(", spec->name, event->name);
  for (const struct spec_attribute *a = event->attributes; a; a = a->next)
    fprintf(file, "%s%s %s%s", a == event->attributes ? "" : ", ", a->type == SPEC_INTEGER ? "heddle_whole" : "double",
            a->name, c_code_end(a));
  fputs(event->attributes ? ")\n{\n" : "void)\n{\n", file);
  if (event->attributes) {
    fputs("  if (heddle_user) {\n    const struct heddle_attribute heddle_list[] = {", file);
    for (const struct spec_attribute *a = event->attributes; a; a = a->next)
      fprintf(file, "\n      heddle_%s(\"%s\", %s%s)%s", a->type == SPEC_INTEGER ? "integer" : "real", a->name, a->name,
              c_code_end(a), a->next ? "," : "};\n");
    fprintf(file, "    heddle_event_n(\"%s\", %u, heddle_list);\n  }\n}\n", event->name, event->attribute_count);
  } else {
    fprintf(file, "  heddle_event_n(\"%s\", 0, NULL);\n}\n", event->name);
  }
  write_macro(spec, event, file);
}

void write_c(const struct spec *spec, FILE *file)
{
  char built[BUILT_SIZE];
  fprintf(file,
          "/*\n"
          " * Logging functions of the specification %s, generated by heddle spec generate (Heddle %s).\n"
          " * Don't edit them: change the specification, and generate them again.\n"
          " */\n"
          "#ifndef HEDDLE_SPECIFICATION_%s\n"
          "#define HEDDLE_SPECIFICATION_%s\n\n"
          "#include <heddle.h>\n\n"
          "/* So that the trace says what the program was built with. */\n"
          "__attribute__((constructor)) static void heddle_specification_%s(void)\n"
          "{\n"
          "  heddle_event_n(\"%s\", 0, NULL);\n"
          "}\n",
          spec->name, HEDDLE_VERSION, spec->name, spec->name, spec->name, built_event(spec, built));
  FOR_EACH_DECLARED(event, spec)
  c_write_function(spec, event, file);
  fputs("\n#endif\n", file);
}

/* A module for Fortran. */

/* Integers and reals of an event may have 32 or 64 bits: a specific procedure for each choice, bit by bit. */
enum { INTEGERS_32 = 1, REALS_32 = 2, CHOICES = 4 };

static uint32_t count_of(const struct spec_event *event, enum spec_type type)
{
  uint32_t count = 0;
  for (const struct spec_attribute *a = event->attributes; a; a = a->next)
    count += a->type == type;
  return count;
}

static bool is_choice(const struct spec_event *event, unsigned choice)
{
  return (!(choice & INTEGERS_32) || count_of(event, SPEC_INTEGER) > 0) &&
         (!(choice & REALS_32) || count_of(event, SPEC_REAL) > 0);
}

static const char *fortran_end_of(const struct spec_attribute *attribute)
{
  return name_end(GENERATE_FORTRAN, NAME_PARAMETER, attribute->name);
}

static void write_interface(const struct spec *spec, const struct spec_event *event, FILE *file)
{
  fprintf(file, "\n  interface %s_%s\n", spec->name, event->name);
  for (unsigned choice = 0; choice < CHOICES; choice++)
    if (is_choice(event, choice))
      fprintf(file, "    module procedure heddle_log_%u_%u\n", event->index, choice);
  fprintf(file, "  end interface %s_%s\n", spec->name, event->name);
}

/* Writes the names, then the values, of the attributes of a type. Lines are short, whatever the names are. */
static void write_list(const struct spec_event *event, enum spec_type type, FILE *file)
{
  size_t longest = 0;
  const char *between = "";
  for (const struct spec_attribute *a = event->attributes; a; a = a->next)
    if (a->type == type && strlen(a->name) > longest)
      longest = strlen(a->name);
  fprintf(file, ", &\n                      [character(%zu) :: ", longest);
  for (const struct spec_attribute *a = event->attributes; a; a = a->next) {
    if (a->type == type) {
      fprintf(file, "%s&\n                       '%s'", between, a->name);
      between = ", ";
    }
  }
  fputs("], [", file);
  between = "";
  for (const struct spec_attribute *a = event->attributes; a; a = a->next) {
    if (a->type == type) {
      fprintf(file, "%s&\n                       %s%s", between, a->name, fortran_end_of(a));
      between = ", ";
    }
  }
  fputs("]", file);
}

static void write_procedure(const struct spec_event *event, unsigned choice, FILE *file)
{
  fprintf(file, "\n  subroutine heddle_log_%u_%u(", event->index, choice);
  for (const struct spec_attribute *a = event->attributes; a; a = a->next)
    fprintf(file, "%s&\n      %s%s", a == event->attributes ? "" : ", ", a->name, fortran_end_of(a));
  fputs(")\n", file);
  for (const struct spec_attribute *a = event->attributes; a; a = a->next)
    fprintf(file, "    %s, intent(in) :: %s%s\n",
            a->type == SPEC_INTEGER ? choice & INTEGERS_32 ? "integer(int32)" : "integer(int64)"
            : choice & REALS_32     ? "real(real32)"
                                    : "real(real64)",
            a->name, fortran_end_of(a));
  fprintf(file,
          "    if (.not. heddle_listens()) return\n"
          "    if (.not. heddle_said) call heddle_say()\n"
          "    call heddle_event('%s'",
          event->name);
  if (count_of(event, SPEC_INTEGER) > 0)
    write_list(event, SPEC_INTEGER, file);
  if (count_of(event, SPEC_REAL) > 0)
    write_list(event, SPEC_REAL, file);
  fprintf(file, ")\n  end subroutine heddle_log_%u_%u\n", event->index, choice);
}

/* The kinds that the module uses. */
static void write_kinds(const struct spec *spec, FILE *file)
{
  bool integers = false, reals = false;
  FOR_EACH_DECLARED(event, spec)
  {
    integers = integers || count_of(event, SPEC_INTEGER) > 0;
    reals = reals || count_of(event, SPEC_REAL) > 0;
  }
  if (integers || reals)
    fprintf(file, "  use, intrinsic :: iso_fortran_env, only: %s%s%s\n", integers ? "int32, int64" : "",
            integers && reals ? ", " : "", reals ? "real32, real64" : "");
}

void write_fortran(const struct spec *spec, FILE *file)
{
  char built[BUILT_SIZE];
  fprintf(file,
          "! Logging procedures of the specification %s, generated by heddle spec generate (Heddle %s).\n"
          "! Don't edit them: change the specification, and generate them again.\n"
          "module %s\n",
          spec->name, HEDDLE_VERSION, spec->name);
  write_kinds(spec, file);
  fputs("  use heddle, only: heddle_event, heddle_listens\n  implicit none\n  private\n", file);
  FOR_EACH_DECLARED(event, spec)
  fprintf(file, "  public :: %s_%s\n", spec->name, event->name);
  FOR_EACH_DECLARED(event, spec)
  write_interface(spec, event, file);
  fprintf(file,
          "\n  logical, volatile, save :: heddle_said = .false.\n"
          "\ncontains\n"
          "\n  ! So that the trace says what the program was built with. It does no harm if several threads say so.\n"
          "  subroutine heddle_say()\n"
          "    heddle_said = .true.\n"
          "    call heddle_event('%s' // &\n"
          "                      '%s')\n"
          "  end subroutine heddle_say\n",
          NAME_BUILT, built_event(spec, built) + strlen(NAME_BUILT));
  FOR_EACH_DECLARED(event, spec)
  for (unsigned choice = 0; choice < CHOICES; choice++)
    if (is_choice(event, choice))
      write_procedure(event, choice, file);
  fprintf(file, "\nend module %s\n", spec->name);
}

/* A class for Java. */

static void write_method(const struct spec_event *event, FILE *file)
{
  fprintf(file, "\n  /** Logs an event %s. */\n  public static void %s%s(", event->name, event->name,
          name_end(GENERATE_JAVA, NAME_FUNCTION, event->name));
  for (const struct spec_attribute *a = event->attributes; a; a = a->next)
    fprintf(file, "%s%s %s%s", a == event->attributes ? "" : ", ", a->type == SPEC_INTEGER ? "long" : "double", a->name,
            name_end(GENERATE_JAVA, NAME_PARAMETER, a->name));
  fprintf(file, ") {\n    if (Heddle.listens()) Heddle.event(\"%s\")", event->name);
  for (const struct spec_attribute *a = event->attributes; a; a = a->next)
    fprintf(file, ".with(\"%s\", %s%s)", a->name, a->name, name_end(GENERATE_JAVA, NAME_PARAMETER, a->name));
  fputs(".emit();\n  }\n", file);
}

void write_java(const struct spec *spec, const char *package, FILE *file)
{
  char built[BUILT_SIZE];
  const char *end = name_end(GENERATE_JAVA, NAME_WHOLE, spec->name);
  if (package)
    fprintf(file, "package %s;\n\n", package);
  fprintf(file,
          "import heddle.Heddle;\n\n"
          "/**\n"
          " * Logging methods of the specification %s, generated by heddle spec generate (Heddle %s). Don't edit them: "
          "change\n"
          " * the specification, and generate them again.\n"
          " */\n"
          "public final class %s%s {\n"
          "  static { // so that the trace says what the program was built with\n"
          "    Heddle.event(\"%s\").emit();\n"
          "  }\n\n"
          "  private %s%s() {}\n",
          spec->name, HEDDLE_VERSION, spec->name, end, built_event(spec, built), spec->name, end);
  FOR_EACH_DECLARED(event, spec)
  write_method(event, file);
  fputs("}\n", file);
}

/* A module for Python. */

static void python_write_function(const struct spec_event *event, FILE *file)
{
  fprintf(file, "\n\ndef %s%s(", event->name, name_end(GENERATE_PYTHON, NAME_FUNCTION, event->name));
  for (const struct spec_attribute *a = event->attributes; a; a = a->next)
    fprintf(file, "%s%s%s: %s", a == event->attributes ? "" : ", ", a->name,
            name_end(GENERATE_PYTHON, NAME_PARAMETER, a->name), a->type == SPEC_INTEGER ? "int" : "float");
  fprintf(file, ") -> None:\n    if heddle_listens:\n        heddle_event(\"%s\"", event->name);
  for (const struct spec_attribute *a = event->attributes; a; a = a->next) {
    const char *end = name_end(GENERATE_PYTHON, NAME_PARAMETER, a->name);
    fprintf(file, a->type == SPEC_INTEGER ? "%s\"%s\": heddle_whole(%s%s)" : "%s\"%s\": float(%s%s)",
            a == event->attributes ? ", {" : ", ", a->name, a->name, end);
  }
  fputs(event->attributes ? "})\n" : ")\n", file);
}

void write_python(const struct spec *spec, FILE *file)
{
  char built[BUILT_SIZE];
  fprintf(file,
          "\"\"\"Logging functions of the specification %s, generated by heddle spec generate (Heddle %s).\n\n"
          "Don't edit them: change the specification, and generate them again.\n"
          "\"\"\"\n"
          "from operator import index as heddle_whole\n\n"
          "from heddle import event as heddle_event, listens\n\n"
          "heddle_listens = listens()\n"
          "heddle_event(\"%s\")  # so that the trace says what the program was built with\n",
          spec->name, HEDDLE_VERSION, built_event(spec, built));
  FOR_EACH_DECLARED(event, spec)
  python_write_function(event, file);
}
