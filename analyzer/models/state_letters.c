#include "analyzer/models/state_letters.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LETTERS_MAX = 60, COMPONENTS_SHOWN = 4 };

struct span {
  const char *text; /* in the program */
  size_t length;
};

struct state_letters {
  const struct pes_program *program;
  struct {
    struct span code, name;
  } list[LETTERS_MAX];
  unsigned count;
  bool more;   /* not all of them had room */
  bool counts; /* values are numbers of threads */
};

struct state_letters *state_letters_create(const struct pes_program *program)
{
  struct state_letters *letters = calloc(1, sizeof *letters);
  if (letters)
    letters->program = program;
  return letters;
}

static bool same(struct span left, struct span right)
{
  return left.length == right.length && strncmp(left.text, right.text, left.length) == 0;
}

static void add_letter(struct state_letters *letters, struct span code, struct span name)
{
  if (code.length == 0 || same(code, name))
    return;
  for (unsigned i = 0; i < letters->count; i++)
    if (same(letters->list[i].code, code) && same(letters->list[i].name, name))
      return;
  if (letters->count == LETTERS_MAX) {
    letters->more = true;
    return;
  }
  letters->list[letters->count].code = code;
  letters->list[letters->count++].name = name;
}

static bool state_letters_is_number(const char *text)
{
  return *text && strspn(text, "0123456789") == strlen(text);
}

/* (RI) is RUN+IDLE: each letter has its name. */
static void add_mask(struct state_letters *letters, const char *code, const char *name)
{
  for (code++; *code && *code != ')' && *name; code++) {
    size_t length = strcspn(name, "+");
    add_letter(letters, (struct span){code, 1}, (struct span){name, length});
    name += length + (name[length] == '+');
  }
}

/*
 * The letter of `R` is R; that of `R:for@lu.c:42`, a state in a construct, too. With numbers of threads, R2 and
 * 2*R:for@lu.c:42, it is the component that has the name.
 */
static void add_value(struct state_letters *letters, const struct pes_component *component,
                      const struct pes_value *value)
{
  bool counts = state_letters_is_number(value->name);
  const char *code = value->code, *name = counts ? component->name : value->name;
  if (*code == '(') {
    add_mask(letters, code, name);
    return;
  }
  if (counts && isdigit((unsigned char)*code))
    code += strcspn(code, "*") + (strchr(code, '*') != NULL);
  bool in_construct = isupper((unsigned char)code[0]) && code[1] == ':';
  if (!in_construct && !pes_code_delimits_itself(code))
    return;
  letters->counts |= counts;
  const char *in = in_construct ? strstr(name, " in ") : NULL;
  size_t length = in_construct || counts ? (*code != '\0') : strlen(code);
  add_letter(letters, (struct span){code, length}, (struct span){name, in ? (size_t)(in - name) : strlen(name)});
}

void state_letters_add(struct state_letters *letters, const struct pes_states *states, uint32_t state)
{
  const struct pes_program *program = letters->program;
  const struct pes_state *of = pes_state(states, state);
  if (of->kind != PES_BASIC || of->name)
    return;
  for (uint32_t i = 0; i < program->component_count; i++) {
    const struct pes_component *component = &program->components[i];
    add_value(letters, component, &program->sets[component->set].values[of->vector[i]]);
  }
}

static void state_letters_put_components(const struct pes_program *program, FILE *file)
{
  fputs(" A state has one for each of: ", file);
  uint32_t shown = program->component_count <= COMPONENTS_SHOWN ? program->component_count : COMPONENTS_SHOWN - 1;
  for (uint32_t i = 0; i < shown; i++)
    fprintf(file, "%s%s", i > 0 ? ", " : "", program->components[i].name);
  if (shown < program->component_count)
    fprintf(file, ", ... %s (%u in all)", program->components[program->component_count - 1].name,
            program->component_count);
  fputc('.', file);
}

char *state_letters_end(struct state_letters *letters)
{
  char *text = NULL;
  size_t size;
  FILE *file = letters && letters->count > 0 ? open_memstream(&text, &size) : NULL;
  if (file) {
    fputs("Letters of states: ", file);
    for (unsigned i = 0; i < letters->count; i++)
      fprintf(file, "%s%.*s %.*s", i > 0 ? ", " : "", (int)letters->list[i].code.length, letters->list[i].code.text,
              (int)letters->list[i].name.length, letters->list[i].name.text);
    fputs(letters->more ? ", ..." : ".", file);
    if (letters->counts)
      fputs(" Numbers count threads.", file);
    else if (letters->program->component_count > 1)
      state_letters_put_components(letters->program, file);
    bool good = !ferror(file);
    if (fclose(file) != 0 || !good) {
      free(text);
      text = NULL;
    }
  }
  free(letters);
  return text;
}
