#include "otf2-convert/scan/teams.h"

#include "base/count_of.h"

#include <stdlib.h>
#include <string.h>

static struct team *find_team(struct teams *teams, uint64_t key)
{
  uint64_t *team = hash_find(&teams->live, key);
  return team == NULL ? NULL : (struct team *)(uintptr_t)*team;
}

/* A new region. *full: there is no room, which is no error. */
static struct team *teams_add(struct teams *teams, uint64_t key, bool *full)
{
  *full = teams->live.count >= TEAMS_LIVE_MAX;
  if (*full)
    return NULL;
  struct team *team = teams->unused_count > 0 ? teams->unused[--teams->unused_count] : calloc(1, sizeof *team);
  if (team == NULL || hash_add(&teams->live, key, (uint64_t)(uintptr_t)team) == NULL) {
    free(team);
    return NULL;
  }
  team->key = key;
  team->comm = COMM_NONE;
  return team;
}

static void drop(struct teams *teams, struct team *team)
{
  hash_remove(&teams->live, team->key);
  if (teams->unused_count == COUNT_OF(teams->unused) || team->members.room > 4096) {
    vector_free(&team->members);
    free(team);
    return;
  }
  struct team empty = {0}; /* except the room for members */
  empty.members = team->members;
  empty.members.count = 0;
  *team = empty;
  teams->unused[teams->unused_count++] = team;
}

bool teams_add_region(struct teams *teams, uint64_t key, uint64_t code, bool is_league)
{
  bool full = false;
  struct team *team = find_team(teams, key);
  if (team == NULL && (team = teams_add(teams, key, &full)) == NULL)
    return full;
  team->code = code;
  team->is_league = is_league;
  team->users++;
  return true;
}

/* Adds up the same for the same members in any order. */
static uint64_t shape_of(struct member member)
{
  return hash_mix((uint64_t)member.index << 32 | member.location);
}

bool teams_add_member(struct teams *teams, uint64_t key, uint32_t size, struct member member, uint32_t round)
{
  bool full = false;
  struct team *team = find_team(teams, key);
  if (team == NULL && (team = teams_add(teams, key, &full)) == NULL)
    return full;
  team->users++;
  if (team->comm != COMM_NONE) { /* settled without this one: the communicator is this region's own */
    struct comm *comm = &teams->comms.items[team->comm];
    return comm->complete || vector_push(&comm->members, member);
  }
  if (team->members.count == 0) {
    team->round = round;
    team->size = size;
    team->shape = size;
    if (!vector_push(&teams->unsettled, key))
      return false;
  }
  team->shape += shape_of(member);
  return vector_push(&team->members, member);
}

void teams_add_arrival(struct teams *teams, uint64_t key, uint64_t time)
{
  struct team *team = find_team(teams, key);
  if (team == NULL)
    return;
  team->arrived++;
  if (time > team->latest_arrival)
    team->latest_arrival = time;
}

/* True if the communicator has exactly these members. */
static bool same_team(const struct comm *comm, const struct team *team)
{
  if (!comm->complete || comm->size != team->size || comm->members.count != team->members.count)
    return false;
  for (size_t i = 0; i < team->members.count; i++) {
    struct member member = team->members.items[i];
    if (member.index >= comm->size || comm->members.items[member.index].location != member.location)
      return false;
  }
  return true;
}

/* Puts the members in the order of their numbers; false when the numbers are not 0, 1, 2, ... */
static bool teams_in_order(struct member *ordered, const struct team *team)
{
  for (size_t i = 0; i < team->members.count; i++)
    ordered[i].index = UINT32_MAX;
  for (size_t i = 0; i < team->members.count; i++) {
    struct member member = team->members.items[i];
    if (member.index >= team->size || ordered[member.index].index != UINT32_MAX)
      return false;
    ordered[member.index] = member;
  }
  return true;
}

static bool settle(struct teams *teams, struct team *team)
{
  bool complete = team->members.count == team->size;
  uint64_t *known = complete ? hash_find(&teams->by_shape, team->shape) : NULL;
  if (known != NULL && same_team(&teams->comms.items[*known], team)) {
    team->comm = (uint32_t)*known;
    return true;
  }
  if (teams->comms.count >= TEAMS_LIVE_MAX)
    return true; /* it stays without */
  struct comm comm = {.size = team->size};
  comm.members.items = calloc(team->members.count, sizeof *comm.members.items);
  if (comm.members.items == NULL)
    return false;
  comm.members.count = comm.members.room = team->members.count;
  comm.complete = complete && teams_in_order(comm.members.items, team);
  if (!comm.complete)
    memcpy(comm.members.items, team->members.items, team->members.count * sizeof *comm.members.items);
  if (!vector_push(&teams->comms, comm)) {
    vector_free(&comm.members);
    return false;
  }
  team->comm = (uint32_t)(teams->comms.count - 1);
  return !comm.complete || known != NULL || hash_add(&teams->by_shape, team->shape, team->comm) != NULL;
}

bool teams_settle(struct teams *teams, uint32_t round)
{
  size_t kept = 0;
  for (size_t i = 0; i < teams->unsettled.count; i++) {
    struct team *team = find_team(teams, teams->unsettled.items[i]);
    if (team == NULL || team->comm != COMM_NONE)
      continue;
    if (team->members.count == team->size || team->round <= round) {
      if (!settle(teams, team))
        return false;
    } else {
      teams->unsettled.items[kept++] = teams->unsettled.items[i];
    }
  }
  teams->unsettled.count = kept;
  return true;
}

void teams_release(struct teams *teams, uint64_t key)
{
  struct team *team = find_team(teams, key);
  if (team != NULL && (team->users <= 1 || --team->users == 0))
    drop(teams, team);
}

void teams_free(struct teams *teams)
{
  for (size_t i = 0; i < teams->live.room; i++)
    if (teams->live.entries[i].used) {
      struct team *team = (struct team *)(uintptr_t)teams->live.entries[i].value;
      vector_free(&team->members);
      free(team);
    }
  for (size_t i = 0; i < teams->unused_count; i++) {
    vector_free(&teams->unused[i]->members);
    free(teams->unused[i]);
  }
  hash_free(&teams->live);
  for (size_t i = 0; i < teams->comms.count; i++)
    vector_free(&teams->comms.items[i].members);
  vector_free(&teams->comms);
  hash_free(&teams->by_shape);
  vector_free(&teams->unsettled);
}

#define BLOCKS_A_GROUP 4096u

struct task_blocks {
  _Atomic(struct task_block *) blocks[BLOCKS_A_GROUP];
};

static struct task_block *find_block(const struct task_table *table, uint64_t id)
{
  uint64_t block = (id & RAW_VALUE_MASK) >> RAW_ID_BLOCK_SHIFT;
  struct task_blocks *group = atomic_load(&table->groups[block / BLOCKS_A_GROUP]);
  return group == NULL ? NULL : atomic_load(&group->blocks[block % BLOCKS_A_GROUP]);
}

static uint32_t page_number(uint64_t id)
{
  return (uint32_t)(id & ((1u << RAW_ID_BLOCK_SHIFT) - 1)) / TASKS_A_PAGE;
}

static struct task_page *find_page(const struct task_table *table, uint64_t id)
{
  struct task_block *block = find_block(table, id);
  const uint64_t *page = block == NULL ? NULL : hash_find(&block->pages, page_number(id));
  return page == NULL ? NULL : (struct task_page *)(uintptr_t)*page;
}

bool task_table_open_block(struct task_table *table, uint64_t number, uint32_t owner)
{
  if (number >= 1u << (RAW_VALUE_BITS - RAW_ID_BLOCK_SHIFT))
    return true;
  _Atomic(struct task_blocks *) *group_at = &table->groups[number / BLOCKS_A_GROUP];
  struct task_blocks *group = atomic_load(group_at);
  if (group == NULL) {
    struct task_blocks *made = calloc(1, sizeof *made);
    if (made == NULL)
      return false;
    if (atomic_compare_exchange_strong(group_at, &group, made))
      group = made;
    else
      free(made);
  }
  struct task_block *block = NULL, *made = calloc(1, sizeof *made);
  if (made == NULL)
    return false;
  made->owner = owner;
  if (!atomic_compare_exchange_strong(&group->blocks[number % BLOCKS_A_GROUP], &block, made))
    free(made);
  return true;
}

/* Makes a page that the block does not have yet. *full: there is no room, which is no error. */
static struct task_page *add_page(struct task_table *table, struct task_block *block, uint32_t number, bool *full)
{
  *full = atomic_fetch_add(table->page_count, 1) >= TASK_PAGES_MAX;
  struct task_page *page = *full ? NULL : calloc(1, sizeof *page);
  if (page != NULL && hash_add(&block->pages, number, (uint64_t)(uintptr_t)page) != NULL)
    return page;
  free(page);
  atomic_fetch_sub(table->page_count, 1);
  return NULL;
}

static void close_page(struct task_table *table, uint64_t id)
{
  struct task_page *page = find_page(table, id);
  if (page == NULL)
    return;
  page->closed = true;
  if (atomic_load(&page->live) == 0)
    task_table_free_page(table, id);
}

bool task_table_add(struct task_table *table, uint64_t id, uint32_t owner, struct task task, uint64_t *last_id)
{
  struct task_block *block = find_block(table, id);
  if (block == NULL || block->owner != owner)
    return true;
  if (*last_id != 0 && *last_id / TASKS_A_PAGE != id / TASKS_A_PAGE)
    close_page(table, *last_id);
  bool full = false;
  struct task_page *page = find_page(table, id);
  if (page == NULL && (page = add_page(table, block, page_number(id), &full)) == NULL)
    return full;
  struct task *place = &page->tasks[id % TASKS_A_PAGE];
  if (!place->known)
    atomic_fetch_add_explicit(&page->live, 1, memory_order_relaxed);
  *place = task;
  place->known = 1;
  *last_id = id;
  return true;
}

const struct task *task_table_find(const struct task_table *table, uint64_t id)
{
  struct task_page *page = find_page(table, id);
  return page == NULL || !page->tasks[id % TASKS_A_PAGE].known ? NULL : &page->tasks[id % TASKS_A_PAGE];
}

bool task_table_end(struct task_table *table, uint64_t id)
{
  struct task_page *page = find_page(table, id);
  if (page == NULL || !page->tasks[id % TASKS_A_PAGE].known)
    return false;
  return atomic_fetch_sub_explicit(&page->live, 1, memory_order_relaxed) == 1 && page->closed;
}

void task_table_free_page(struct task_table *table, uint64_t id)
{
  struct task_page *page = find_page(table, id);
  if (page == NULL)
    return;
  hash_remove(&find_block(table, id)->pages, page_number(id));
  free(page);
  atomic_fetch_sub(table->page_count, 1);
}

static void free_block(struct task_block *block)
{
  for (size_t i = 0; block != NULL && i < block->pages.room; i++)
    if (block->pages.entries[i].used)
      free((struct task_page *)(uintptr_t)block->pages.entries[i].value);
  if (block != NULL)
    hash_free(&block->pages);
  free(block);
}

void task_table_free(struct task_table *table)
{
  for (uint32_t g = 0; g < COUNT_OF(table->groups); g++) {
    struct task_blocks *group = atomic_load(&table->groups[g]);
    for (uint32_t b = 0; group != NULL && b < BLOCKS_A_GROUP; b++)
      free_block(atomic_load(&group->blocks[b]));
    free(group);
  }
}
