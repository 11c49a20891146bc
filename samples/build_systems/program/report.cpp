// A program that uses libbpflink: prints the contents of a linked object.
#include <bpflink/object.hpp>
#include <bpflink/print.hpp>
#include <iostream>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: report OBJECT\n";
    return 1;
  }
  auto object = bpflink::Object::open(argv[1]);
  if (!object) {
    std::cerr << argv[1] << ": " << object.error().message << '\n';
    return 1;
  }
  for (const bpflink::Program& program : object->programs())
    std::cout << bpflink::program_type_name(program.meaning.type) << " program " << program.name
              << ", " << program.size / 8 << " instructions\n";
  for (const bpflink::Map& map : object->maps())
    std::cout << "map " << map.name << ", " << map.max_entries << " entries\n";
  for (const bpflink::DataSection& section : object->data_sections())
    for (const bpflink::Variable& variable : section.variables)
      std::cout << section.name << "+" << variable.offset << ": "
                << bpflink::print_c_declaration(*object->btf(), variable.type_id, variable.name)
                << '\n';
  return 0;
}
