//! The C versions of the laws, compiled for this machine, as laws of `tusker_core`.
//!
//! [`CLaw`] is a [`Law`]; inside a [`Windowed`] it is a controller. So the C version can be
//! driven by anything that drives the Rust version. In the conversion to C, windows are rounded
//! to 2^-24 of a segment and times to microseconds, as in the kernel.

mod ffi;

pub use ffi::{adopt, fixed};

use tusker_core::congestion::{
    ALL, Ack, Algorithm, Congestion, Controller, Law, Options, Rtt, Spec, Timeout, Window, Windowed,
};
use tusker_core::{Duration, Rate, Sheet, Time};

use ffi::{FxAck, FxWindow, State, Table};

/// Units that make one segment: `FX_ONE` of `bpf/fixed.h`.
const FX_ONE: f64 = (1_u64 << 24) as f64;

/// A law in C.
#[derive(Clone, Copy)]
pub struct HostLaw {
    table: &'static Table,
}

/// A parameter of a law in C, or an internal value that it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// The parameter's name in the sheet, or the internal value's in Rust.
    pub name: &'static str,
    /// How many units make 1.
    pub one: u64,
    /// The parameter's default, in these units; 0 for an internal value.
    pub default: u64,
}

/// Why a law in C cannot be set up as requested, as a sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotInC(pub String);

impl HostLaw {
    /// All of them.
    pub fn all() -> Vec<Self> {
        ffi::tables().into_iter().map(|table| Self { table }).collect()
    }

    /// The C version of the registry's law of this name; `ghstcp` also serves
    /// `ghstcp-refined`.
    pub fn named(name: &str) -> Option<Self> {
        let name = if name == REFINED { "ghstcp" } else { name };
        Self::all().into_iter().find(|law| law.name() == name)
    }

    /// The laws of the registry that also exist in C, by name.
    pub fn sheets() -> impl Iterator<Item = &'static Sheet> {
        ALL.iter().filter(|sheet| Self::named(sheet.name).is_some())
    }

    /// Its name in the kernel.
    pub fn name(self) -> &'static str {
        self.table.name()
    }

    /// Its parameters in the order of `struct params`.
    pub fn params(self) -> Vec<Number> {
        self.table.params().iter().map(Number::of).collect()
    }

    /// The internal values that it shows, in the order of `law_show`.
    pub fn shows(self) -> Vec<Number> {
        self.table.shows().iter().map(Number::of).collect()
    }

    /// Bytes of state per connection: `struct law`.
    pub fn state_size(self) -> usize {
        self.table.state_size()
    }

    /// It has its own slow start: `LAW_OWN_SLOW_START`.
    pub fn own_slow_start(self) -> bool {
        self.table.own_slow_start()
    }

    /// A new connection of this law in C.
    ///
    /// # Errors
    /// As [`params_bytes`].
    pub fn controller(self, spec: &Spec, options: &Options) -> Result<Controlled, NotInC> {
        let params = units(self, spec)?;
        Ok(self.with_units(spec.name(), params, options))
    }

    /// The same with parameters in the law's own units, legal or not: for tests that need
    /// wrong values. `sheet` is the name of the registry's law, which determines what is
    /// shown.
    ///
    /// # Panics
    /// If their number differs from [`Self::params`].
    pub fn with_units(self, sheet: &str, params: Vec<u64>, options: &Options) -> Controlled {
        let shows = shown_by(self, sheet);
        let state = State::new(self.table, params);
        match self.own_slow_start() {
            false => Controlled::Law(Windowed::new(CLaw { state, shows }, options)),
            true => Controlled::LawWithSlowStart(Windowed::new(CLaw { state, shows }, options)),
        }
    }
}

impl Number {
    fn of(named: &ffi::Named) -> Self {
        Self { name: named.name(), one: named.one, default: named.value }
    }
}

/// The second sheet of `ghstcp.h`.
const REFINED: &str = "ghstcp-refined";

/// The contents of `struct params` for these values: a `u64` for each parameter in the
/// order of [`HostLaw::params`], least significant byte first.
///
/// # Errors
/// If the spec sets a parameter that the law in C does not have.
pub fn params_bytes(law: HostLaw, spec: &Spec) -> Result<Vec<u8>, NotInC> {
    Ok(units(law, spec)?.into_iter().flat_map(u64::to_le_bytes).collect())
}

/// The parameters of a spec in units of the law in C.
///
/// # Errors
/// As [`params_bytes`].
pub fn units(law: HostLaw, spec: &Spec) -> Result<Vec<u64>, NotInC> {
    let params = law.params();
    for (param, value) in spec.iter() {
        if value != param.default && !params.iter().any(|known| known.name == param.name) {
            return Err(NotInC(format!(
                "{}: {} stays {} in the kernel, which does not measure what this parameter needs",
                spec.name(),
                param.name,
                param.default
            )));
        }
    }
    let refined = u64::from(spec.name() == REFINED);
    let unit = |param: &Number| match spec.value(param.name) {
        Some(value) => (value * param.one as f64).round() as u64,
        None if param.name == "refined" => refined,
        None => param.default,
    };
    Ok(params.iter().map(unit).collect())
}

/// The internal values that this sheet's law shows in Rust, by their position in C.
fn shown_by(law: HostLaw, sheet: &str) -> Vec<(usize, Number)> {
    let mut names = Vec::new();
    if let Ok(spec) = Spec::named(sheet, []) {
        let rust = Algorithm::new(&spec, &Options::default());
        rust.inspect(&mut |name, _| names.push(name));
    }
    let shows = law.shows().into_iter().enumerate();
    shows.filter(|(_, number)| names.contains(&number.name)).collect()
}

/// A law in C. `OWN_SLOW_START` is set as in its table.
#[derive(Clone)]
pub struct CLaw<const OWN_SLOW_START: bool> {
    state: State,
    shows: Vec<(usize, Number)>,
}

/// Rounds to the nearest unit; infinity becomes `FX_MAX`.
fn to_fx(segments: f64) -> u64 {
    (segments * FX_ONE).round() as u64
}

fn from_fx(units: u64) -> f64 {
    if units == u64::MAX { f64::INFINITY } else { units as f64 / FX_ONE }
}

fn micros(nanos: u64) -> u64 {
    nanos.saturating_add(500) / 1_000
}

/// A sample that is not 0, because 0 means none.
fn sample(span: Duration) -> u32 {
    u32::try_from(micros(span.nanos())).unwrap_or(u32::MAX).max(1)
}

fn fx_window(w: &Window) -> FxWindow {
    FxWindow { cwnd: to_fx(w.cwnd), ssthresh: to_fx(w.ssthresh) }
}

fn fx_ack(ack: &Ack) -> FxAck {
    let rtt = |of: fn(&Rtt) -> Duration| ack.rtt.as_ref().map_or(0, |rtt| sample(of(rtt)));
    let forward = ack.rtt.and_then(|rtt| rtt.forward);
    FxAck {
        now: micros(ack.now.nanos()),
        departed: micros(ack.departed.nanos()),
        // clocks may differ: only differences count, negative ones too
        forward: forward
            .map_or(0, |f| f.nanos().cast_signed().saturating_add(500).div_euclid(1_000)),
        credit: to_fx(ack.credit),
        acked: ack.acked,
        in_flight: ack.in_flight,
        rtt: rtt(|rtt| rtt.latest),
        srtt: rtt(|rtt| rtt.smoothed),
        rtt_min: rtt(|rtt| rtt.min),
        has_forward: forward.is_some().into(),
        round_start: ack.round_start.into(),
        cwnd_limited: ack.cwnd_limited.into(),
    }
}

impl<const OWN_SLOW_START: bool> Law for CLaw<OWN_SLOW_START> {
    const OWN_SLOW_START: bool = OWN_SLOW_START;

    fn observe(&mut self, w: &Window, ack: &Ack) {
        self.state.observe(&fx_window(w), &fx_ack(ack));
    }

    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        let mut window = fx_window(w);
        self.state.grow(&mut window, &fx_ack(ack));
        *w = Window { cwnd: from_fx(window.cwnd), ssthresh: from_fx(window.ssthresh) };
    }

    fn shrink(&mut self, w: f64) -> f64 {
        from_fx(self.state.shrink(to_fx(w)))
    }

    fn shrink_outside(&mut self, w: f64) -> f64 {
        from_fx(self.state.shrink_outside(to_fx(w)))
    }

    fn shrunk(&mut self, now: Time) {
        self.state.shrunk(micros(now.nanos()));
    }

    fn reset(&mut self, now: Time) {
        self.state.reset(micros(now.nanos()));
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        let values = self.state.show();
        for (place, number) in &self.shows {
            see(number.name, values[*place] as f64 / number.one as f64);
        }
    }
}

/// A law in C as a controller.
#[derive(Clone)]
pub enum Controlled {
    /// With the slow start of its options.
    Law(Windowed<CLaw<false>>),
    /// With its own slow start.
    LawWithSlowStart(Windowed<CLaw<true>>),
}

macro_rules! either {
    ($self:ident, $c:ident => $what:expr) => {
        match $self {
            Self::Law($c) => $what,
            Self::LawWithSlowStart($c) => $what,
        }
    };
}

impl Controller for Controlled {
    fn cwnd(&self) -> f64 {
        either!(self, c => c.cwnd())
    }
    fn ssthresh(&self) -> f64 {
        either!(self, c => c.ssthresh())
    }
    fn pacing_rate(&self) -> Option<Rate> {
        either!(self, c => c.pacing_rate())
    }
    fn on_ack(&mut self, ack: &Ack) {
        either!(self, c => c.on_ack(ack));
    }
    fn on_congestion(&mut self, event: &Congestion) {
        either!(self, c => c.on_congestion(event));
    }
    fn on_recovered(&mut self, now: Time) {
        either!(self, c => c.on_recovered(now));
    }
    fn on_timeout(&mut self, event: &Timeout) {
        either!(self, c => c.on_timeout(event));
    }
    fn on_undo(&mut self, now: Time) {
        either!(self, c => c.on_undo(now));
    }
    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        either!(self, c => c.inspect(see));
    }
}
