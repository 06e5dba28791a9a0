#include "tests/soak/soak.h"

/* splitmix64 */
static uint64_t mixed(uint64_t x)
{
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

uint64_t draw_number(struct draw *draw)
{
  draw->state += 0x9e3779b97f4a7c15ull;
  return mixed(draw->state);
}

unsigned draw_below(struct draw *draw, unsigned n)
{
  return (unsigned)(draw_number(draw) % n);
}

unsigned draw_between(struct draw *draw, unsigned least, unsigned most)
{
  return least + draw_below(draw, most - least + 1);
}

struct draw draw_split(const struct draw *draw, uint64_t n)
{
  return (struct draw){mixed(draw->state ^ mixed(n + 1))};
}
