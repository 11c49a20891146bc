//! What a module of `bpfskel --libbpf-rs` uses of libbpf-rs, as declarations: for a compiler without that crate.
pub type Result<T> = std::result::Result<T, Error>;
macro_rules! declare {
    ($($name:ident($raw:ident),)*) => { $(
        pub struct $name<'a>(&'a mut libbpf_sys::$raw);
        impl<'a> $name<'a> { pub fn new_mut(raw: &'a mut libbpf_sys::$raw) -> Self { Self(raw) } }
    )* };
}
declare! { OpenMapMut(bpf_map), MapMut(bpf_map), OpenProgramMut(bpf_program), ProgramMut(bpf_program), }
impl OpenMapMut<'_> { pub fn initial_value_mut(&mut self) -> Option<&mut [u8]> { None } }
pub struct Error;
impl Error { pub fn from_raw_os_error(_: i32) -> Self { Error } }
pub struct Link;
impl Link { pub unsafe fn from_ptr(_: std::ptr::NonNull<libbpf_sys::bpf_link>) -> Self { Link } }
pub struct OpenObject;
impl OpenObject {
    pub unsafe fn from_ptr(_: std::ptr::NonNull<libbpf_sys::bpf_object>) -> Self { OpenObject }
    pub fn take_ptr(self) -> std::ptr::NonNull<libbpf_sys::bpf_object> { std::ptr::NonNull::dangling() }
}
pub struct Object;
impl Object { pub unsafe fn from_ptr(_: std::ptr::NonNull<libbpf_sys::bpf_object>) -> Self { Object } }
#[derive(Default)]
pub struct ObjectBuilder;
pub trait AsRawLibbpf { type LibbpfType; fn as_libbpf_object(&self) -> std::ptr::NonNull<Self::LibbpfType>; }
impl AsRawLibbpf for ObjectBuilder {
    type LibbpfType = libbpf_sys::bpf_object_open_opts;
    fn as_libbpf_object(&self) -> std::ptr::NonNull<Self::LibbpfType> { std::ptr::NonNull::dangling() }
}
pub mod skel {
    use super::*;
    type Storage<'a> = &'a mut std::mem::MaybeUninit<OpenObject>;
    pub trait SkelBuilder<'a> {
        type Output: OpenSkel<'a>;
        fn open(self, object: Storage<'a>) -> Result<Self::Output>;
        fn open_opts(self, opts: libbpf_sys::bpf_object_open_opts, object: Storage<'a>) -> Result<Self::Output>;
        fn object_builder(&self) -> &ObjectBuilder;
        fn object_builder_mut(&mut self) -> &mut ObjectBuilder;
    }
    pub trait OpenSkel<'a> {
        type Output: Skel<'a>;
        fn load(self) -> Result<Self::Output>;
        fn open_object(&self) -> &OpenObject;
        fn open_object_mut(&mut self) -> &mut OpenObject;
    }
    pub trait Skel<'a> { fn attach(&mut self) -> Result<()>; fn object(&self) -> &Object; fn object_mut(&mut self) -> &mut Object; }
}
pub mod __internal_skel {
    use super::*;
    pub struct ObjectSkeletonConfigBuilder<'a>(&'a [u8]);
    pub struct ObjectSkeletonConfig<'a>(&'a [u8]);
    impl<'a> ObjectSkeletonConfigBuilder<'a> {
        pub fn new(bytes: &'a [u8]) -> Self { Self(bytes) }
        pub fn name<T: AsRef<str>>(&mut self, _: T) -> &mut Self { self }
        pub fn map<T: AsRef<str>>(&mut self, _: T, _: bool) -> &mut Self { self }
        pub fn prog<T: AsRef<str>>(&mut self, _: T) -> &mut Self { self }
        pub fn build(self) -> Result<ObjectSkeletonConfig<'a>> { Ok(ObjectSkeletonConfig(self.0)) }
    }
    impl ObjectSkeletonConfig<'_> {
        pub fn map_mmap_ptr(&self, _: usize) -> Result<*mut std::ffi::c_void> { Err(Error) }
        pub fn prog_link_ptr(&self, _: usize) -> Result<*mut libbpf_sys::bpf_link> { Err(Error) }
    }
    impl AsRawLibbpf for ObjectSkeletonConfig<'_> {
        type LibbpfType = libbpf_sys::bpf_object_skeleton;
        fn as_libbpf_object(&self) -> std::ptr::NonNull<Self::LibbpfType> { std::ptr::NonNull::dangling() }
    }
}
pub mod libbpf_sys {
    pub struct bpf_map; pub struct bpf_program; pub struct bpf_link; pub struct bpf_object; pub struct bpf_object_open_opts;
    pub struct bpf_map_skeleton { pub map: *mut *mut bpf_map }
    pub struct bpf_prog_skeleton { pub prog: *mut *mut bpf_program }
    pub struct bpf_object_skeleton { pub obj: *mut *mut bpf_object, pub maps: *mut bpf_map_skeleton, pub progs: *mut bpf_prog_skeleton }
    pub unsafe fn bpf_object__open_skeleton(_: *mut bpf_object_skeleton, _: *const bpf_object_open_opts) -> i32 { -1 }
    pub unsafe fn bpf_object__load_skeleton(_: *mut bpf_object_skeleton) -> i32 { -1 }
    pub unsafe fn bpf_object__attach_skeleton(_: *mut bpf_object_skeleton) -> i32 { -1 }
}
