//! Laws and queue policies, each by itself: what it promises, what is known in closed form,
//! what other programs do.

mod add_a_law;
mod any_sequence;
mod closed_forms;
mod delay_params;
mod law_model;
mod queue_laws;
mod queue_model;
mod queue_ns2;
