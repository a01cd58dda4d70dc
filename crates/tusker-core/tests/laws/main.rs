//! Tests of each law and queue policy by itself: that it keeps its promises, and that it agrees
//! with closed forms and with other programs.

mod add_a_law;
mod any_sequence;
mod closed_forms;
mod delay_params;
mod law_model;
mod queue_laws;
mod queue_model;
mod queue_ns2;
