//! The linker.

use std::cell::RefCell;
use std::ffi::CString;
use std::fmt;
use std::mem::size_of;
use std::os::raw::{c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use crate::cargo;
use crate::error::{Diagnostic, Error, Severity};
use crate::ffi;
use crate::text;

macro_rules! options {
    ($(#[$about:meta])* { $($(#[$doc:meta])* $flag:ident = $bit:ident,)* } $($(#[$other_doc:meta])* $other:ident: $type:ty,)*) => {
        $(#[$about])*
        #[derive(Debug, Clone, Default)]
        pub struct Options {
            $($(#[$doc])* pub $flag: bool,)*
            $($(#[$other_doc])* pub $other: $type,)*
        }

        impl Options {
            fn flags(&self) -> u64 {
                $(u64::from(self.$flag) * u64::from(ffi::$bit))|*
            }
        }
    };
}

options! {
    /// How to link. The defaults are those of the program `bpflink`.
    ///
    /// ```
    /// use bpflink::Options;
    /// let options = Options { gc_sections: true, ..Options::default() };
    /// assert!(!options.partial);
    /// ```
    {
        /// Undefined externs stay externs, as in libbpf's linker (`-r`).
        partial = BPFLINK_LINK_PARTIAL,
        /// Drop what no program, map or struct_ops variable reaches (`--gc-sections`).
        gc_sections = BPFLINK_LINK_GC_SECTIONS,
        /// Drop `const volatile` variables, too, which user space may set (`--gc-constants`).
        gc_constants = BPFLINK_LINK_GC_CONSTANTS,
        /// Drop maps, too, that nothing refers to (`--gc-maps`).
        gc_maps = BPFLINK_LINK_GC_MAPS,
        /// Make hidden definitions local (`--localize-hidden`).
        localize_hidden = BPFLINK_LINK_LOCALIZE_HIDDEN,
        /// Keep and merge DWARF (`--keep-debug`).
        keep_debug = BPFLINK_LINK_KEEP_DEBUG,
        /// Drop the source lines that the verifier's log shows (`--strip-line-info`).
        strip_line_info = BPFLINK_LINK_STRIP_LINE_INFO,
        /// No layout section in `.BTF` (`--target classic-header`).
        classic_header = BPFLINK_LINK_CLASSIC_HEADER,
        /// Only declare structs behind pointers that nothing looks into (`--prune-types`).
        prune_types = BPFLINK_LINK_PRUNE_TYPES,
        /// Rename types whose names kernels refuse, such as those of Rust (`--kernel-names`).
        kernel_names = BPFLINK_LINK_KERNEL_NAMES,
        /// Only warn of pointers in data that programs read (`--no-check-pointers`).
        no_check_pointers = BPFLINK_LINK_NO_CHECK_POINTERS,
        /// Only warn of conflicting types (`--no-check-types`).
        no_check_types = BPFLINK_LINK_NO_CHECK_TYPES,
        /// Treat warnings as errors (`--fatal-warnings`).
        fatal_warnings = BPFLINK_LINK_FATAL_WARNINGS,
    }
    /// The license of the output, in place of the inputs' licenses (`--license`).
    license: Option<String>,
    /// The directories that [`Linker::add_library`] searches (`-L`).
    library_paths: Vec<String>,
    /// How far to optimize LLVM bitcode, "0" to "3"; by default "2" (`--lto-O`).
    lto_level: Option<String>,
    /// The processor to compile bitcode for, such as "v3"; by default the one that it names
    /// (`--lto-cpu`).
    lto_cpu: Option<String>,
    /// The library of LLVM that compiles bitcode; by default the newest one (`--lto-library`).
    lto_library: Option<String>,
}

/// Links BPF objects and archives into one object. In a build script, warnings become warnings of
/// cargo, unless [`Linker::on_warning`] hands them to something else.
///
/// ```
/// # let compile = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/compile.rs"));
/// # let user = compile("linker_user", "int helper(int); int user(int x) { return helper(x); }");
/// # let helper = compile("linker_helper", "int helper(int x) { return x + 1; }");
/// # let output = std::env::temp_dir().join(format!("bpflink-doc-{}.o", std::process::id()));
/// use bpflink::Linker;
///
/// let mut linker = Linker::new(&output)?; // as with libbpf-rs
/// linker.add_file(&user)?;
/// linker.add_file(&helper)?;
/// linker.link()?;
/// assert!(output.exists());
/// # std::fs::remove_file(output).unwrap();
/// # Ok::<(), bpflink::Error>(())
/// ```
pub struct Linker {
    raw: *mut ffi::bpflink_linker,
    output: Option<CString>,
    /// Owned by the linker; the library passes the address to `note`.
    diagnostics: *mut Vec<Diagnostic>,
    on_warning: RefCell<Handler>,
    /// The inputs in memory, which the library reads during the link.
    buffers: Vec<Box<[u8]>>,
}

type Handler = Box<dyn FnMut(&Diagnostic) + Send>;

impl Linker {
    /// Creates a linker that writes the file `output`, as a whole or not at all.
    pub fn new(output: impl AsRef<Path>) -> Result<Linker, Error> {
        Linker::with_options(output, &Options::default())
    }

    /// Does the same, with options.
    pub fn with_options(output: impl AsRef<Path>, options: &Options) -> Result<Linker, Error> {
        let output = text::to_c(output.as_ref().as_os_str().as_bytes())?;
        let mut linker = Linker::in_memory(options)?;
        linker.output = Some(output);
        Ok(linker)
    }

    /// Creates a linker without an output file, for [`Linker::link_to_memory`].
    pub fn in_memory(options: &Options) -> Result<Linker, Error> {
        let to_c = |text: &Option<String>| text.as_deref().map(text::to_c).transpose();
        let pointer = |text: &Option<CString>| text.as_ref().map_or(ptr::null(), |text| text.as_ptr());
        let license = to_c(&options.license)?;
        let lto_level = to_c(&options.lto_level)?;
        let lto_cpu = to_c(&options.lto_cpu)?;
        let lto_library = to_c(&options.lto_library)?;
        let paths = options.library_paths.iter().map(|path| text::to_c(path.as_str()));
        let paths = paths.collect::<Result<Vec<CString>, Error>>()?;
        let path_pointers: Vec<*const c_char> = paths.iter().map(|path| path.as_ptr()).collect();
        let diagnostics = Box::into_raw(Box::<Vec<Diagnostic>>::default());
        let raw_options = ffi::bpflink_link_options {
            size: size_of::<ffi::bpflink_link_options>(),
            on_diagnostic: Some(note),
            context: diagnostics as *mut c_void,
            flags: options.flags(),
            license: pointer(&license),
            lto_level: pointer(&lto_level),
            lto_cpu: pointer(&lto_cpu),
            lto_library: pointer(&lto_library),
            library_paths: path_pointers.as_ptr(),
            library_path_count: path_pointers.len(),
            ..ffi::bpflink_link_options::default()
        };
        let mut raw = ptr::null_mut();
        // SAFETY: all pointers in the options are valid during the call, which copies the options;
        // `diagnostics` lives as long as the linker.
        let status = unsafe { ffi::bpflink_linker_new(&raw_options, &mut raw) };
        let on_warning = RefCell::new(Box::new(cargo::warn_of) as Handler);
        let linker = Linker { raw, output: None, diagnostics, on_warning, buffers: Vec::new() };
        linker.check(status)?;
        Ok(linker)
    }

    /// Adds an object file or an archive. The link reads it.
    pub fn add_file(&mut self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = text::to_c(path.as_ref().as_os_str().as_bytes())?;
        // SAFETY: the name is copied.
        self.check(unsafe { ffi::bpflink_linker_add_file(self.raw, path.as_ptr()) })
    }

    /// Adds the archive `lib<name>.a` from the first of the library paths that has it.
    pub fn add_library(&mut self, name: &str) -> Result<(), Error> {
        let name = text::to_c(name)?;
        // SAFETY: the name is copied.
        self.check(unsafe { ffi::bpflink_linker_add_library(self.raw, name.as_ptr()) })
    }

    /// Adds the object in `buffer`, which is copied.
    pub fn add_buf(&mut self, buffer: &[u8]) -> Result<(), Error> {
        self.add_named_buf(&format!("buffer {}", self.buffers.len() + 1), buffer)
    }

    /// Does the same, with a name for messages.
    pub fn add_named_buf(&mut self, name: &str, buffer: &[u8]) -> Result<(), Error> {
        let name = text::to_c(name)?;
        let copy: Box<[u8]> = buffer.into();
        // SAFETY: the copy lives as long as the linker.
        let status = unsafe {
            let image = copy.as_ptr() as *const c_void;
            ffi::bpflink_linker_add_memory(self.raw, name.as_ptr(), image, copy.len())
        };
        self.buffers.push(copy);
        self.check(status)
    }

    /// Hands the warnings of each link to `handler`, in order, before the link returns.
    ///
    /// ```
    /// # let compile = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/compile.rs"));
    /// # let object = compile("warning", "static int (*const read)(void *, int, void *) = (void *)113;
    /// #   __attribute__((section(\"kprobe\"))) int prog(void *p) { int x; return read(&x, 4, p); }");
    /// use bpflink::{Linker, Options};
    ///
    /// let mut linker = Linker::in_memory(&Options::default())?;
    /// linker.add_file(&object)?;
    /// let (sender, receiver) = std::sync::mpsc::channel();
    /// linker.on_warning(move |warning| sender.send(warning.to_string()).unwrap());
    /// linker.link_to_memory()?;
    /// assert!(receiver.try_recv().unwrap().contains("license"));
    /// # Ok::<(), bpflink::Error>(())
    /// ```
    pub fn on_warning(&mut self, handler: impl FnMut(&Diagnostic) + Send + 'static) {
        *self.on_warning.get_mut() = Box::new(handler);
    }

    /// Links into the output file. A linker can link several times.
    pub fn link(&self) -> Result<(), Error> {
        let output = match &self.output {
            Some(output) => output.as_ptr(),
            None => return Err(Error::Argument("this linker has no output file".into())),
        };
        // SAFETY: the name ends with NUL.
        self.run(|| unsafe { ffi::bpflink_linker_link_to_file(self.raw, output) })
    }

    /// Links into memory.
    ///
    /// ```
    /// # let compile = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/compile.rs"));
    /// # let object = compile("memory", "int answer = 42;");
    /// # let bytes = std::fs::read(object).unwrap();
    /// use bpflink::{Linker, Object, Options};
    ///
    /// let mut linker = Linker::in_memory(&Options::default())?;
    /// linker.add_buf(&bytes)?;
    /// let object = Object::parse(linker.link_to_memory()?)?;
    /// assert_eq!(object.data_sections()[0].variables[0].name, "answer");
    /// # Ok::<(), bpflink::Error>(())
    /// ```
    pub fn link_to_memory(&self) -> Result<Vec<u8>, Error> {
        let mut image = ptr::null_mut();
        let mut size = 0;
        self.run(|| unsafe { ffi::bpflink_linker_link_to_memory(self.raw, &mut image, &mut size) })?;
        // SAFETY: take_bytes() frees the image, once.
        Ok(unsafe { text::take_bytes(image, size) })
    }

    /// Links, and hands warnings to the handler.
    fn run(&self, link: impl FnOnce() -> ffi::bpflink_status) -> Result<(), Error> {
        // SAFETY: nothing else refers to the list.
        unsafe { (*self.diagnostics).clear() };
        let status = link();
        let diagnostics = self.diagnostics();
        for warning in diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Warning) {
            (self.on_warning.borrow_mut())(warning);
        }
        self.check(status)
    }

    /// The errors, warnings and notes of the last link.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        // SAFETY: the library writes to it only during a link, in this thread.
        unsafe { (*self.diagnostics).clone() }
    }

    fn check(&self, status: ffi::bpflink_status) -> Result<(), Error> {
        match status {
            ffi::BPFLINK_OK => Ok(()),
            ffi::BPFLINK_ERROR_LINK => Err(Error::Link(self.errors())),
            // Of a refused option, the library says which.
            _ => Err(Error::of(status, self.errors().iter().map(|error| error.message.as_str()).collect())),
        }
    }

    fn errors(&self) -> Vec<Diagnostic> {
        self.diagnostics().into_iter().filter(|diagnostic| diagnostic.severity == Severity::Error).collect()
    }
}

impl fmt::Debug for Linker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Linker").field("output", &self.output).finish_non_exhaustive()
    }
}

impl Drop for Linker {
    fn drop(&mut self) {
        // SAFETY: the linker owns both.
        unsafe {
            ffi::bpflink_linker_free(self.raw);
            drop(Box::from_raw(self.diagnostics));
        }
    }
}

// SAFETY: any thread may use a linker, but only one at a time.
unsafe impl Send for Linker {}

/// Appends a diagnostic to `context`, the linker's list.
///
/// # Safety
/// The list lives as long as the linker, and nothing else uses it during a link.
unsafe extern "C" fn note(context: *mut c_void, diagnostic: *const ffi::bpflink_diagnostic) {
    let list = &mut *(context as *mut Vec<Diagnostic>);
    list.push(Diagnostic::copy(&*diagnostic));
}
