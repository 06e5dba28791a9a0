#include "otf2-convert/tasks.h"

#include <stdlib.h>

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
  return block == NULL || page_number(id) >= block->page_count ? NULL : block->pages[page_number(id)];
}

bool tasks_open_block(struct task_table *table, uint64_t number, uint32_t owner)
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

/* Makes the page of that number, which the block does not have yet. */
static struct task_page *add_page(struct task_block *block, uint32_t number)
{
  if (number >= block->page_count) {
    uint32_t room = number < 16 ? 16 : 2 * number;
    struct task_page **more = realloc(block->pages, room * sizeof *more);
    if (more == NULL)
      return NULL;
    for (uint32_t i = block->page_count; i < room; i++)
      more[i] = NULL;
    block->pages = more;
    block->page_count = room;
  }
  return block->pages[number] = calloc(1, sizeof(struct task_page));
}

static void close_page(struct task_table *table, uint64_t id)
{
  struct task_page *page = find_page(table, id);
  if (page == NULL)
    return;
  page->closed = true;
  if (atomic_load(&page->live) == 0)
    tasks_free_page(table, id);
}

bool tasks_add(struct task_table *table, uint64_t id, uint32_t owner, struct task task, uint64_t *last_id)
{
  struct task_block *block = find_block(table, id);
  if (block == NULL || block->owner != owner)
    return true;
  if (*last_id != 0 && *last_id / TASKS_A_PAGE != id / TASKS_A_PAGE)
    close_page(table, *last_id);
  struct task_page *page = find_page(table, id);
  if (page == NULL && (page = add_page(block, page_number(id))) == NULL)
    return false;
  struct task *place = &page->tasks[id % TASKS_A_PAGE];
  if (!place->known)
    atomic_fetch_add_explicit(&page->live, 1, memory_order_relaxed);
  *place = task;
  place->known = 1;
  *last_id = id;
  return true;
}

const struct task *tasks_find(const struct task_table *table, uint64_t id)
{
  struct task_page *page = find_page(table, id);
  return page == NULL || !page->tasks[id % TASKS_A_PAGE].known ? NULL : &page->tasks[id % TASKS_A_PAGE];
}

bool tasks_end(struct task_table *table, uint64_t id)
{
  struct task_page *page = find_page(table, id);
  if (page == NULL || !page->tasks[id % TASKS_A_PAGE].known)
    return false;
  return atomic_fetch_sub_explicit(&page->live, 1, memory_order_relaxed) == 1 && page->closed;
}

void tasks_free_page(struct task_table *table, uint64_t id)
{
  struct task_block *block = find_block(table, id);
  uint32_t number = page_number(id);
  if (block == NULL || number >= block->page_count)
    return;
  free(block->pages[number]);
  block->pages[number] = NULL;
}

void tasks_free(struct task_table *table)
{
  for (uint32_t g = 0; g < sizeof table->groups / sizeof *table->groups; g++) {
    struct task_blocks *group = atomic_load(&table->groups[g]);
    for (uint32_t b = 0; group != NULL && b < BLOCKS_A_GROUP; b++) {
      struct task_block *block = atomic_load(&group->blocks[b]);
      for (uint32_t p = 0; block != NULL && p < block->page_count; p++)
        free(block->pages[p]);
      if (block != NULL)
        free(block->pages);
      free(block);
    }
    free(group);
  }
}
