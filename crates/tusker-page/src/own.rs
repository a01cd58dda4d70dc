//! The reader's own law: two expressions, which run as the law `own`.
//!
//! ```text
//! grow     packets by which the window grows in a round trip
//! shrink   the window after a loss, in packets
//! ```
//!
//! Both may use the window `w` (packets), the smoothed round trip `r` (seconds), numbers,
//! `+ - * / ^`, parentheses, and `sqrt cbrt ln exp abs min max`.

mod expression;

use serde_json::Value;
use tusker_core::congestion::{Ack, Law, Window};
use tusker_core::foreign::{AnyLaw, Registration, Scope, register_law};

use crate::fault::Fault;
use expression::Expression;

/// The name of the law in scenarios.
pub const NAME: &str = "own";

/// The law is registered as long as this lives.
#[derive(Debug)]
pub struct Own {
    scope: Scope,
    _registration: Registration<AnyLaw>,
}

impl Own {
    /// From `{"grow": TEXT, "shrink": TEXT}`.
    pub fn read(value: &Value) -> Result<Self, Fault> {
        let part = |key: &str| -> Result<Expression, Fault> {
            let place = format!("own.{key}");
            let Some(text) = value.get(key).and_then(Value::as_str) else {
                let expected = "an expression such as \"w / 2\"";
                return Err(Fault::new(format!("no `{key}`"), expected, "write it").at(place));
            };
            Expression::read(text).map_err(|fault| fault.at(place))
        };
        let law = TwoExpressions { grow: part("grow")?, shrink: part("shrink")?, rtt: 0.1 };
        let scope = Scope::new();
        let made = scope.within(|| register_law(NAME, "Own law", &[], move || law.clone()));
        let registration = made.map_err(|_| {
            Fault::new(format!("a law `{NAME}` exists already"), "one", "reload the page")
        })?;
        Ok(Self { scope, _registration: registration })
    }

    /// Does something where scenarios find the law.
    pub fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        self.scope.within(work)
    }
}

#[derive(Clone, Debug)]
struct TwoExpressions {
    grow: Expression,
    shrink: Expression,
    /// The last smoothed round trip, seconds.
    rtt: f64,
}

impl Law for TwoExpressions {
    fn observe(&mut self, _: &Window, ack: &Ack) {
        if let Some(rtt) = &ack.rtt {
            self.rtt = rtt.smoothed.secs();
        }
    }

    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        let growth = self.grow.value(w.cwnd, self.rtt) * ack.credit / w.cwnd;
        if growth.is_finite() {
            // a window doubles at most, as in slow start
            w.cwnd += growth.clamp(-ack.credit, ack.credit);
        }
    }

    fn shrink(&mut self, w: f64) -> f64 {
        let shrunk = self.shrink.value(w, self.rtt);
        if shrunk.is_finite() { shrunk.clamp(1.0, w.max(1.0)) } else { w / 2.0 }
    }
}
