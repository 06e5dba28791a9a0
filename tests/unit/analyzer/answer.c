#include "tests/unit/analyzer/answer.h"
#include "tests/unit/analyzer/scene.h"
#include "tests/unit/unit.h"

#include <string.h>

static void find_facts(struct answer *a)
{
  struct error error;
  if (!run_analyses(a->trace, a->pool, &(struct run_analyses_options){.own_figures = true}, &a->all, &error))
    fail_msg("%s", error.message);
}

struct answer ask(struct fixture *fixture)
{
  struct answer a = {.fixture = fixture, .directory = fixture_finish(fixture), .pool = pool_create(2)};
  struct error error;
  a.trace = trace_open(a.directory, &error);
  if (!a.trace)
    fail_msg("%s", error.message);
  find_facts(&a);
  return a;
}

void dismiss(struct answer *a)
{
  run_analyses_free(&a->all);
  pool_destroy(a->pool);
  trace_close(a->trace);
  fixture_destroy(a->fixture);
}

void ask_part(struct answer *a, uint64_t from, uint64_t to)
{
  run_analyses_free(&a->all);
  trace_restrict_time(a->trace, from, to);
  find_facts(a);
}

void ask_without(struct answer *a, uint32_t location)
{
  run_analyses_free(&a->all);
  trace_exclude(a->trace, location);
  find_facts(a);
}

const struct finding *first_of(const struct answer *a)
{
  if (a->all.findings.count == 0)
    fail_msg("%s", a->all.findings.first);
  return &a->all.findings.list[0];
}

bool has_kind(const struct answer *a, enum finding_kind kind)
{
  for (size_t i = 0; i < a->all.findings.count; i++)
    if (a->all.findings.list[i].kind == kind)
      return true;
  return false;
}

void expect_finding(const struct answer *a, size_t at, enum finding_kind kind, uint32_t region, double ticks)
{
  assert_true(at < a->all.findings.count);
  const struct finding *finding = &a->all.findings.list[at];
  if (finding->kind != kind || finding->region != region)
    fail_msg("%s: %s", finding_kind_name(finding->kind), finding->text);
  assert_near(finding->ticks, ticks);
  assert_near(finding->percent, 100 * ticks / a->all.findings.run);
}

void assert_says(const char *text, const char *part)
{
  if (!strstr(text, part))
    fail_msg("'%s' is not in: %s", part, text);
}
