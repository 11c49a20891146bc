//! The linker.

use std::cell::RefCell;
use std::ffi::CString;
use std::fmt;
use std::os::raw::{c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use crate::cargo;
use crate::error::{Diagnostic, Error, Severity};
use crate::ffi;
use crate::text;

/// How to link. The defaults are those of the program `bpflink`.
///
/// ```
/// use bpflink::{Linker, Options};
/// let options = Options { gc_sections: true, ..Options::default() };
/// let options = options.arg("--keep-type=task_struct").arg("--verify");
/// assert!(Linker::in_memory(&options).is_ok());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Undefined externs stay externs, as in libbpf's linker (`-r`).
    pub partial: bool,
    /// Drop what no program, map or struct_ops variable reaches (`--gc-sections`).
    pub gc_sections: bool,
    /// Also drop `const volatile` variables, which user space may set (`--gc-constants`).
    pub gc_constants: bool,
    /// Also drop maps that nothing refers to (`--gc-maps`).
    pub gc_maps: bool,
    /// Make hidden definitions local (`--localize-hidden`).
    pub localize_hidden: bool,
    /// Keep and merge DWARF (`--keep-debug`).
    pub keep_debug: bool,
    /// Drop the source lines that the verifier's log shows (`--strip-line-info`).
    pub strip_line_info: bool,
    /// No layout section in `.BTF` (`--target classic-header`).
    pub classic_header: bool,
    /// Only declare structs behind pointers that nothing looks into (`--prune-types`).
    pub prune_types: bool,
    /// Rename types whose names kernels refuse, such as those of Rust (`--kernel-names`).
    pub kernel_names: bool,
    /// Only warn about pointers in data that programs read (`--no-check-pointers`).
    pub no_check_pointers: bool,
    /// Only warn about conflicting types (`--no-check-types`).
    pub no_check_types: bool,
    /// Treat warnings as errors (`--fatal-warnings`).
    pub fatal_warnings: bool,
    /// The license of the output, in place of the inputs' licenses (`--license`).
    pub license: Option<String>,
    /// The directories that [`Linker::add_library`] searches (`-L`).
    pub library_paths: Vec<String>,
    /// Symbols to keep; others of bitcode become internal (`--export`).
    pub exports: Vec<String>,
    /// How far to optimize LLVM bitcode, "0" to "3"; by default "1" (`--lto-O`).
    pub lto_level: Option<String>,
    /// The processor to compile bitcode for, such as "v3"; by default the one that it names
    /// (`--lto-cpu`).
    pub lto_cpu: Option<String>,
    /// The library of LLVM that compiles bitcode; by default the newest one (`--lto-library`).
    pub lto_library: Option<String>,
    /// Other options, as [`Options::arg`] adds them.
    pub args: Vec<String>,
}

impl Options {
    /// Adds an option of bpflink(1) as the command line spells it.
    pub fn arg(mut self, option: impl Into<String>) -> Options {
        self.args.push(option.into());
        self
    }

    /// The options in C.
    fn to_c(&self) -> Result<Vec<CString>, Error> {
        let flags = [
            (self.partial, "--relocatable"),
            (self.gc_sections, "--gc-sections"),
            (self.gc_constants, "--gc-constants"),
            (self.gc_maps, "--gc-maps"),
            (self.localize_hidden, "--localize-hidden"),
            (self.keep_debug, "--keep-debug"),
            (self.strip_line_info, "--strip-line-info"),
            (self.classic_header, "--target=classic-header"),
            (self.prune_types, "--prune-types"),
            (self.kernel_names, "--kernel-names"),
            (self.no_check_pointers, "--no-check-pointers"),
            (self.no_check_types, "--no-check-types"),
            (self.fatal_warnings, "--fatal-warnings"),
        ];
        let values = [
            ("--license", &self.license),
            ("--lto-O", &self.lto_level),
            ("--lto-cpu", &self.lto_cpu),
            ("--lto-library", &self.lto_library),
        ];
        let flags = flags.iter().filter(|(is_set, _)| *is_set).map(|(_, option)| option.to_string());
        let values = values.iter().filter_map(|(option, value)| Some(format!("{}={}", option, value.as_ref()?)));
        let paths = self.library_paths.iter().map(|path| format!("--library-path={}", path));
        let exports = self.exports.iter().map(|name| format!("--export={}", name));
        flags.chain(values).chain(paths).chain(exports).chain(self.args.iter().cloned()).map(text::to_c).collect()
    }
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
        let options = options.to_c()?;
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let diagnostics = Box::into_raw(Box::<Vec<Diagnostic>>::default());
        let context = diagnostics as *mut c_void;
        let (mut raw, mut reason) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: the options are valid during the call, which copies them; `diagnostics` lives as long
        // as the linker; the reason is the caller's.
        let (status, reason) = unsafe {
            let (options, count) = (pointers.as_ptr(), pointers.len());
            let status = ffi::bpflink_linker_new(options, count, Some(note), context, &mut raw, &mut reason);
            (status, text::take(reason))
        };
        let on_warning = RefCell::new(Box::new(cargo::warn_of) as Handler);
        let linker = Linker { raw, output: None, diagnostics, on_warning, buffers: Vec::new() };
        match status {
            ffi::BPFLINK_OK => Ok(linker),
            _ => Err(Error::of(status, reason)),
        }
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
            _ => Err(Error::of(status, String::new())),
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
