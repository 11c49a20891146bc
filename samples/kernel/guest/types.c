// Prints the members of a struct with their types, from the BTF that the kernel shows for a module.
// Usage: types MODULE STRUCT
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdio.h>

// The name of a type, or of the type behind its pointers.
static const char* name_of(const struct btf* btf, __u32 id) {
  const struct btf_type* type = btf__type_by_id(btf, id);
  while (type && btf_is_ptr(type)) type = btf__type_by_id(btf, type->type);
  return type ? btf__name_by_offset(btf, type->name_off) : "no type";
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  struct btf* kernel = btf__load_vmlinux_btf();
  struct btf* module = btf__load_module_btf(argv[1], kernel);
  if (!module) {
    printf("types: no BTF of %s\n", argv[1]);
    return 1;
  }
  int id = btf__find_by_name_kind(module, argv[2], BTF_KIND_STRUCT);
  if (id < 0) {
    printf("types: no struct %s in the BTF of %s\n", argv[2], argv[1]);
    return 1;
  }
  const struct btf_type* type = btf__type_by_id(module, id);
  printf("types: struct %s:", argv[2]);
  for (int i = 0; i < btf_vlen(type); i++) {
    const struct btf_member* member = btf_members(type) + i;
    printf(" %s %s;", name_of(module, member->type), btf__name_by_offset(module, member->name_off));
  }
  putchar('\n');
  return 0;
}
