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
static void print_declaration(const bpflink_object* object, uint32_t type_id, const char* name) {
  char* text = bpflink_btf_declaration(bpflink_object_btf(object), type_id, name);

  printf("%s", text ? text : name);
  bpflink_free(text);
}

static void print_programs(const bpflink_object* object) {
  struct bpflink_program program;
  size_t i;

  for (i = 0; i < bpflink_object_program_count(object); i++) {
    bpflink_object_program(object, i, &program, sizeof program);
    printf("program %s: section %s, type %s, %" PRIu64 " instructions\n", program.name,
           program.section, bpflink_program_type_name(program.type), program.size / 8);
  }
}

static void print_maps(const bpflink_object* object) {
  struct bpflink_map map;
  struct bpflink_map_attribute attribute;
  const char* symbol;
  uint32_t index;
  size_t i, j;

  for (i = 0; i < bpflink_object_map_count(object); i++) {
    bpflink_object_map(object, i, &map, sizeof map);
    printf("map %s: type %s, key %" PRIu32 " bytes, value %" PRIu32 " bytes, %" PRIu32 " entries\n",
           map.name, bpflink_map_type_name(map.type), map.key_size, map.value_size,
           map.max_entries);
    for (j = 0; j < map.attribute_count; j++) {
      bpflink_object_map_attribute(object, i, j, &attribute, sizeof attribute);
      printf("  %s = ", attribute.name);
      if (attribute.form == BPFLINK_ATTRIBUTE_NUMBER)
        printf("%" PRIu64, attribute.number);
      else
        print_declaration(object, attribute.type_id, "");
      printf("\n");
    }
    for (j = 0; bpflink_object_map_slot(object, i, j, &index, &symbol) == BPFLINK_OK; j++)
      printf("  [%" PRIu32 "] = %s\n", index, symbol);
  }
}

static void print_variables(const bpflink_object* object) {
  struct bpflink_data_section section;
  struct bpflink_variable variable;
  size_t i, j;

  for (i = 0; i < bpflink_object_data_section_count(object); i++) {
    bpflink_object_data_section(object, i, &section, sizeof section);
    printf("section %s: %" PRIu64 " bytes\n", section.name, section.size);
    for (j = 0; j < section.variable_count; j++) {
      bpflink_object_variable(object, i, j, &variable, sizeof variable);
      printf("  +%" PRIu64 " ", variable.offset);
      print_declaration(object, variable.type_id, variable.name);
      printf("\n");
    }
  }
}

static void print_rest(const bpflink_object* object) {
  struct bpflink_extern symbol;
  struct bpflink_struct_ops ops;
  size_t i;

  for (i = 0; i < bpflink_object_extern_count(object); i++) {
    bpflink_object_extern(object, i, &symbol, sizeof symbol);
    printf("extern %s%s%s\n", symbol.name, *symbol.section ? " from " : "", symbol.section);
  }
  for (i = 0; i < bpflink_object_struct_ops_count(object); i++) {
    bpflink_object_struct_ops(object, i, &ops, sizeof ops);
    printf("struct_ops %s: %s\n", ops.name, ops.type_name);
  }
}

int main(int argc, char** argv) {
  bpflink_object* object = NULL;
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
    printf("linked %d inputs into %zu bytes, license %s\n", argc - 1, size,
           bpflink_object_license(object));
    print_programs(object);
    print_maps(object);
    print_variables(object);
    print_rest(object);
  }
  bpflink_free(error);
  bpflink_object_free(object);
  bpflink_free(image);
  return status == BPFLINK_OK ? 0 : 1;
}
