//! Scripts that take a congestion control through ACKs and losses, step by step, with
//! numbers that were worked out by hand. For tests and for `tusker kernel prove`.
//!
//! A script is text; `#` starts a comment, where the arithmetic belongs. It is run once for
//! each law that it names. Any [`Controller`](tusker_core::congestion::Controller) can be
//! run: those of the registry ([`Script::run_for_its_laws`]), and others ([`Script::run`]),
//! such as one that passes events on to a law in another language.
//!
//! ```text
//! cc reno hstcp             laws to run; name=value sets a parameter; * is all that
//!                           need nothing special from their transport, take slow
//!                           start from the options and behave like Reno below 38
//! start cwnd=10 ssthresh=20 max=100 pacing=1500 slow_start=limited max_ssthresh=100
//!                           a new connection; whole_ssthresh as in ns-2
//! rtt 100ms                 of the segments acknowledged from here on; none: no sample
//! forward 50ms              the same for the forward one-way delay
//! gap 10us                  between departures, 1ms at first
//! ack 10                    ten ACKs of one segment each
//! ack 2 credit=3            each is worth three segments; 0 is a duplicate
//! ack 10 rtt=100ms..110ms   round trips that change evenly from first to last
//! ack 10 rtt=100ms forward=40ms..50ms
//!                           one-way delays that change evenly, beside round trips
//! ack 10 app_limited        the window is not what limits the sender
//! ack 10 marked             what they acknowledge was marked
//! ack 3 feedback=2.5        what the routers said
//! ack 1 round               the first of the ACKs starts a round
//! ack 5 rate=200 [held]     each with a rate sample of this many segments per
//!                           second over the RTT (100 ms if there is none); held
//!                           means limited by the application. With `round` its segment
//!                           left when everything acknowledged so far had been
//!                           delivered, otherwise as early as that of the last round
//! ack 1 lost=1/49,2/50      two segments are newly lost; of the 49 and 50 in flight
//!                           when they left, one and two are lost. The rate sample
//!                           includes them; lost=2 names no segments
//! lost 1/49,2/50            the same, found by a timer
//! ack 1 flight=30           in flight after it; the window if not given
//! ack 1 pair=120us          two segments that left together arrived this far apart
//! wait 10s                  nothing happens for this long
//! idle 10s                  the same, because the application sent nothing
//! round 3                   as many ACKs as the window is large, three times,
//!                           each time beginning a round; takes what ack takes
//! loss flight=8             an episode starts; the whole window was in flight
//! mark                      if flight is not given
//! recovered                 it is over
//! timeout [again] [in_flight=3]
//!                           the timer expires, again for the same segment; this many
//!                           are not considered lost
//! undo                      the last loss, mark or timeout was spurious; it is
//!                           recovered that ends an episode
//! expect cwnd 9.50 ssthresh inf mode 1
//!                           to the digits given, exactly if without a point; any
//!                           name that the law shows
//! ```
//!
//! Scripts for things other than laws (the simulator's TCP endpoints) have the same head, lines
//! and [`words`]; their readers take these from a [`Text`].

mod failure;
mod lead;
mod registry;
mod script;
mod text;
pub mod words;

pub use failure::Failure;
pub use lead::Wrong;
pub use registry::of_laws;
pub use script::{Acks, Connection, Expected, Script, Step, slow_start};
pub use text::{Line, Text};
