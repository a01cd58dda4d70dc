//! `tusker kernel load`: makes a law available to programs.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode};
use std::time::Duration;

use libbpf_rs::{Link, MapCore, MapType, Object};

use crate::failure::Failure;
use crate::guardian::Guardian;
use crate::interrupt::Interrupts;
use crate::loaded::PINS;
use crate::machine::{Machine, Task, available};
use crate::objects::{LONGEST_NAME, Wanted};

/// What a BPF file system says it is, as in linux/magic.h.
const BPF_FS_MAGIC: u64 = 0xcafe_4a11;

/// How often a running command is checked for its end.
const LOOK: Duration = Duration::from_millis(50);

/// The request.
#[derive(Debug)]
pub struct Load {
    /// The law.
    pub wanted: Wanted,
    /// Whether it outlives this program.
    pub persist: bool,
    /// A command to run while the law is loaded.
    pub command: Vec<String>,
}

impl Load {
    /// Loads the law and keeps it for as long as requested.
    pub fn run(self) -> Result<ExitCode, Failure> {
        let interrupts = Interrupts::listen()?;
        let name = self.wanted.name.clone();
        let machine = Machine::look(Task::Load)?;
        free(&name)?;
        let pin = self.persist.then(|| pin_for(&name)).transpose()?;
        let mut object = self.wanted.load(machine)?;
        let mut link = register(&mut object, &name)?;
        if let Some(pin) = pin {
            keep(&mut object, &mut link, machine, &pin)?;
            say(&format!(
                "{name} is in the kernel until it is unloaded or the machine reboots: \
                 tusker kernel unload {name}"
            ));
            return Ok(ExitCode::SUCCESS);
        }
        // before Linux 6.4 the law would stay after the end of this process
        let _guardian =
            if machine.links { None } else { Some(Guardian::of(ops_id(&mut object)?)?) };
        if self.command.is_empty() {
            say(&format!("{name} is in the kernel; Ctrl-C unloads it"));
            interrupts.wait();
            return Ok(ExitCode::SUCCESS);
        }
        run(&self.command, &interrupts)
    }
}

/// A line on stderr. The law must stay if nobody reads that any more, as below
/// `2>&1 | head -1`; `eprintln!` would end the process, and the law with it.
fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Checks that the kernel has no congestion control of this name yet.
fn free(name: &str) -> Result<(), Failure> {
    let fine = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'.';
    if name.is_empty() || name.len() > LONGEST_NAME || !name.bytes().all(fine) {
        return Err(Failure::input(
            format!("`{name}` cannot be the name of a congestion control"),
            format!("the kernel accepts 1 to {LONGEST_NAME} letters, digits, `_` and `.`"),
        ));
    }
    if available().iter().any(|taken| taken == name) {
        return Err(Failure::input(
            format!("the kernel already has a congestion control called {name}"),
            format!(
                "`tusker kernel status` shows whether it is ours; --as my_{name} loads this one \
                 under another name"
            ),
        ));
    }
    Ok(())
}

/// Registers a loaded law under its name.
pub fn register(object: &mut Object, name: &str) -> Result<Link, Failure> {
    let mut maps = object.maps_mut();
    let mut ops = maps.find(|map| map.map_type() == MapType::StructOps).expect("it has one");
    ops.attach_struct_ops().map_err(|error| match error.kind() {
        // another process was faster
        libbpf_rs::ErrorKind::AlreadyExists => Failure::input(
            format!("the kernel already has a congestion control called {name}"),
            "choose another name with --as",
        ),
        _ => Failure::kernel(&format!("register {name}"), &error),
    })
}

/// The map that is registered.
fn ops_id(object: &mut Object) -> Result<u32, Failure> {
    let mut maps = object.maps_mut();
    let ops = maps.find(|map| map.map_type() == MapType::StructOps).expect("it has one");
    let info = ops.info().map_err(|error| Failure::kernel("query the map's number", &error))?;
    Ok(info.info.id)
}

/// Where it will be pinned.
fn pin_for(name: &str) -> Result<PathBuf, Failure> {
    let pins = Path::new(PINS);
    let root = pins.parent().expect("it is a folder of bpffs");
    // not whether it is in the list of mounts: one may hide another
    let kind = rustix::fs::statfs(root).map(|found| found.f_type.cast_unsigned());
    if kind != Ok(BPF_FS_MAGIC) {
        let (there, root) = (root.is_dir(), root.display());
        let mount = format!("mount -t bpf bpf {root}");
        let (lacks, remedy) = if there {
            ("where no BPF file system is mounted", mount)
        } else {
            ("which does not exist", format!("mount -t sysfs sysfs /sys, and then {mount}"))
        };
        return Err(Failure::other(format!("--persist needs {root}, {lacks}"), remedy));
    }
    fs::create_dir_all(pins).map_err(|error| {
        Failure::other(format!("cannot make {PINS}: {error}"), "is it mounted read-only?")
    })?;
    Ok(pins.join(name))
}

/// Pins it, so that the kernel keeps it.
fn keep(object: &mut Object, link: &mut Link, machine: Machine, pin: &Path) -> Result<(), Failure> {
    let failed = |error| Failure::kernel(&format!("pin it at {}", pin.display()), &error);
    if machine.links {
        return link.pin(pin).map_err(failed);
    }
    // older kernels: what is registered is the map
    let mut maps = object.maps_mut();
    let mut ops = maps.find(|map| map.map_type() == MapType::StructOps).expect("it has one");
    ops.pin(pin).map_err(failed)?;
    link.disconnect();
    Ok(())
}

/// Runs a command, which ends with this process.
fn run(command: &[String], interrupts: &Interrupts) -> Result<ExitCode, Failure> {
    let (program, args) = command.split_first().expect("somebody asked for it");
    let mut child = Command::new(program).args(args).spawn().map_err(|error| {
        Failure::input(format!("cannot run {program}: {error}"), "is it installed, and in PATH?")
    })?;
    loop {
        if let Some(status) = child.try_wait()? {
            let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
            return Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)));
        }
        if let Some(signal) = interrupts.within(LOOK) {
            // Ctrl-C reached it as well
            end(&mut child)?;
            return Err(Failure::Interrupted(signal));
        }
    }
}

/// Gives it two seconds to end by itself.
fn end(child: &mut Child) -> Result<(), Failure> {
    for _ in 0..40 {
        if child.try_wait()?.is_some() {
            return Ok(());
        }
        std::thread::sleep(LOOK);
    }
    child.kill()?;
    child.wait()?;
    Ok(())
}
