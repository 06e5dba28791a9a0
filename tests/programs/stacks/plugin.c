/* A library that calls back from a function whose name is its own. */
#define NAMED(name)       NAMED_AGAIN(name)
#define NAMED_AGAIN(name) plugin_##name

void plugin_run(void (*stay)(double), double time);
void NAMED(NAME)(void (*stay)(double), double time);

static volatile int after;

__attribute__((noinline)) void NAMED(NAME)(void (*stay)(double), double time)
{
  stay(time);
  after++;
}

void plugin_run(void (*stay)(double), double time)
{
  NAMED(NAME)(stay, time);
  after++;
}
