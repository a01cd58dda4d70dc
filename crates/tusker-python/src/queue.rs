//! A queue policy written in Python, called like any other: the methods of [`Aqm`].

use std::sync::{Arc, OnceLock};

use pyo3::intern;
use pyo3::prelude::*;
use tusker_core::queue::{self, Aqm};
use tusker_core::{Duration, Rng, Time};

use crate::law::{copied, known, values};
use crate::raised::{Raised, base, input_error, method};

/// What happens to a packet.
#[pyclass(frozen, eq, eq_int, from_py_object, module = "tusker._tusker")]
#[derive(Clone, Copy, PartialEq)]
pub enum Verdict {
    /// It enters or leaves the queue.
    #[pyo3(name = "PASS")]
    Pass,
    /// It is marked if that is possible, otherwise dropped.
    #[pyo3(name = "SIGNAL")]
    Signal,
    /// It is dropped.
    #[pyo3(name = "DROP")]
    Drop,
}

/// A packet.
#[pyclass(frozen, get_all, module = "tusker._tusker")]
pub struct Packet {
    /// Bytes on the wire.
    size: u64,
    /// It can be marked instead of dropped.
    can_mark: bool,
    /// When it arrived, seconds.
    arrived: f64,
}

/// The backlog of a link.
#[pyclass(frozen, get_all, module = "tusker._tusker")]
pub struct Backlog {
    /// Packets, without the one in transmission.
    packets: u32,
    /// Bytes.
    bytes: u64,
    /// Since when the link has been idle, seconds; `None` while it is busy.
    idle_since: Option<f64>,
}

/// The link that a queue feeds.
#[pyclass(frozen, get_all, module = "tusker._tusker")]
pub struct Link {
    /// Its rate.
    rate_bps: u64,
    /// Mean packet size in bytes, as far as it is known beforehand.
    mean_packet: u64,
}

/// The random numbers of a policy: they depend on the seed of the run.
#[pyclass(module = "tusker._tusker")]
pub struct Random(Rng);

#[pymethods]
impl Random {
    /// Uniform in [0, 1).
    fn uniform(&mut self) -> f64 {
        self.0.unit()
    }

    /// Exponential with this mean.
    fn exponential(&mut self, mean: f64) -> f64 {
        self.0.exponential(mean)
    }
}

/// A policy in Python, for one link.
#[derive(Debug)]
pub struct PyQueue {
    /// `None` if it could not be created; then the run ends.
    methods: Option<Methods>,
    raised: Arc<Raised>,
    next: Time,
    names: OnceLock<Vec<&'static str>>,
}

#[derive(Debug)]
struct Methods {
    object: Py<PyAny>,
    random: Py<Random>,
    on_arrival: Py<PyAny>,
    on_departure: Option<Py<PyAny>>,
    on_overflow: Option<Py<PyAny>>,
    on_empty: Option<Py<PyAny>>,
    on_poll: Option<Py<PyAny>>,
    inspect: Option<Py<PyAny>>,
    interval: Option<Duration>,
}

impl Methods {
    fn of(object: Bound<'_, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let base = base(py, "Queue")?;
        let own = |name| method(&object, &base, name);
        let interval: Option<f64> = object.getattr(intern!(py, "interval"))?.extract()?;
        // a nanosecond is the resolution of time
        if let Some(secs) = interval.filter(|secs| !(secs.is_finite() && *secs >= 1e-9)) {
            let text = format!("interval = {secs}: seconds from one call of on_poll to the next");
            return Err(input_error(py, text));
        }
        Ok(Self {
            random: Py::new(py, Random(Rng::named(0, "")))?,
            on_arrival: object.getattr(intern!(py, "on_arrival"))?.unbind(),
            on_departure: own("on_departure")?,
            on_overflow: own("on_overflow")?,
            on_empty: own("on_empty")?,
            on_poll: own("on_poll")?,
            inspect: own("inspect")?,
            interval: interval.map(Duration::from_secs),
            object: object.unbind(),
        })
    }

    /// Asks what happens to a packet, with the given random numbers.
    fn verdict(
        &self,
        py: Python<'_>,
        method: &Py<PyAny>,
        (packet, q, now): (Packet, &queue::Backlog, Time),
        rng: &mut Rng,
    ) -> PyResult<queue::Verdict> {
        let random = self.random.bind(py);
        random.borrow_mut().0 = rng.clone();
        let answer = method.bind(py).call1((packet, shown(q), now.secs(), random))?;
        rng.clone_from(&random.borrow().0);
        let verdict = answer.extract::<Verdict>().map_err(|_| {
            let class = self.object.bind(py).get_type();
            let text = format!("{class} decided {answer}: a verdict is PASS, SIGNAL or DROP");
            input_error(py, text)
        })?;
        Ok(match verdict {
            Verdict::Pass => queue::Verdict::Pass,
            Verdict::Signal => queue::Verdict::Signal,
            Verdict::Drop => queue::Verdict::Drop,
        })
    }
}

fn shown(q: &queue::Backlog) -> Backlog {
    let idle_since = q.idle_since.map(Time::secs);
    Backlog { packets: q.packets, bytes: q.bytes.get(), idle_since }
}

impl PyQueue {
    /// Creates one for this link by calling `make`.
    pub fn new(make: &Py<PyAny>, link: &queue::Link, raised: &Arc<Raised>) -> Self {
        let (rate_bps, mean_packet) = (link.rate.bits_per_sec(), link.mean_packet.get());
        let methods = raised.ask(None, |py| {
            let object = make.bind(py).call0()?;
            object.call_method1(intern!(py, "set_up"), (Link { rate_bps, mean_packet },))?;
            Methods::of(object).map(Some)
        });
        let interval = methods.as_ref().and_then(|methods| methods.interval);
        let next = interval.map_or(Time::NEVER, |interval| Time::ZERO + interval);
        Self { methods, raised: raised.clone(), next, names: OnceLock::new() }
    }

    fn ask<T>(&self, otherwise: T, ask: impl FnOnce(Python<'_>, &Methods) -> PyResult<T>) -> T {
        match &self.methods {
            Some(methods) => self.raised.ask(otherwise, |py| ask(py, methods)),
            None => otherwise,
        }
    }

    fn has(&self, method: fn(&Methods) -> &Option<Py<PyAny>>) -> bool {
        self.methods.as_ref().is_some_and(|methods| method(methods).is_some())
    }
}

impl Aqm for PyQueue {
    fn on_arrival(
        &mut self,
        p: &queue::Meta,
        q: &queue::Backlog,
        now: Time,
        rng: &mut Rng,
    ) -> queue::Verdict {
        let packet = Packet { size: p.size.get(), can_mark: p.ecn_capable, arrived: now.secs() };
        self.ask(queue::Verdict::Pass, |py, methods| {
            methods.verdict(py, &methods.on_arrival, (packet, q, now), rng)
        })
    }

    fn on_overflow(&mut self) {
        if self.has(|methods| &methods.on_overflow) {
            self.ask((), |py, methods| match &methods.on_overflow {
                Some(method) => method.bind(py).call0().map(drop),
                None => Ok(()),
            });
        }
    }

    fn poll_at(&self) -> Time {
        self.next
    }

    fn on_poll(&mut self, now: Time, q: &queue::Backlog) {
        let interval = self.methods.as_ref().and_then(|methods| methods.interval);
        self.next = interval.map_or(Time::NEVER, |interval| now + interval);
        self.ask((), |py, methods| match &methods.on_poll {
            Some(method) => method.bind(py).call1((now.secs(), shown(q))).map(drop),
            None => Ok(()),
        });
    }

    fn on_departure(
        &mut self,
        p: &queue::Departing,
        q: &queue::Backlog,
        now: Time,
        rng: &mut Rng,
    ) -> queue::Verdict {
        if !self.has(|methods| &methods.on_departure) {
            return queue::Verdict::Pass;
        }
        let (size, can_mark, arrived) = (p.size.get(), p.can_mark, p.arrived.secs());
        self.ask(queue::Verdict::Pass, |py, methods| match &methods.on_departure {
            Some(method) => {
                methods.verdict(py, method, (Packet { size, can_mark, arrived }, q, now), rng)
            }
            None => Ok(queue::Verdict::Pass),
        })
    }

    fn on_empty(&mut self, now: Time) {
        if self.has(|methods| &methods.on_empty) {
            self.ask((), |py, methods| match &methods.on_empty {
                Some(method) => method.bind(py).call1((now.secs(),)).map(drop),
                None => Ok(()),
            });
        }
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        if !self.has(|methods| &methods.inspect) {
            return;
        }
        let values = self.ask(Vec::new(), |py, methods| match &methods.inspect {
            Some(method) => values(py, &method.bind(py).call0()?, &["queue"]),
            None => Ok(Vec::new()),
        });
        let names = self.names.get_or_init(|| values.iter().map(|(name, _)| known(name)).collect());
        for name in names {
            let value = values.iter().find(|(own, _)| own == name);
            see(name, value.map_or(f64::NAN, |(_, value)| *value));
        }
    }
}

/// Another queue in the same state.
impl Clone for PyQueue {
    fn clone(&self) -> Self {
        let methods =
            self.ask(None, |py, methods| Methods::of(copied(py, &methods.object)?).map(Some));
        let names = self.names.clone();
        Self { methods, raised: self.raised.clone(), next: self.next, names }
    }
}
