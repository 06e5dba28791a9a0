/* Function names as the program's text has them, and text from outside made harmless. */
#include "otf2-convert/plain_text.h"
#include "otf2-convert/source_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
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

static void plain_texts(void **state)
{
  char text[64];
  (void)state;
  plain_text("caf\xc3\xa9 \x1b[31m \xff\xc3", text, sizeof text);
  assert_string_equal(text, "caf\xc3\xa9 \\x1b[31m \\xff\\xc3");
  plain_text("ab\x01", text, 5);
  assert_string_equal(text, "ab");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(plain_names), cmocka_unit_test(plain_texts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
