//! Laws and queue policies that are defined outside, in Python, while the program
//! runs.
//!
//! As long as its [`Registration`] lives, scenarios find each of them by its name, as they find
//! the algorithms of the registry. What is registered within a [`Scope`] is found only by
//! threads within it, so that others may use the same names at the same time. Only builds with the
//! feature `foreign` have this module, and they need the standard library. It costs the registries'
//! own algorithms nothing: a foreign algorithm is one more variant beside them, in its own box.

use std::boxed::Box;
use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::vec::Vec;

use crate::congestion::{self, Ack, Law, Window};
use crate::params::{Need, Sheet};
use crate::queue::{
    self, Aqm, Backlog, CakeQueues, Departing, FlowQueues, Header, Heads, Link, Meta, TokenBuckets,
    TwoQueues, Verdict,
};
use crate::rng::Rng;
use crate::spec::Kind;
use crate::units::{Duration, Time};

/// A law of any kind. Its slow start is that of [`congestion::Options`].
#[derive(Debug)]
pub struct AnyLaw {
    law: Box<dyn ErasedLaw>,
    of: Known<AnyLaw>,
}

/// A queue policy of any kind.
#[derive(Debug)]
pub struct AnyPolicy {
    policy: Box<dyn ErasedPolicy>,
    of: Known<AnyPolicy>,
}

/// Constructs one: a law for each connection, a policy for each link.
type Make<T> = Arc<dyn Fn(Known<T>, Option<&Link>) -> T + Send + Sync>;

/// What was registered under a name.
struct Entry<T: 'static> {
    sheet: Sheet,
    made: Mutex<Option<Made<T>>>,
}

/// How it is constructed, and for whom.
struct Made<T: 'static> {
    scope: Scope,
    make: Make<T>,
}

/// A set of threads that share names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope(u64);

std::thread_local! {
    static WITHIN: Cell<Scope> = const { Cell::new(Scope::ALL) };
}

impl Scope {
    /// All threads.
    pub const ALL: Self = Self(0);

    /// Another one.
    #[must_use]
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// Does something as one of its threads.
    pub fn within<T>(self, work: impl FnOnce() -> T) -> T {
        /// Leaves it however the work ends.
        struct Left(Scope);
        impl Drop for Left {
            fn drop(&mut self) {
                WITHIN.set(self.0);
            }
        }
        let _left = Left(WITHIN.replace(self));
        work()
    }

    /// Whether this thread finds what is registered in it.
    fn is_here(self) -> bool {
        self == Self::ALL || self == WITHIN.get()
    }
}

impl Default for Scope {
    fn default() -> Self {
        Self::new()
    }
}

/// A registered law or policy.
pub struct Known<T: 'static>(&'static Entry<T>);

static LAWS: RwLock<Vec<Known<AnyLaw>>> = RwLock::new(Vec::new());
static POLICIES: RwLock<Vec<Known<AnyPolicy>>> = RwLock::new(Vec::new());

/// As long as this lives, scenarios find the law or policy by its name.
#[must_use]
#[derive(Debug)]
pub struct Registration<T: 'static>(Known<T>);

/// The name is in the registry, or already registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken;

/// Registers a law; `make` constructs one for each connection.
///
/// # Errors
/// If the name is taken.
pub fn register_law<L: Law + Clone + fmt::Debug + Send + Sync + 'static>(
    name: &str,
    title: &str,
    needs: &[Need],
    make: impl Fn() -> L + Send + Sync + 'static,
) -> Result<Registration<AnyLaw>, Taken> {
    if congestion::Kind::ALL.iter().any(|kind| kind.sheet().name == name) {
        return Err(Taken);
    }
    let make: Make<AnyLaw> = Arc::new(move |of, _| AnyLaw { law: Box::new(make()), of });
    register(&LAWS, name, title, needs, make)
}

/// Registers a queue policy; `make` constructs one for each link.
///
/// # Errors
/// If the name is taken.
pub fn register_policy<P: Aqm + Clone + fmt::Debug + Send + Sync + 'static>(
    name: &str,
    title: &str,
    needs: &[Need],
    make: impl Fn(&Link) -> P + Send + Sync + 'static,
) -> Result<Registration<AnyPolicy>, Taken> {
    if queue::Kind::ALL.iter().any(|kind| kind.sheet().name == name) {
        return Err(Taken);
    }
    let make: Make<AnyPolicy> = Arc::new(move |of, link| {
        let link = link.expect("a policy is made for a link");
        AnyPolicy { policy: Box::new(make(link)), of }
    });
    register(&POLICIES, name, title, needs, make)
}

fn register<T: 'static>(
    all: &RwLock<Vec<Known<T>>>,
    name: &str,
    title: &str,
    needs: &[Need],
    make: Make<T>,
) -> Result<Registration<T>, Taken> {
    let mut all = all.write().unwrap_or_else(PoisonError::into_inner);
    if all.iter().any(|known| known.sheet().name == name && known.is_here()) {
        return Err(Taken);
    }
    let same = |known: &&Known<T>| {
        let sheet = known.sheet();
        (sheet.name, sheet.title, sheet.needs) == (name, title, needs) && known.made().is_none()
    };
    // a sheet is never freed; registering the same one again reuses it
    let known = all.iter().find(same).copied().unwrap_or_else(|| {
        let sheet = Sheet {
            name: leaked(name),
            title: leaked(title),
            source: "made while the program runs",
            needs: Box::leak(needs.to_vec().into_boxed_slice()),
            ..Sheet::NO_LAW
        };
        let known = Known(Box::leak(Box::new(Entry { sheet, made: Mutex::new(None) })));
        all.push(known);
        known
    });
    *known.made() = Some(Made { scope: WITHIN.get(), make });
    Ok(Registration(known))
}

fn leaked(text: &str) -> &'static str {
    Box::leak(text.into())
}

impl<T: 'static> Drop for Registration<T> {
    fn drop(&mut self) {
        let made = self.0.made().take();
        // dropping it may take long and may need the lock
        drop(made);
    }
}

/// The law of this name.
pub(crate) fn law(name: &str) -> Option<Known<AnyLaw>> {
    find(&LAWS, name)
}

/// The queue policy of this name.
pub(crate) fn policy(name: &str) -> Option<Known<AnyPolicy>> {
    find(&POLICIES, name)
}

fn find<T: 'static>(all: &RwLock<Vec<Known<T>>>, name: &str) -> Option<Known<T>> {
    let all = all.read().unwrap_or_else(PoisonError::into_inner);
    all.iter().find(|known| known.sheet().name == name && known.is_here()).copied()
}

impl<T: 'static> Known<T> {
    /// Its sheet.
    pub fn sheet(self) -> &'static Sheet {
        &self.0.sheet
    }

    /// Whether it is registered where this thread finds it.
    fn is_here(self) -> bool {
        self.made().as_ref().is_some_and(|made| made.scope.is_here())
    }

    fn made(self) -> MutexGuard<'static, Option<Made<T>>> {
        self.0.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// # Panics
    /// If its registration has been dropped: the caller must keep it while a scenario runs.
    fn make(self, link: Option<&Link>) -> T {
        let made = self.made().as_ref().map(|made| made.make.clone());
        made.expect("its registration outlives the scenario")(self, link)
    }
}

impl<T: 'static> Clone for Known<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: 'static> Copy for Known<T> {}

impl<T: 'static> PartialEq for Known<T> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl<T: 'static> Eq for Known<T> {}

impl<T: 'static> fmt::Debug for Known<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sheet().name)
    }
}

impl AnyLaw {
    pub(crate) fn new(of: Known<Self>) -> Self {
        of.make(None)
    }

    pub(crate) fn of(&self) -> Known<Self> {
        self.of
    }
}

impl AnyPolicy {
    pub(crate) fn new(of: Known<Self>, link: &Link) -> Self {
        of.make(Some(link))
    }

    pub(crate) fn of(&self) -> Known<Self> {
        self.of
    }
}

impl Clone for AnyLaw {
    fn clone(&self) -> Self {
        Self { law: self.law.again(), of: self.of }
    }
}

impl Clone for AnyPolicy {
    fn clone(&self) -> Self {
        Self { policy: self.policy.again(), of: self.of }
    }
}

/// [`Law`] as an object-safe trait.
trait ErasedLaw: fmt::Debug + Send + Sync {
    fn again(&self) -> Box<dyn ErasedLaw>;
    fn observe(&mut self, w: &Window, ack: &Ack);
    fn grow(&mut self, w: &mut Window, ack: &Ack);
    fn shrink(&mut self, w: f64) -> f64;
    fn shrink_outside(&mut self, w: f64) -> f64;
    fn shrink_at_mark(&mut self, w: f64, slow_start: bool) -> Option<f64>;
    fn shrunk(&mut self, now: Time);
    fn reset(&mut self, now: Time);
    fn keep(&mut self);
    fn undone(&mut self);
    fn idle(&mut self, idle: Duration);
    fn also_needs(&self, need: Need) -> bool;
    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64));
}

impl<L: Law + Clone + fmt::Debug + Send + Sync + 'static> ErasedLaw for L {
    fn again(&self) -> Box<dyn ErasedLaw> {
        Box::new(self.clone())
    }
    fn observe(&mut self, w: &Window, ack: &Ack) {
        Law::observe(self, w, ack);
    }
    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        Law::grow(self, w, ack);
    }
    fn shrink(&mut self, w: f64) -> f64 {
        Law::shrink(self, w)
    }
    fn shrink_outside(&mut self, w: f64) -> f64 {
        Law::shrink_outside(self, w)
    }
    fn shrink_at_mark(&mut self, w: f64, slow_start: bool) -> Option<f64> {
        Law::shrink_at_mark(self, w, slow_start)
    }
    fn shrunk(&mut self, now: Time) {
        Law::shrunk(self, now);
    }
    fn reset(&mut self, now: Time) {
        Law::reset(self, now);
    }
    fn keep(&mut self) {
        Law::keep(self);
    }
    fn undone(&mut self) {
        Law::undone(self);
    }
    fn idle(&mut self, idle: Duration) {
        Law::idle(self, idle);
    }
    fn also_needs(&self, need: Need) -> bool {
        Law::also_needs(self, need)
    }
    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        Law::inspect(self, see);
    }
}

// a method missing here would silently do nothing
#[deny(clippy::missing_trait_methods)]
impl Law for AnyLaw {
    const OWN_SLOW_START: bool = false;

    fn observe(&mut self, w: &Window, ack: &Ack) {
        self.law.observe(w, ack);
    }
    // it has no slow start of its own
    fn leaves_slow_start(&mut self) -> bool {
        false
    }
    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        self.law.grow(w, ack);
    }
    fn shrink(&mut self, w: f64) -> f64 {
        self.law.shrink(w)
    }
    fn shrink_outside(&mut self, w: f64) -> f64 {
        self.law.shrink_outside(w)
    }
    fn shrink_at_mark(&mut self, w: f64, slow_start: bool) -> Option<f64> {
        self.law.shrink_at_mark(w, slow_start)
    }
    fn shrunk(&mut self, now: Time) {
        self.law.shrunk(now);
    }
    fn reset(&mut self, now: Time) {
        self.law.reset(now);
    }
    fn keep(&mut self) {
        self.law.keep();
    }
    fn undone(&mut self) {
        self.law.undone();
    }
    fn idle(&mut self, idle: Duration) {
        self.law.idle(idle);
    }
    fn also_needs(&self, need: Need) -> bool {
        self.law.also_needs(need)
    }
    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        self.law.inspect(see);
    }
}

/// A policy that can be cloned.
trait ErasedPolicy: Aqm + fmt::Debug + Send + Sync {
    fn again(&self) -> Box<dyn ErasedPolicy>;
}

impl<P: Aqm + Clone + fmt::Debug + Send + Sync + 'static> ErasedPolicy for P {
    fn again(&self) -> Box<dyn ErasedPolicy> {
        Box::new(self.clone())
    }
}

#[deny(clippy::missing_trait_methods)]
impl Aqm for AnyPolicy {
    fn on_arrival(&mut self, p: &Meta, q: &Backlog, now: Time, rng: &mut Rng) -> Verdict {
        self.policy.on_arrival(p, q, now, rng)
    }
    fn on_overflow(&mut self) {
        self.policy.on_overflow();
    }
    fn poll_at(&self) -> Time {
        self.policy.poll_at()
    }
    fn on_poll(&mut self, now: Time, q: &Backlog) {
        self.policy.on_poll(now, q);
    }
    fn write(&mut self, header: &mut Header, p: &Meta) {
        self.policy.write(header, p);
    }
    fn on_departure(&mut self, p: &Departing, q: &Backlog, now: Time, rng: &mut Rng) -> Verdict {
        self.policy.on_departure(p, q, now, rng)
    }
    fn on_empty(&mut self, now: Time) {
        self.policy.on_empty(now);
    }
    fn flow_queues(&self) -> Option<FlowQueues> {
        self.policy.flow_queues()
    }
    fn two_queues(&self) -> Option<TwoQueues> {
        self.policy.two_queues()
    }
    fn cake_queues(&self) -> Option<CakeQueues> {
        self.policy.cake_queues()
    }
    fn token_buckets(&self) -> Option<TokenBuckets> {
        self.policy.token_buckets()
    }
    fn on_heads(&mut self, heads: &Heads) {
        self.policy.on_heads(heads);
    }
    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        self.policy.inspect(see);
    }
    fn target(&self) -> Option<(f64, f64)> {
        self.policy.target()
    }
}

#[cfg(test)]
mod tests;
