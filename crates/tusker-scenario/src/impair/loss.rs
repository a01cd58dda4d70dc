//! How packets are lost: individually, or in bursts.

use serde::de::value::MapAccessDeserializer;
use serde::{Deserialize, Serialize, Serializer, de};
use tusker_core::wire;

use crate::error::{Fault, Mistake};
use crate::forms::forms;

/// How packets are lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loss {
    /// Each packet with this probability.
    Bernoulli(f64),
    /// Gilbert-Elliott.
    Chain {
        /// Probability of a step from good to bad.
        p: f64,
        /// Probability of a step from bad to good.
        r: f64,
        /// Probability of a loss in the good state. Default: 0.
        loss_good: f64,
        /// Probability of a loss in the bad state. Default: 1.
        loss_bad: f64,
    },
    /// The chain with this loss rate and this mean burst length.
    Bursts {
        /// Fraction of packets lost.
        mean: f64,
        /// Mean number of packets lost in a row.
        burst: f64,
    },
}

impl Loss {
    /// As it is written, the chain by its probabilities.
    pub(crate) fn written(loss: wire::Loss) -> Self {
        match loss {
            wire::Loss::Bernoulli(loss) => Self::Bernoulli(loss),
            wire::Loss::GilbertElliott { p, r, loss_good, loss_bad } => {
                Self::Chain { p, r, loss_good, loss_bad }
            }
        }
    }
}

/// How a link loses packets, checked; by default it loses none.
pub(crate) fn loss(loss: Option<Loss>, path: &str) -> Result<wire::Loss, Fault> {
    let wrong = |message: String, help: &str, key: &str| {
        Err(Mistake::new(message, help).at(format!("{path}{key}")))
    };
    match loss {
        None => Ok(wire::Loss::NONE),
        Some(Loss::Bernoulli(p)) if !(0.0..1.0).contains(&p) => wrong(
            format!("{p} is not a valid loss probability"),
            "from 0 to below 1, as in 1e-6",
            "",
        ),
        Some(Loss::Bernoulli(p)) => Ok(wire::Loss::Bernoulli(p)),
        Some(Loss::Bursts { mean, .. }) if !(0.0..1.0).contains(&mean) => wrong(
            format!("{mean} is not a valid loss rate"),
            "from 0 to below 1, as in 0.01",
            ".mean",
        ),
        Some(Loss::Bursts { burst, .. }) if !(burst >= 1.0 && burst.is_finite()) => {
            wrong(format!("{burst} is not a valid burst length"), "1 packet or more", ".burst")
        }
        Some(Loss::Bursts { mean, burst }) => match wire::Loss::bursts(mean, burst) {
            wire::Loss::GilbertElliott { p, .. } if p > 1.0 => wrong(
                format!("bursts of {burst} packets are too short for a loss of {mean}"),
                "longer bursts: packets between two bursts get through, at least one",
                "",
            ),
            chain => Ok(chain),
        },
        Some(Loss::Chain { p, r, loss_good, loss_bad }) => {
            let all = [(p, ".p"), (r, ".r"), (loss_good, ".loss_good"), (loss_bad, ".loss_bad")];
            if let Some((value, key)) = all.iter().find(|(v, _)| !(0.0..=1.0).contains(v)) {
                return wrong(format!("{value} is not a probability"), "from 0 to 1", key);
            }
            let chain = wire::Loss::GilbertElliott { p, r, loss_good, loss_bad };
            // a chain that stays in the bad state must not lose everything
            if chain.mean() >= 1.0 || (r == 0.0 && p > 0.0 && loss_bad == 1.0) {
                let help = "let the bad state end (r above 0), or lose fewer packets in it";
                return wrong("a link that eventually loses every packet".into(), help, "");
            }
            Ok(chain)
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LossTable {
    p: Option<f64>,
    r: Option<f64>,
    loss_good: Option<f64>,
    loss_bad: Option<f64>,
    mean: Option<f64>,
    burst: Option<f64>,
}

const LOSS: &str = "a probability such as 1e-6, { p = 0.001, r = 0.25 } or \
                    { mean = 0.01, burst = 4 }";

forms! { 'de Loss, LOSS =>
    fn visit_f64<E>(self, loss: f64) -> Result<Loss, E> {
        Ok(Loss::Bernoulli(loss))
    }
    fn visit_i64<E>(self, loss: i64) -> Result<Loss, E> {
        Ok(Loss::Bernoulli(loss as f64))
    }
    fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Loss, A::Error> {
        let t = LossTable::deserialize(MapAccessDeserializer::new(map))?;
        match (t.p, t.r, t.mean, t.burst, t.loss_good, t.loss_bad) {
            (Some(p), Some(r), None, None, good, bad) => Ok(Loss::Chain {
                p,
                r,
                loss_good: good.unwrap_or(0.0),
                loss_bad: bad.unwrap_or(1.0),
            }),
            (None, None, Some(mean), Some(burst), None, None) => {
                Ok(Loss::Bursts { mean, burst })
            }
            _ => {
                let help = "choose one of these forms; loss_good and loss_bad go with \
                            p and r";
                Err(Mistake::new(format!("expected {LOSS}"), help).into_serde())
            }
        }
    }
}

impl Serialize for Loss {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut table = LossTable {
            p: None,
            r: None,
            loss_good: None,
            loss_bad: None,
            mean: None,
            burst: None,
        };
        match *self {
            // in the traditional form, so that stored scenarios do not change
            Self::Bernoulli(loss) => return s.serialize_f64(loss),
            Self::Chain { p, r, loss_good, loss_bad } => {
                (table.p, table.r) = (Some(p), Some(r));
                (table.loss_good, table.loss_bad) = (Some(loss_good), Some(loss_bad));
            }
            Self::Bursts { mean, burst } => {
                (table.mean, table.burst) = (Some(mean), Some(burst));
            }
        }
        table.serialize(s)
    }
}
