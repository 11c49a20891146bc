/* Links BPF objects in memory and prints the contents of the result, with the C interface of
 * libbpflink.
 *
 *   inspect a.o b.o ... */
#include <bpflink/bpflink.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_diagnostic(void* context, const struct bpflink_diagnostic* diagnostic) {
  char* text;

  if (diagnostic->severity == BPFLINK_SEVERITY_NOTE) return;
  text = bpflink_diagnostic_render(diagnostic, "inspect", 0);
  fputs(text ? text : diagnostic->message, context);
  bpflink_free(text);
}

static enum bpflink_status link_inputs(char** paths, int count, void** image, size_t* size) {
  bpflink_linker* linker;
  enum bpflink_status status;
  int i;

  status = bpflink_linker_new(NULL, 0, print_diagnostic, stderr, &linker, NULL);
  for (i = 0; i < count && status == BPFLINK_OK; i++)
    status = bpflink_linker_add_file(linker, paths[i]);
  if (status == BPFLINK_OK) status = bpflink_linker_link_to_memory(linker, image, size);
  bpflink_linker_free(linker);
  return status;
}

/* Prints a declaration such as "int (*name)[4]" or, without BTF, only the name. */
static void print_declaration(const bpflink_btf* btf, uint32_t type_id, const char* name) {
  char* text = bpflink_btf_declaration(btf, type_id, name);

  printf("%s", text ? text : name);
  bpflink_free(text);
}

static void print_programs(const struct bpflink_contents* contents) {
  const struct bpflink_program* program;
  size_t i;

  for (i = 0; i < contents->programs.count; i++) {
    program = BPFLINK_ITEM(bpflink_program, contents->programs, i);
    printf("program %s: section %s, type %s, %" PRIu64 " instructions\n", program->name,
           program->section, bpflink_program_type_name(program->type), program->size / 8);
  }
}

static void print_maps(const struct bpflink_contents* contents) {
  const struct bpflink_map* map;
  const struct bpflink_map_attribute* attribute;
  const struct bpflink_map_slot* slot;
  size_t i, j;

  for (i = 0; i < contents->maps.count; i++) {
    map = BPFLINK_ITEM(bpflink_map, contents->maps, i);
    printf("map %s: type %s, key %" PRIu32 " bytes, value %" PRIu32 " bytes, %" PRIu32 " entries\n",
           map->name, bpflink_map_type_name(map->type), map->key_size, map->value_size,
           map->max_entries);
    for (j = 0; j < map->attributes.count; j++) {
      attribute = BPFLINK_ITEM(bpflink_map_attribute, map->attributes, j);
      printf("  %s = ", attribute->name);
      if (attribute->form == BPFLINK_ATTRIBUTE_NUMBER)
        printf("%" PRIu64, attribute->number);
      else
        print_declaration(contents->btf, attribute->type_id, "");
      printf("\n");
    }
    for (j = 0; j < map->slots.count; j++) {
      slot = BPFLINK_ITEM(bpflink_map_slot, map->slots, j);
      printf("  [%" PRIu32 "] = %s\n", slot->index, slot->symbol);
    }
  }
}

static void print_variables(const struct bpflink_contents* contents) {
  const struct bpflink_data_section* section;
  const struct bpflink_variable* variable;
  size_t i, j;

  for (i = 0; i < contents->data_sections.count; i++) {
    section = BPFLINK_ITEM(bpflink_data_section, contents->data_sections, i);
    printf("section %s: %" PRIu64 " bytes\n", section->name, section->size);
    for (j = 0; j < section->variables.count; j++) {
      variable = BPFLINK_ITEM(bpflink_variable, section->variables, j);
      printf("  +%" PRIu64 " ", variable->offset);
      print_declaration(contents->btf, variable->type_id, variable->name);
      printf("\n");
    }
  }
}

static void print_rest(const struct bpflink_contents* contents) {
  const struct bpflink_extern* symbol;
  const struct bpflink_struct_ops* ops;
  size_t i;

  for (i = 0; i < contents->externs.count; i++) {
    symbol = BPFLINK_ITEM(bpflink_extern, contents->externs, i);
    printf("extern %s%s%s\n", symbol->name, *symbol->section ? " from " : "", symbol->section);
  }
  for (i = 0; i < contents->struct_ops.count; i++) {
    ops = BPFLINK_ITEM(bpflink_struct_ops, contents->struct_ops, i);
    printf("struct_ops %s: %s\n", ops->name, ops->type_name);
  }
}

int main(int argc, char** argv) {
  bpflink_object* object = NULL;
  const struct bpflink_contents* contents;
  char* error = NULL;
  void* image = NULL;
  size_t size = 0;
  enum bpflink_status status;

  if (argc < 2) {
    fprintf(stderr, "usage: %s OBJECT...\n", argv[0]);
    return 1;
  }
  status = link_inputs(argv + 1, argc - 1, &image, &size);
  if (status == BPFLINK_OK) status = bpflink_object_parse(image, size, &object, &error);
  if (status != BPFLINK_OK) {
    fprintf(stderr, "inspect: %s\n", error ? error : bpflink_status_text(status));
  } else {
    contents = bpflink_object_contents(object);
    printf("linked %d inputs into %zu bytes, license %s\n", argc - 1, size, contents->license);
    print_programs(contents);
    print_maps(contents);
    print_variables(contents);
    print_rest(contents);
  }
  bpflink_free(error);
  bpflink_object_free(object);
  bpflink_free(image);
  return status == BPFLINK_OK ? 0 : 1;
}
