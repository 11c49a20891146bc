// The names and members are those of libbpf-cargo's skeletons, so that code which uses one works
// with the other: `open`, `maps.bss_data`, `progs`, `links`, `struct_ops.my_ops_mut()`. libbpf sets
// the pointers of a bpf_object_skeleton, which libbpf-rs owns; members are found by their index in
// it.
#include <algorithm>

#include "dedup/for_linker.hpp"
#include "linker/error.hpp"
#include "linker/facts/section_roles.hpp"
#include "linker/skeleton/emit.hpp"
#include "linker/skeleton/rust_types.hpp"
#include "linker/skeleton/text.hpp"

namespace bpflink {
namespace {

/// In which @ stands for the name of the skeleton's types.
constexpr std::string_view loader_text = R"(
    use core::mem::MaybeUninit;
    use core::ptr::NonNull;
    use libbpf_rs::__internal_skel::{ObjectSkeletonConfig, ObjectSkeletonConfigBuilder};
    use libbpf_rs::libbpf_sys::{self, bpf_map, bpf_object_open_opts, bpf_object_skeleton, bpf_program};
    use libbpf_rs::{AsRawLibbpf as _, Error, ObjectBuilder, OpenObject, Result};

    /// Opens the object.
    #[derive(Default)]
    pub struct @SkelBuilder {
        pub obj_builder: ObjectBuilder,
    }

    impl<'obj> libbpf_rs::skel::SkelBuilder<'obj> for @SkelBuilder {
        type Output = Open@Skel<'obj>;

        fn open(self, _object: &'obj mut MaybeUninit<OpenObject>) -> Result<Self::Output> {
            open(self.obj_builder.as_libbpf_object().as_ptr())
        }
        fn open_opts(self, opts: bpf_object_open_opts, _object: &'obj mut MaybeUninit<OpenObject>) -> Result<Self::Output> {
            open(&opts)
        }
        fn object_builder(&self) -> &ObjectBuilder {
            &self.obj_builder
        }
        fn object_builder_mut(&mut self) -> &mut ObjectBuilder {
            &mut self.obj_builder
        }
    }

    fn open<'obj>(opts: *const bpf_object_open_opts) -> Result<Open@Skel<'obj>> {
        let mut builder = ObjectSkeletonConfigBuilder::new(ELF_BYTES);
        builder.name("$name");
$config        let config = builder.build()?;
        // SAFETY: libbpf sets the pointers of the skeleton, which `config` owns.
        unsafe {
            check(libbpf_sys::bpf_object__open_skeleton(raw(&config), opts))?;
            let obj = OpenObject::from_ptr(NonNull::new_unchecked(*(*raw(&config)).obj));
            #[allow(unused_mut)]
            let mut maps = Open@Maps::new(&config)?;
            let struct_ops = StructOps {
$shadowvalues            };
            Ok(Open@Skel { maps, progs: Open@Progs::new(&config)?, struct_ops, obj, config })
        }
    }

    fn check(status: i32) -> Result<()> {
        if status == 0 { Ok(()) } else { Err(Error::from_raw_os_error(-status)) }
    }
    fn raw(config: &ObjectSkeletonConfig<'_>) -> *mut bpf_object_skeleton {
        config.as_libbpf_object().as_ptr()
    }
    #[allow(dead_code, unused_unsafe)]
    unsafe fn map<'obj>(config: &ObjectSkeletonConfig<'_>, index: usize) -> &'obj mut bpf_map {
        unsafe { &mut **(*(*raw(config)).maps.add(index)).map }
    }
    #[allow(dead_code, unused_unsafe)]
    unsafe fn prog<'obj>(config: &ObjectSkeletonConfig<'_>, index: usize) -> &'obj mut bpf_program {
        unsafe { &mut **(*(*raw(config)).progs.add(index)).prog }
    }

    /// The opened object. Variables and struct_ops can be set until it is loaded.
    pub struct Open@Skel<'obj> {
        pub maps: Open@Maps<'obj>,
        pub progs: Open@Progs<'obj>,
        pub struct_ops: StructOps,
        obj: OpenObject,
        config: ObjectSkeletonConfig<'obj>,
    }

    impl<'obj> libbpf_rs::skel::OpenSkel<'obj> for Open@Skel<'obj> {
        type Output = @Skel<'obj>;

        fn load(self) -> Result<Self::Output> {
            // SAFETY: the object is open.
            unsafe {
                check(libbpf_sys::bpf_object__load_skeleton(raw(&self.config)))?;
                let obj = libbpf_rs::Object::from_ptr(self.obj.take_ptr());
                Ok(@Skel {
                    links: @Links::default(),
                    maps: @Maps::new(&self.config)?,
                    progs: @Progs::new(&self.config)?,
                    struct_ops: self.struct_ops,
                    obj,
                    config: self.config,
                })
            }
        }
        fn open_object(&self) -> &OpenObject {
            &self.obj
        }
        fn open_object_mut(&mut self) -> &mut OpenObject {
            &mut self.obj
        }
    }

    /// The loaded object. It is closed, and its programs detached, when this is dropped.
    pub struct @Skel<'obj> {
        pub links: @Links,
        pub maps: @Maps<'obj>,
        pub progs: @Progs<'obj>,
        struct_ops: StructOps,
        obj: libbpf_rs::Object,
        config: ObjectSkeletonConfig<'obj>,
    }

    // SAFETY: libbpf's objects are not bound to a thread, and what changes them borrows mutably.
    unsafe impl Send for @Skel<'_> {}
    unsafe impl Sync for @Skel<'_> {}

    impl @Skel<'_> {
        pub fn struct_ops(&self) -> &StructOps {
            &self.struct_ops
        }
    }

    impl<'obj> libbpf_rs::skel::Skel<'obj> for @Skel<'obj> {
        fn attach(&mut self) -> Result<()> {
            // SAFETY: the object is loaded; each link gets one owner.
            check(unsafe { libbpf_sys::bpf_object__attach_skeleton(raw(&self.config)) })?;
            self.links = @Links {
$linkvalues            };
            Ok(())
        }
        fn object(&self) -> &libbpf_rs::Object {
            &self.obj
        }
        fn object_mut(&mut self) -> &mut libbpf_rs::Object {
            &mut self.obj
        }
    }

    #[derive(Default)]
    pub struct @Links {
$links    }

    /// The initial values of struct_ops.
    pub struct StructOps {
$shadows    }

    impl StructOps {
$shadowmethods    }
)";

/// A struct for the opened or loaded maps or programs, made from a skeleton's configuration.
constexpr std::string_view members_text = R"(
    pub struct $type<'obj> {
$fields        _phantom: core::marker::PhantomData<&'obj ()>,
    }

    impl $type<'_> {
        #[allow(unused_unsafe, unused_variables)]
        unsafe fn new(config: &ObjectSkeletonConfig<'_>) -> Result<Self> {
            let new = unsafe {
                $type {
$values                    _phantom: core::marker::PhantomData,
                }
            };
            Ok(new)
        }
    }
)";

/// "PacketCounter" for "packet_counter".
std::string camel_case(std::string_view name) {
  std::string result;
  for (size_t i = 0; i < name.size(); ++i) {
    bool is_first = i == 0 || name[i - 1] == '_';
    bool is_small = name[i] >= 'a' && name[i] <= 'z';
    if (name[i] != '_')
      result += is_first && is_small ? static_cast<char>(name[i] - 'a' + 'A') : name[i];
  }
  return result.empty() ? "Object" : result;
}

/// The fields of a struct: their declarations and values.
struct Fields {
  std::string declarations, values;

  void add(std::string_view name, std::string_view type, std::string_view value) {
    declarations += fmt::format("        pub {}: {},\n", name, type);
    values += fmt::format("                    {}: {},\n", name, value);
  }
};

std::string members_struct(const std::string& type, const Fields& fields) {
  return fill_in(members_text,
                 {{"type", type}, {"fields", fields.declarations}, {"values", fields.values}});
}

/// Whether user space cannot set the variables of a section after the load. Values of per-CPU
/// variables are then in the map.
bool is_read_only_once_loaded(std::string_view section) {
  using enum SectionRole;
  SectionRole role = role_of(section);
  return role == Rodata || role == Kconfig || role == Percpu;
}

bool is_unchanged(const std::string& name) {
  return name == "_";
}

}  // namespace

std::string libbpf_rs_text(const Skeleton& skeleton, const RustTypeNames& types) {
  std::string type = camel_case(make_c_name(skeleton.name));
  std::string config;
  Fields open_maps, maps, open_programs, programs, links, shadows;
  std::string methods;
  RepeatedNames map_names, program_names;
  size_t index = 0;
  for (const MapEntry& map : skeleton.maps) {
    if (!map.autoload) continue;
    std::string name = map_names.next(make_rust_name(map.name), is_unchanged);
    auto section = std::ranges::find(skeleton.sections, map.name, &Section::name);
    bool is_mapped = map.loader_name.starts_with('.') && section != skeleton.sections.end();
    config +=
        fmt::format("        builder.map({}, {});\n", quoted_in_rust(map.loader_name), is_mapped);
    std::string place = fmt::format("map(config, {})", index);
    open_maps.add(name, "libbpf_rs::OpenMapMut<'obj>",
                  fmt::format("libbpf_rs::OpenMapMut::new_mut({})", place));
    maps.add(name, "libbpf_rs::MapMut<'obj>", fmt::format("libbpf_rs::MapMut::new_mut({})", place));
    if (is_mapped) {
      const std::string& data = types.sections[section - skeleton.sections.begin()];
      std::string field = map_names.next(name + "_data", is_unchanged);
      std::string value = fmt::format("config.map_mmap_ptr({})?.cast::<types::{}>()", index, data);
      bool is_constant = is_read_only_once_loaded(map.loader_name);
      open_maps.add(field, fmt::format("Option<&'obj mut types::{}>", data), value + ".as_mut()");
      maps.add(field, fmt::format("Option<&'obj {}types::{}>", is_constant ? "" : "mut ", data),
               value + (is_constant ? ".as_ref()" : ".as_mut()"));
    }
    auto shadow = std::ranges::find(skeleton.shadows, map.name, &Shadow::name);
    if (shadow != skeleton.shadows.end()) {
      std::string ops = "types::" + types.shadows[shadow - skeleton.shadows.begin()];
      shadows.add(name, "*mut " + ops,
                  fmt::format("maps.{}.initial_value_mut().map_or(core::ptr::null_mut(), |value| "
                              "value.as_mut_ptr().cast())",
                              name));
      methods += fill_in(R"(        pub fn $ops(&self) -> &$type {
            unsafe { &*self.$ops }
        }
        pub fn $opsmut(&mut self) -> &mut $type {
            unsafe { &mut *self.$ops }
        }
)",
                         {{"ops", name}, {"opsmut", name + "_mut"}, {"type", ops}});
    }
    ++index;
  }
  for (size_t i = 0; i < skeleton.programs.size(); ++i) {
    const ProgramEntry& program = skeleton.programs[i];
    std::string name = program_names.next(make_rust_name(program.name), is_unchanged);
    config += fmt::format("        builder.prog({});\n", quoted_in_rust(program.loader_name));
    for (auto [fields, crate_type] : {std::pair(&open_programs, "libbpf_rs::OpenProgramMut"),
                                      {&programs, "libbpf_rs::ProgramMut"}})
      fields->add(name, fmt::format("{}<'obj>", crate_type),
                  fmt::format("{}::new_mut(prog(config, {}))", crate_type, i));
    links.add(name, "Option<libbpf_rs::Link>",
              fmt::format("NonNull::new(self.config.prog_link_ptr({})?).map(|link| unsafe {{ "
                          "libbpf_rs::Link::from_ptr(link) }})",
                          i));
  }
  std::string text;
  for (char c : loader_text) text += c == '@' ? type : std::string(1, c);
  return fill_in(text, {{"name", skeleton.name},
                        {"config", config},
                        {"links", links.declarations},
                        {"linkvalues", links.values},
                        {"shadows", shadows.declarations},
                        {"shadowvalues", shadows.values},
                        {"shadowmethods", methods}}) +
         members_struct(fmt::format("Open{}Maps", type), open_maps) +
         members_struct(type + "Maps", maps) +
         members_struct(fmt::format("Open{}Progs", type), open_programs) +
         members_struct(type + "Progs", programs);
}

}  // namespace bpflink
