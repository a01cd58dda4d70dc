//! Exceptions: those raised by the user's Python code, which end the run, and our own, which
//! have the same text as errors on the command line.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::intern;
use pyo3::prelude::*;
use tusker::api::Failure;

/// The first exception of a run.
#[derive(Debug, Default)]
pub struct Raised {
    any: AtomicBool,
    error: Mutex<Option<PyErr>>,
}

impl Raised {
    /// Whether there was one: then the run must end, and no more Python code is called.
    pub fn any(&self) -> bool {
        self.any.load(Ordering::Relaxed)
    }

    /// Keeps it, if it is the first.
    pub fn keep(&self, error: PyErr) {
        let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        if first.is_none() {
            *first = Some(error);
        }
        self.any.store(true, Ordering::Relaxed);
    }

    /// Hands it over.
    pub fn take(&self) -> Option<PyErr> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Calls Python code, unless there was an exception; then, and if the call raises one,
    /// `otherwise` is returned.
    pub fn ask<T>(&self, otherwise: T, question: impl FnOnce(Python<'_>) -> PyResult<T>) -> T {
        if self.any() {
            return otherwise;
        }
        Python::attach(question).unwrap_or_else(|error| {
            self.keep(error);
            otherwise
        })
    }
}

/// A method of an object, if its class overrides that of the base class.
pub fn method(
    object: &Bound<'_, PyAny>,
    base: &Bound<'_, PyAny>,
    name: &str,
) -> PyResult<Option<Py<PyAny>>> {
    let own = object.get_type().getattr(name)?;
    let same = own.is(&base.getattr(name)?);
    if same { Ok(None) } else { Ok(Some(object.getattr(name)?.unbind())) }
}

/// A base class of the package.
pub fn base<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import(intern!(py, "tusker._written"))?.getattr(name)
}

/// A failure as an exception with the text of the command line.
pub fn exception(py: Python<'_>, failure: &Failure) -> PyErr {
    match failure.text() {
        Some((text, true)) => input_error(py, text),
        Some((text, false)) => error(py, "Error", text),
        None => PyKeyboardInterrupt::new_err(()),
    }
}

/// An argument is wrong.
pub fn input_error(py: Python<'_>, text: String) -> PyErr {
    error(py, "InputError", text)
}

fn error(py: Python<'_>, name: &str, text: String) -> PyErr {
    let class = py.import("tusker._errors").and_then(|errors| errors.getattr(name));
    let made = class.and_then(|class| class.call1((&text,)));
    made.map_or_else(|_| PyRuntimeError::new_err(text), PyErr::from_value)
}
