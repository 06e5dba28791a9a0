/* Directives of sources, as people and as nobody writes them, and the edits that follow. */
#include "analyzer/findings/suggest/directive.h"
#include "analyzer/findings/suggest/edits.h"
#include "analyzer/findings/suggest/fortran.h"
#include "analyzer/findings/suggest/patch_text.h"
#include "base/count_of.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void lines_that_are_understood(void **state)
{
  (void)state;
  static const struct {
    const char *line;
    unsigned words, clauses;
    const char *end; /* what stands behind the last clause */
  } cases[] = {
      {"#pragma omp parallel for\n", DIRECTIVE_PARALLEL | DIRECTIVE_FOR, 0, "\n"},
      {" \t# pragma omp for nowait // fast\r\n", DIRECTIVE_FOR, 1, " // fast\r\n"},
      {"#pragma omp parallel for reduction(+ : a[0:f(1)]), num_threads(2) /* all */",
       DIRECTIVE_PARALLEL | DIRECTIVE_FOR, 2, " /* all */"},
      {"#pragma omp for \\\n   schedule(static, \\\n 4) \\\n\nx", DIRECTIVE_FOR, 1, " \\\n\nx"},
      {"#pragma omp critical(name)\n", DIRECTIVE_CRITICAL, 0, "\n"},
      {"#pragma omp single", DIRECTIVE_SINGLE, 0, ""},
      {"#pragma omp task if(c == ')' || strcmp(s, \")\\\"\"))\n", DIRECTIVE_TASK, 1, "\n"},
      {"#pragma omp ordered(2)\n", DIRECTIVE_OTHER, 0, "\n"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct directive directive;
    assert_true(directive_parse(cases[i].line, strlen(cases[i].line), &directive));
    assert_int_equal(directive.words, cases[i].words);
    assert_int_equal(directive.clause_count, cases[i].clauses);
    assert_string_equal(cases[i].line + directive.end, cases[i].end);
  }
}

static void lines_that_are_not(void **state)
{
  (void)state;
  static const char *const lines[] = {
      "",
      "\n",
      "#",
      "#pragma",
      "#pragma omp",
      "#pragma omp\n",
      "#pragma omp unknown\n",
      "#pragma omp parallel for x(\n",
      "#pragma omp parallel for x(()\n",
      "#pragma omp parallel for )\n",
      "#pragma omp parallel for x(1))\n",
      "#pragma omp for , \n",
      "#pragma omp for ,, nowait\n",
      "#pragma omp for /* open\n",
      "#pragma omp for x(/* open\n*/)\n",
      "#pragma omp for x(\"open)\n",
      "#pragma omp for x('\\",
      "#pragma omp for // goes on \\\n nowait\n",
      "#pragma omp for; x\n",
      "x #pragma omp for\n",
      "// #pragma omp for\n",
      "#pragma omp for #pragma omp for\n",
      "#pragmaomp for\n",
      "#pragma ompfor\n",
      "_Pragma(\"omp for\")\n",
      "#pragma omp for x(\\",
      "#pragma omp for \\",
  };
  struct directive directive;
  for (size_t i = 0; i < COUNT_OF(lines); i++) {
    size_t size = strlen(lines[i]);
    char *exact = malloc(size + !size); /* a read behind it is seen by the sanitizer */
    memcpy(exact, lines[i], size);
    assert_false(directive_parse(exact, size, &directive));
    free(exact);
  }
  static const char most[] = "#pragma omp for "; /* each beginning of a line, and many clauses */
  char *long_line = malloc(200000);
  size_t size = (size_t)sprintf(long_line, "%s", most);
  for (unsigned i = 0; i < CLAUSES_MOST + 1; i++)
    size += (size_t)sprintf(long_line + size, "private(a) ");
  assert_false(directive_parse(long_line, size, &directive));
  size = (size_t)sprintf(long_line, "%sx", most);
  memset(long_line + size, '(', 100000);
  assert_false(directive_parse(long_line, size + 100000, &directive));
  long_line[size + 50000] = '\0';
  assert_false(directive_parse(long_line, size + 100000, &directive));
  free(long_line);
}

/* The source after the change; "-" in place of an equal one. */
static void assert_change(const char *text, const char *expected,
                          bool (*edit)(const struct code_text *, struct change *))
{
  struct code_text source;
  struct change change;
  char result[4096] = "";
  assert_true(code_text_of_text(&source, text, strlen(text)));
  assert_true(edit(&source, &change));
  size_t line = 0;
  for (unsigned i = 0; i <= change.count; i++) {
    size_t to = i < change.count ? change.edits[i].line : source.line_count;
    strncat(result, text + source.lines[line], source.lines[to] - source.lines[line]);
    if (i == change.count)
      break;
    strcat(result, change.edits[i].text);
    line = to + change.edits[i].count;
  }
  assert_string_equal(change.count ? result : "-", expected);
  change_free(&change);
  code_text_free(&source);
}

static bool schedule_at_2(const struct code_text *source, struct change *change)
{
  return edit_add_clause(source, 2, "schedule(dynamic)", change);
}

static bool nowait_at_2(const struct code_text *source, struct change *change)
{
  return edit_add_clause(source, 2, "nowait", change);
}

static bool tasks_anywhere(const struct code_text *source, struct change *change)
{
  return edit_taskloop(source, "num_tasks(8)", change);
}

static bool reduction_at_4(const struct code_text *source, struct change *change)
{
  return edit_make_reduction(source, 4, change);
}

static void clauses(void **state)
{
  (void)state;
  assert_change("#pragma omp parallel for // all\nfor (;;)\n;\n",
                "#pragma omp parallel for schedule(dynamic) // all\nfor (;;)\n;\n", schedule_at_2);
  assert_change("\n#pragma omp for \\\n  private(a)\r\n", "\n#pragma omp for \\\n  private(a) schedule(dynamic)\r\n",
                schedule_at_2);
  static const char *const none[] = {"#pragma omp parallel for schedule(static)\nfor",
                                     "#pragma omp for nowait\nfor",
                                     "#pragma omp parallel\nx",
                                     "#pragma omp for ordered\nfor",
                                     "#pragma omp parallel for\n",
                                     "x;\nfor (;;)\n",
                                     "#pragma omp target teams distribute parallel for\nfor",
                                     "/*\n#pragma omp for\n*/",
                                     "#pragma omp parallel for\nx; for",
                                     "\"\\\n#pragma omp for\n\""};
  for (size_t i = 0; i < COUNT_OF(none); i++)
    assert_change(none[i], i == 8 ? "#pragma omp parallel for schedule(dynamic)\nx; for" : "-", schedule_at_2);
  assert_change("\n#pragma omp single\n", "\n#pragma omp single nowait\n", nowait_at_2);
  assert_change("\n#pragma omp single copyprivate(a)\n", "-", nowait_at_2);
  assert_change("\n#pragma omp for\n", "-", nowait_at_2);
  assert_change("#pragma omp taskloop simd\n", "#pragma omp taskloop simd num_tasks(8)\n", tasks_anywhere);
  assert_change("#pragma omp taskloop grainsize(1)\n", "-", tasks_anywhere);
  assert_change("#pragma omp taskloop\n#pragma omp task\n", "-", tasks_anywhere);
  assert_change("#pragma omp taskloop\n#pragma omp taskloop\n", "-", tasks_anywhere);
}

static void reductions(void **state)
{
  (void)state;
  assert_change("#pragma omp parallel for\nfor (int i = 0; i < n; i++) {\n  int x = i; /* s */\n#pragma omp critical\n "
                " s += x * (i - 1);\n}\n",
                "#pragma omp parallel for reduction(+:s)\nfor (int i = 0; i < n; i++) {\n  int x = i; /* s */\n  s += "
                "x * (i - 1);\n}\n",
                reduction_at_4);
  assert_change("#pragma omp parallel\n{\nfor (;;)\n#pragma omp critical(a)\n{ s += 1; }\n}\n",
                "#pragma omp parallel reduction(+:s)\n{\nfor (;;)\n{ s += 1; }\n}\n", reduction_at_4);
  static const char *const sums[] = {"s += f(x);",          "s += s;",   "s -= x;",    "s = s + x;",  "*s += x;",
                                     "s[0] += x;",          "s.a += x;", "s += x, y;", "s += x = 1;", "s += x++;",
                                     "{ s += x; t += x; }", "{ s += x;", "s +=",       "s",           "{",
                                     "if (x) s += x;",      "3 += x;",   ";",          "s += a{1};"};
  for (size_t i = 0; i < COUNT_OF(sums); i++) {
    char text[512];
    snprintf(text, sizeof text, "#pragma omp parallel for\nfor (;;) {\n\n#pragma omp critical\n%s\n}\n", sums[i]);
    assert_change(text, "-", reduction_at_4);
  }
  static const char *const around[] = {
      "#pragma omp parallel for\nfor (;;) {\nif (s > 1) ;\n#pragma omp critical\ns += x;\n}\n",
      "#pragma omp parallel for reduction(+:t)\nfor (;;) {\n\n#pragma omp critical\ns += x;\n}\n",
      "#pragma omp parallel for private(s)\nfor (;;) {\n\n#pragma omp critical\ns += x;\n}\n",
      "#pragma omp parallel for\nfor (;;) ;\n{\n#pragma omp critical\ns += x;\n}\n",
      "#pragma omp parallel\n{\n#pragma omp task\n#pragma omp critical\ns += x;\n}\n",
      "#pragma omp parallel for\nfor (;;) {\n#if X\n#pragma omp critical\ns += x;\n#endif\n}\n",
      "#pragma omp parallel for\nfor (;;) {\n\n#pragma omp critical hint(0)\ns += x;\n}\n",
      "#pragma omp teams distribute parallel for\nfor (;;) {\n\n#pragma omp critical\ns += x;\n}\n",
      "#pragma omp parallel for\nfor (;;) {\nR\"x(\n#pragma omp critical\ns += x;\n)x\"; }\n",
      "\n\n\n#pragma omp critical\ns += x;\n",
      "\n\n\n\n",
      "\n",
  };
  for (size_t i = 0; i < COUNT_OF(around); i++)
    assert_change(around[i], "-", reduction_at_4);
}

static bool fortran_schedule_at_2(const struct code_text *source, struct change *change)
{
  return fortran_add_clause(source, 2, "schedule(dynamic)", change);
}

static bool fortran_nowait_at_2(const struct code_text *source, struct change *change)
{
  return fortran_add_clause(source, 2, "nowait", change);
}

static bool fortran_tasks_at_2(const struct code_text *source, struct change *change)
{
  return fortran_add_clause(source, 2, "num_tasks(8)", change);
}

static void clauses_of_fortran(void **state)
{
  (void)state;
  static const struct {
    const char *text, *expected;
    bool (*edit)(const struct code_text *, struct change *);
  } cases[] = {
      {"\n!$omp parallel do\ndo i = 1, n\n", "\n!$omp parallel do schedule(dynamic)\ndo i = 1, n\n",
       fortran_schedule_at_2},
      {"  !$OMP Do Private(x) ! all\n  do i = 1, n\n", "  !$OMP Do Private(x) schedule(dynamic) ! all\n  do i = 1, n\n",
       fortran_schedule_at_2},
      {"!$omp parallel do &\n!$omp& private(x)\ndo i = 1, n\n",
       "!$omp parallel do &\n!$omp& private(x) schedule(dynamic)\ndo i = 1, n\n", fortran_schedule_at_2},
      {"\n!$omp do\ndo i = 1, n\nend do\n!$omp end do nowait\n", "-", fortran_schedule_at_2},
      {"\n!$omp do\ndo i = 1, n\nend do\n!$omp end do\n",
       "\n!$omp do schedule(dynamic)\ndo i = 1, n\nend do\n!$omp end do\n", fortran_schedule_at_2},
      {"\n!$omp parallel do schedule(static)\n", "-", fortran_schedule_at_2},
      {"\n!$omp parallel do ordered\n", "-", fortran_schedule_at_2},
      {"\n!$omp do simd\n", "-", fortran_schedule_at_2},
      {"\n!$omp parallel do if(a == ')')\n", "-", fortran_schedule_at_2},
      {"\n!$omp parallel do private(x\n", "-", fortran_schedule_at_2},
      {"\n!$omp parallel do &\n", "-", fortran_schedule_at_2},
      {"\n!$omp parallel\n", "-", fortran_schedule_at_2},
      {"!$omp parallel do\nx = 1\n", "!$omp parallel do schedule(dynamic)\nx = 1\n", fortran_schedule_at_2},
      {"\n!$ompx do\n", "-", fortran_schedule_at_2},
      {"\n!$omp single\nx = 1\n!$omp end single\n", "\n!$omp single\nx = 1\n!$omp end single nowait\n",
       fortran_nowait_at_2},
      {"\n!$omp single\nx = 1\n!$omp end single copyprivate(x)\n", "-", fortran_nowait_at_2},
      {"\n!$omp single\nx = 1\n!$omp single\n!$omp end single\n", "-", fortran_nowait_at_2},
      {"\n!$omp single\nx = 1\n", "-", fortran_nowait_at_2},
      {"\n!$omp taskloop shared(a)\n", "\n!$omp taskloop shared(a) num_tasks(8)\n", fortran_tasks_at_2},
      {"\n!$omp taskloop grainsize(4)\n", "-", fortran_tasks_at_2},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++)
    assert_change(cases[i].text, cases[i].expected, cases[i].edit);
}

static void hostile_sources(void **state)
{
  (void)state;
  struct code_text source;
  assert_false(code_text_of_text(&source, "", 0));
  code_text_free(&source);
  assert_false(code_text_of_text(&source, "a\0b", 3));
  code_text_free(&source);
  assert_false(code_text_read(&source, "/dev/null"));
  assert_false(code_text_read(&source, "/nowhere"));
  static const char *const units[] = {"{",  "(",    "for (;;) ", "if (x) ", "#pragma omp parallel for\n", "\"", "'",
                                      "/*", "R\"(", "\\\n",      "//\\\n"};
  for (size_t i = 0; i < COUNT_OF(units); i++) { /* deep, or without end */
    char *text = malloc(40000 + 64);
    size_t size = (size_t)sprintf(text, "#pragma omp parallel for\n\n\n#pragma omp critical\n");
    while (size < 40000)
      size += (size_t)sprintf(text + size, "%s", units[i]);
    struct change change;
    assert_true(code_text_of_text(&source, text, size));
    assert_true(edit_make_reduction(&source, 4, &change));
    assert_int_equal(change.count, 0);
    assert_true(edit_make_reduction(&source, UINT32_MAX, &change));
    code_text_free(&source);
    free(text);
  }
}

static void patches(void **state)
{
  (void)state;
  static const char text[] = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13";
  struct code_text source;
  assert_true(code_text_of_text(&source, text, strlen(text)));
  struct edit edits[] = {{1, 1, (char[]){"two\n"}}, {10, 1, (char[]){""}}, {12, 1, (char[]){"thirteen"}}};
  char *patch;
  size_t size;
  FILE *file = open_memstream(&patch, &size);
  patch_text_write(file, "a b.c", &source, edits, COUNT_OF(edits));
  fclose(file);
  assert_string_equal(patch, "--- a/a b.c\t\n+++ b/a b.c\t\n@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n@@ -8,6 +8,5 "
                             "@@\n 8\n 9\n 10\n-11\n 12\n-13\n"
                             "\\ No newline at end of file\n+thirteen\n\\ No newline at end of file\n");
  free(patch);
  code_text_free(&source);
}

UNIT_TEST(suggest)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_that_are_understood),
      cmocka_unit_test(lines_that_are_not),
      cmocka_unit_test(clauses),
      cmocka_unit_test(reductions),
      cmocka_unit_test(clauses_of_fortran),
      cmocka_unit_test(hostile_sources),
      cmocka_unit_test(patches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
