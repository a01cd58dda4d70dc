//! A congestion control written in Python, called like any other: the methods of [`Law`],
//! with the same numbers in the same order.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tusker_core::Time;
use tusker_core::congestion::{self, Law};

use crate::raised::{Raised, base, input_error, method};

/// Congestion window and slow-start threshold, in segments.
#[pyclass(module = "tusker._tusker")]
pub struct Window {
    /// Congestion window.
    #[pyo3(get, set)]
    cwnd: f64,
    /// Slow-start threshold; infinite until the first congestion.
    #[pyo3(get, set)]
    ssthresh: f64,
}

#[pymethods]
impl Window {
    fn __repr__(&self) -> String {
        format!("Window(cwnd={}, ssthresh={})", self.cwnd, self.ssthresh)
    }
}

/// What one acknowledgment reports.
#[pyclass(frozen, module = "tusker._tusker")]
pub struct Ack(congestion::Ack);

/// Round-trip times, in seconds.
#[pyclass(frozen, get_all, module = "tusker._tusker")]
pub struct Rtt {
    /// The sample of this ACK.
    latest: f64,
    /// SRTT of RFC 6298.
    smoothed: f64,
    /// The minimum of the connection.
    min: f64,
    /// One-way delay of the segment that caused this ACK, if timestamps give it.
    forward: Option<f64>,
}

/// A delivery rate sample.
#[pyclass(frozen, get_all, module = "tusker._tusker")]
pub struct RateSample {
    /// Segments per second.
    rate: f64,
    /// Segments delivered during the sample ...
    delivered: u32,
    /// ... and its length, seconds.
    interval: f64,
    /// Segments found lost during the sample.
    lost: u32,
    /// The application, not the network, may have set the rate.
    app_limited: bool,
}

#[pymethods]
impl Ack {
    /// When the ACK arrived, seconds.
    #[getter]
    fn now(&self) -> f64 {
        self.0.now.secs()
    }
    /// Segments that it newly reports as delivered.
    #[getter]
    fn acked(&self) -> u32 {
        self.0.acked
    }
    /// Its credit for growth, in segments.
    #[getter]
    fn credit(&self) -> f64 {
        self.0.credit
    }
    /// Segments estimated to be in the network.
    #[getter]
    fn in_flight(&self) -> u32 {
        self.0.in_flight
    }
    /// Round-trip times, if it gives a sample.
    #[getter]
    fn rtt(&self) -> Option<Rtt> {
        self.0.rtt.map(|rtt| Rtt {
            latest: rtt.latest.secs(),
            smoothed: rtt.smoothed.secs(),
            min: rtt.min.secs(),
            forward: rtt.forward.map(|forward| forward.secs()),
        })
    }
    /// When the segment that caused it left the sender, seconds.
    #[getter]
    fn departed(&self) -> f64 {
        self.0.departed.secs()
    }
    /// The first ACK of a round.
    #[getter]
    fn round_start(&self) -> bool {
        self.0.round_start
    }
    /// The window limits the sender.
    #[getter]
    fn cwnd_limited(&self) -> bool {
        self.0.cwnd_limited
    }
    /// Segments newly found to be lost, if the law needs `rate_samples`.
    #[getter]
    fn lost(&self) -> u32 {
        self.0.lost
    }
    /// How many of `acked` arrived marked, if the law needs `accurate_ecn` or `l4s`.
    #[getter]
    fn marked(&self) -> u32 {
        self.0.marked
    }
    /// The delivery rate, if the law needs `rate_samples`.
    #[getter]
    fn rate(&self) -> Option<RateSample> {
        self.0.rate.map(|sample| RateSample {
            rate: sample.rate(),
            delivered: sample.delivered,
            interval: sample.interval.secs(),
            lost: sample.lost,
            app_limited: sample.app_limited,
        })
    }
}

/// A law in Python, for one connection.
#[derive(Debug)]
pub struct PyLaw {
    /// `None` if it could not be created; then the run ends.
    methods: Option<Methods>,
    raised: Arc<Raised>,
    /// Its name in traces, once the first has been drawn.
    names: OnceLock<Vec<&'static str>>,
}

/// The Python object, and the window that it is shown.
#[derive(Debug)]
struct Methods {
    object: Py<PyAny>,
    window: Py<Window>,
    grow: Py<PyAny>,
    shrink: Py<PyAny>,
    observe: Option<Py<PyAny>>,
    shrink_outside: Option<Py<PyAny>>,
    shrink_at_mark: Option<Py<PyAny>>,
    shrunk: Option<Py<PyAny>>,
    reset: Option<Py<PyAny>>,
    inspect: Option<Py<PyAny>>,
}

impl Methods {
    fn of(object: Bound<'_, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let base = base(py, "Law")?;
        let own = |name| method(&object, &base, name);
        Ok(Self {
            window: Py::new(py, Window { cwnd: 0.0, ssthresh: 0.0 })?,
            grow: object.getattr(intern!(py, "grow"))?.unbind(),
            shrink: object.getattr(intern!(py, "shrink"))?.unbind(),
            observe: own("observe")?,
            shrink_outside: own("shrink_outside")?,
            shrink_at_mark: own("shrink_at_mark")?,
            shrunk: own("shrunk")?,
            reset: own("reset")?,
            inspect: own("inspect")?,
            object: object.unbind(),
        })
    }

    /// Its name in errors.
    fn class(&self, py: Python<'_>) -> String {
        let name = self.object.bind(py).get_type().qualname();
        name.map_or_else(|_| "the law".to_owned(), |name| name.to_string())
    }

    /// A number that is valid as a window.
    fn window(&self, py: Python<'_>, what: &str, value: f64) -> PyResult<f64> {
        if value.is_finite() && value >= 0.0 {
            return Ok(value);
        }
        let class = self.class(py);
        Err(input_error(
            py,
            format!("{class}.{what} gave {value}: windows are finite numbers of segments"),
        ))
    }

    /// Calls a method for the window that remains of `w`.
    fn left(&self, py: Python<'_>, method: &Py<PyAny>, what: &str, w: f64) -> PyResult<f64> {
        let answer = method.bind(py).call1((w,))?;
        self.window(py, what, answer.extract()?)
    }
}

impl PyLaw {
    /// Creates one by calling `make`.
    pub fn new(make: &Py<PyAny>, raised: &Arc<Raised>) -> Self {
        let methods = raised.ask(None, |py| Methods::of(make.bind(py).call0()?).map(Some));
        Self { methods, raised: raised.clone(), names: OnceLock::new() }
    }

    /// Calls a method of the object; `otherwise` if there is no answer.
    fn ask<T>(&self, otherwise: T, ask: impl FnOnce(Python<'_>, &Methods) -> PyResult<T>) -> T {
        match &self.methods {
            Some(methods) => self.raised.ask(otherwise, |py| ask(py, methods)),
            None => otherwise,
        }
    }

    /// Passes a time to it, if it has the method.
    fn tell(&self, method: fn(&Methods) -> &Option<Py<PyAny>>, now: Time) {
        if self.methods.as_ref().is_some_and(|methods| method(methods).is_some()) {
            self.ask((), |py, methods| match method(methods) {
                Some(method) => method.bind(py).call1((now.secs(),)).map(drop),
                None => Ok(()),
            });
        }
    }

    fn has(&self, method: fn(&Methods) -> &Option<Py<PyAny>>) -> bool {
        self.methods.as_ref().is_some_and(|methods| method(methods).is_some())
    }
}

impl Law for PyLaw {
    fn observe(&mut self, w: &congestion::Window, ack: &congestion::Ack) {
        if !self.has(|methods| &methods.observe) {
            return;
        }
        self.ask((), |py, methods| {
            let Some(observe) = &methods.observe else { return Ok(()) };
            let window = methods.window.bind(py);
            window.borrow_mut().show(w);
            observe.bind(py).call1((window, Ack(*ack))).map(drop)
        });
    }

    fn grow(&mut self, w: &mut congestion::Window, ack: &congestion::Ack) {
        let (cwnd, ssthresh) = self.ask((w.cwnd, w.ssthresh), |py, methods| {
            let window = methods.window.bind(py);
            window.borrow_mut().show(w);
            methods.grow.bind(py).call1((window, Ack(*ack)))?;
            let shown = window.borrow();
            // never below one segment, as the transport requires
            let cwnd = methods.window(py, "grow", shown.cwnd)?.max(1.0);
            let ssthresh = shown.ssthresh;
            if ssthresh == f64::INFINITY {
                return Ok((cwnd, ssthresh));
            }
            Ok((cwnd, methods.window(py, "grow", ssthresh)?.max(2.0)))
        });
        (w.cwnd, w.ssthresh) = (cwnd, ssthresh);
    }

    fn shrink(&mut self, w: f64) -> f64 {
        self.ask(w, |py, methods| methods.left(py, &methods.shrink, "shrink", w))
    }

    fn shrink_outside(&mut self, w: f64) -> f64 {
        if !self.has(|methods| &methods.shrink_outside) {
            return self.shrink(w);
        }
        self.ask(w, |py, methods| match &methods.shrink_outside {
            Some(method) => methods.left(py, method, "shrink_outside", w),
            None => Ok(w),
        })
    }

    fn shrink_at_mark(&mut self, w: f64, _: bool) -> Option<f64> {
        if !self.has(|methods| &methods.shrink_at_mark) {
            return None;
        }
        self.ask(None, |py, methods| {
            let Some(method) = &methods.shrink_at_mark else { return Ok(None) };
            let answer: Option<f64> = method.bind(py).call1((w,))?.extract()?;
            answer.map(|left| methods.window(py, "shrink_at_mark", left)).transpose()
        })
    }

    fn shrunk(&mut self, now: Time) {
        self.tell(|methods| &methods.shrunk, now);
    }

    fn reset(&mut self, now: Time) {
        self.tell(|methods| &methods.reset, now);
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        if !self.has(|methods| &methods.inspect) {
            return;
        }
        let values = self.ask(Vec::new(), |py, methods| {
            let Some(inspect) = &methods.inspect else { return Ok(Vec::new()) };
            values(py, &inspect.bind(py).call0()?, &TRACED)
        });
        let names = self.names.get_or_init(|| values.iter().map(|(name, _)| known(name)).collect());
        for name in names {
            let value = values.iter().find(|(own, _)| own == name);
            see(name, value.map_or(f64::NAN, |(_, value)| *value));
        }
    }
}

/// What traces have of a connection besides.
const TRACED: [&str; 5] = ["cwnd", "ssthresh", "srtt", "flight", "delivered"];

/// The internal values that a law or a policy shows; not those that are `traced` anyway.
pub fn values(
    py: Python<'_>,
    shown: &Bound<'_, PyAny>,
    traced: &[&str],
) -> PyResult<Vec<(String, f64)>> {
    let shown = shown.cast::<PyDict>().map_err(|_| {
        input_error(py, "inspect gives a dictionary of names and numbers".to_owned())
    })?;
    let one = |(name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let name: String = name.extract()?;
        if traced.contains(&name.as_str()) {
            let text = format!("inspect gives `{name}`, which is traced anyway: name it otherwise");
            return Err(input_error(py, text));
        }
        Ok((name, value.extract()?))
    };
    shown.iter().map(one).collect()
}

/// A name kept for traces: there are few of them.
pub fn known(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return known;
    }
    let own: &'static str = Box::leak(name.into());
    names.insert(own);
    own
}

impl Window {
    fn show(&mut self, w: &congestion::Window) {
        (self.cwnd, self.ssthresh) = (w.cwnd, w.ssthresh);
    }
}

/// Another connection in the same state, as a separate object.
impl Clone for PyLaw {
    fn clone(&self) -> Self {
        let methods =
            self.ask(None, |py, methods| Methods::of(copied(py, &methods.object)?).map(Some));
        Self { methods, raised: self.raised.clone(), names: self.names.clone() }
    }
}

/// A copy of an object with everything in it.
pub fn copied<'py>(py: Python<'py>, object: &Py<PyAny>) -> PyResult<Bound<'py, PyAny>> {
    py.import(intern!(py, "copy"))?.call_method1(intern!(py, "deepcopy"), (object,))
}
