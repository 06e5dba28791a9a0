/* Function names as the program's text has them, and text from outside made harmless. */
#include "otf2-convert/symbols/symbol_names.h"
#include "otf2-convert/text_fields.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect(const char *compiled, const char *plain)
{
  char name[128];
  strcpy(name, compiled);
  source_name(name);
  assert_string_equal(name, plain);
}

static void plain_names(void **state)
{
  (void)state;
  expect("main", "main");
  expect("factorize.omp_outlined", "factorize");
  expect("main.omp_outlined_debug__", "main");
  expect("main.omp_outlined.2", "main");
  expect("main._omp_fn.0", "main");
  expect("work.constprop.0.isra.0", "work");
  expect("solve._loopfn.3", "solve");
  expect("__m_MOD_s._loopfn.3", "m::s");
  expect("__m_MOD_s._omp_fn.0.constprop.0.cold", "m::s");
  expect("sweep_._omp_fn.0.part.0", "sweep");
  expect("__solver_MOD_step", "solver::step");
  expect("_QMsolverPstep..omp_par.1", "solver::step");
  expect("_QQmain", "main");
  expect("ext_", "ext");
  expect("_start", "_start");
  expect("", "");
  expect(".cold", ".cold");
}

static void control_characters_are_escaped(void **state)
{
  char text[64];
  (void)state;
  escape_control("caf\xc3\xa9 \x1b[31m \xff\xc3", text, sizeof text);
  assert_string_equal(text, "caf\xc3\xa9 \\x1b[31m \\xff\\xc3");
  escape_control("ab\x01", text, 5);
  assert_string_equal(text, "ab");
}

static void expect_cxx(const char *linkage, const char *plain)
{
  char *name = cxx_name(linkage);
  if (plain == NULL) {
    assert_null(name);
    return;
  }
  assert_non_null(name);
  assert_string_equal(name, plain);
  free(name);
}

static void names_of_cxx(void **state)
{
  (void)state;
  expect_cxx("_Z4stepi", "step");
  expect_cxx("_ZNK4grid6SolverIdE4stepEi", "grid::Solver<double>::step");
  expect_cxx("_ZN4grid5applyINS_6SolverIdEEEEiRKT_", "grid::apply<grid::Solver<double> >"); /* int grid::apply... */
  expect_cxx("_ZNK4grid6SolverIdEclEv", "grid::Solver<double>::operator()");
  expect_cxx("_ZN4gridlsIiEEbRKT_S3_", "grid::operator<< <int>"); /* bool grid::operator<< ... */
  expect_cxx("_ZN4grid6SolvercvbEv", "grid::Solver::operator bool");
  expect_cxx("_ZN12_GLOBAL__N_14burnEv", "(anonymous namespace)::burn");
  expect_cxx("_ZNSt8functionIFviEEC2Ev", "std::function<void (int)>::function");
  expect_cxx("_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()");
  expect_cxx("_Z4stepi.cold", "step");
  expect_cxx("main", NULL);
  expect_cxx("_Z", NULL);
  expect_cxx("_ZN4grid", NULL);
  expect_cxx("", NULL);
}

static void expect_readable(const char *name, const char *readable)
{
  char text[256];
  snprintf(text, sizeof text, "%s", name);
  readable_name(text);
  assert_string_equal(text, readable);
}

static void long_names_are_cut(void **state)
{
  (void)state;
  expect_readable("grid::Solver<double>::step", "grid::Solver<double>::step");
  expect_readable("Queue<std::vector<std::string, std::allocator<std::string > >, std::map<int, double> >::push",
                  "Queue<...>::push");
  expect_readable(
      "a_namespace_with_a_name::operator<< <std::vector<std::string, std::allocator<std::string > >, double>",
      "a_namespace_with_a_name::operator<< <...>");
  expect_readable("a_name_of_eighty_one_bytes_12345678901234567890123456789012345678901234567890_____",
                  "a_name_of_eighty_one_bytes_12345678901234567890123456789012345678901234567890...");
}

static void outlined_names(void **state)
{
  (void)state;
  assert_true(source_name_is_outlined("main._omp_fn.0"));
  assert_true(source_name_is_outlined("_Z4stepi.omp_outlined.3"));
  assert_true(source_name_is_outlined("main.omp_outlined_debug__"));
  assert_true(source_name_is_outlined("_QQmain..omp_par.1"));
  assert_true(source_name_is_outlined(".omp_task_entry."));
  assert_false(source_name_is_outlined("main"));
  assert_false(source_name_is_outlined("omp_fn"));
}

UNIT_TEST(names)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(plain_names), cmocka_unit_test(control_characters_are_escaped),
                                     cmocka_unit_test(names_of_cxx), cmocka_unit_test(long_names_are_cut),
                                     cmocka_unit_test(outlined_names)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
