//! Writing a table to a file in either format, hashing it on the way.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::columns::Columns;
use super::tables::Parts;
use super::{Error, Format, io_error, parquet};

/// Writes a table; returns the hash of the file, as a manifest has it.
pub(super) fn table(
    path: &Path,
    format: Format,
    parts: Parts<'_>,
    stopped: &dyn Fn() -> bool,
) -> Result<String, Error> {
    let file = File::create_new(path).map_err(io_error("create", path))?;
    to(&file, path, format, parts, stopped)
}

/// The same into an open file, which is `path` to messages.
pub(super) fn to(
    file: &File,
    path: &Path,
    format: Format,
    parts: Parts<'_>,
    stopped: &dyn Fn() -> bool,
) -> Result<String, Error> {
    let mut to = Hashing { to: file, hasher: blake3::Hasher::new() };
    let written = match format {
        Format::Parquet => parquet::write(parts, &mut to, stopped),
        Format::Csv => Columns::write_csv(parts, BufWriter::new(&mut to), stopped),
    };
    match written.and_then(|()| file.sync_all()) {
        Ok(()) => Ok(to.hasher.finalize().to_hex().to_string()),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(Error::Stopped),
        Err(error) => Err(io_error("write", path)(error)),
    }
}

/// Hashes data while it is written, so that it need not be read again.
struct Hashing<W> {
    to: W,
    hasher: blake3::Hasher,
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
