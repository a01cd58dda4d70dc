//! How packets are lost: individually, or in bursts.

use schemars::{Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, Serializer};
use tusker_core::{Duration, wire};

use super::changing::{ChangeKeys, Changing, Quantity, Step};
use crate::error::{Fault, Mistake};
use crate::recorded::{Columns, Wanted};
use crate::text::Text;

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

/// How a link loses packets, checked; `lasting`: it does not change.
pub(crate) fn loss(loss: Loss, lasting: bool, path: &str) -> Result<wire::Loss, Fault> {
    let wrong = |message: String, help: &str, key: &str| {
        Err(Mistake::new(message, help).at(format!("{path}{key}")))
    };
    match loss {
        Loss::Bernoulli(p) if !lasting && p == 1.0 => Ok(wire::Loss::Bernoulli(p)),
        Loss::Bernoulli(p) if !(0.0..1.0).contains(&p) => wrong(
            format!("{p} is not a valid loss probability"),
            "from 0 to below 1, as in 1e-6",
            "",
        ),
        Loss::Bernoulli(p) => Ok(wire::Loss::Bernoulli(p)),
        Loss::Bursts { mean, .. } if !(0.0..1.0).contains(&mean) => wrong(
            format!("{mean} is not a valid loss rate"),
            "from 0 to below 1, as in 0.01",
            ".mean",
        ),
        Loss::Bursts { burst, .. } if !(burst >= 1.0 && burst.is_finite()) => {
            wrong(format!("{burst} is not a valid burst length"), "1 packet or more", ".burst")
        }
        Loss::Bursts { mean, burst } => match wire::Loss::bursts(mean, burst) {
            wire::Loss::GilbertElliott { p, .. } if p > 1.0 => wrong(
                format!("bursts of {burst} packets are too short for a loss of {mean}"),
                "longer bursts: packets between two bursts get through, at least one",
                "",
            ),
            chain => Ok(chain),
        },
        Loss::Chain { p, r, loss_good, loss_bad } => {
            let all = [(p, ".p"), (r, ".r"), (loss_good, ".loss_good"), (loss_bad, ".loss_bad")];
            if let Some((value, key)) = all.iter().find(|(v, _)| !(0.0..=1.0).contains(v)) {
                return wrong(format!("{value} is not a probability"), "from 0 to 1", key);
            }
            let chain = wire::Loss::GilbertElliott { p, r, loss_good, loss_bad };
            // a chain that stays in the bad state must not lose everything
            if lasting && (chain.mean() >= 1.0 || r == 0.0 && p > 0.0 && loss_bad == 1.0) {
                let help = "let the bad state end (r above 0), or lose fewer packets in it";
                return wrong("a link that eventually loses every packet".into(), help, "");
            }
            Ok(chain)
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LossTable {
    p: Option<f64>,
    r: Option<f64>,
    loss_good: Option<f64>,
    loss_bad: Option<f64>,
    mean: Option<f64>,
    burst: Option<f64>,
    #[serde(skip_serializing)]
    steps: Option<Vec<Step<Loss>>>,
    #[serde(skip_serializing)]
    every: Option<Text<Duration>>,
    #[serde(skip_serializing)]
    trace: Option<String>,
    #[serde(skip_serializing)]
    columns: Option<Columns>,
}

impl Quantity for Loss {
    const KEY: &'static str = "loss";
    const STEP: &'static [&'static str] = &["at", "loss"];
    const RECORDED: Wanted = Wanted::Loss;
    const WHAT: &'static str = "a probability such as 1e-6, { p = 0.001, r = 0.25 }, \
                                { mean = 0.01, burst = 4 } or [{ at = \"0s\", loss = 1e-6 }, ..]";
    type Table = LossTable;

    fn number(loss: f64) -> Option<Self> {
        Some(Self::Bernoulli(loss))
    }

    fn table(t: LossTable) -> Result<Changing<Self>, (String, String)> {
        let numbers = [t.p, t.r, t.loss_good, t.loss_bad, t.mean, t.burst];
        let told = ChangeKeys {
            steps: t.steps,
            every: t.every,
            trace: t.trace,
            columns: t.columns,
            reorder: None,
        };
        if let Some(changing) = told.read(numbers.iter().any(Option::is_some))? {
            return Ok(changing);
        }
        match (t.p, t.r, t.mean, t.burst, t.loss_good, t.loss_bad) {
            (Some(p), Some(r), None, None, good, bad) => {
                let (loss_good, loss_bad) = (good.unwrap_or(0.0), bad.unwrap_or(1.0));
                Ok(Self::Chain { p, r, loss_good, loss_bad }.into())
            }
            (None, None, Some(mean), Some(burst), None, None) => {
                Ok(Self::Bursts { mean, burst }.into())
            }
            _ => {
                let help = "choose one of these forms; loss_good and loss_bad go with p and r";
                Err((format!("expected {}", Self::WHAT), help.into()))
            }
        }
    }

    fn of_column(loss: f64) -> Option<Self> {
        (0.0..=1.0).contains(&loss).then_some(Self::Bernoulli(loss))
    }

    fn write<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.serialize(s)
    }

    fn schema(g: &mut SchemaGenerator) -> Schema {
        g.subschema_for::<Self>()
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
            steps: None,
            every: None,
            trace: None,
            columns: None,
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
