//! Loss-based laws in whole simulations, compared with the arithmetic of their papers.

use tusker_plan::plan::Plan;
use tusker_plan::run::Run;

use crate::support::{assert_near, simulate, window};

/// One SACK flow of 1500-byte packets over 10 Gbit/s and 100 ms that begins in
/// congestion avoidance at `begin` segments: its mean window from `from` to `to`
/// seconds, as arrivals per RTT.
fn free_window(cc: &str, loss: f64, begin: u32, from: f64, to: f64) -> f64 {
    let (plan, run) = simulate(&format!(
        "profile = 'ns2'\nduration = '{to}s'\nmeasure = {{ from = '{from}s' }}\n\
         [tcp]\ninitial_ssthresh = {begin}\ninitial_window = {begin}\n\
         [dumbbell]\nrate = '10Gbit'\ndelay = '48ms'\nqueue = 'unlimited'\nloss = {loss}\n\
         reverse = {{ queue = 'unlimited', loss = 0.0 }}\n\
         access = {{ rate = '10Gbit', delay = '1ms', queue = 'unlimited' }}\n\
         [[flows]]\nname = 'f'\ncc = '{cc}'\nrecovery = 'sack'\nhost_queue = 'unlimited'\n"
    ));
    run.flows[0].arrived as f64 / window(&plan) * 0.1
}

/// Kelly 2003, section 3, with a recovery: between two losses 1/p segments are
/// acknowledged, of which those of one round trip, (1 - b) W, find the window held:
/// W = (1 - b) W + a (1/p - (1 - b) W), W = a/(p (b + a (1 - b))) = 0.07477/p. The window
/// is 0.875 W for that round trip and 0.125 W/ln(8/7) = 0.9361 W on average for the
/// ln(8/7)/ln(1.01) = 13.42 of the climb: 0.9319 W = 0.0697/p. A second loss within the
/// recovery, one in fourteen, costs nothing.
#[test]
fn scalable_keeps_the_window_of_its_response_function() {
    for (loss, seconds) in [(1e-3, 1_000.0), (1e-4, 400.0)] {
        let expected = 0.0697 / loss;
        let w = free_window("scalable", loss, expected as u32, seconds / 10.0, seconds);
        assert_near(w, expected, 0.07, &format!("STCP's window at p = {loss}"));
    }
}

/// Kelly 2003: a flow doubles in about 70 round trips at any rate: 1.01^70 = 2.007.
#[test]
fn scalable_doubles_in_seventy_round_trips() {
    for begin in [100, 10_000] {
        let w = free_window("scalable", 0.0, begin, 7.0, 7.1);
        // the mean of the 71st round trip is half a step further
        assert_near(w, 2.017 * f64::from(begin), 0.02, "STCP after 70 round trips");
    }
}

/// Equation 5 of the ngtcp paper, with beta = 1/2: a segments per round trip of
/// 0.1 s, a = 1 + 10 (D - 1) + (D - 1)^2/4 from the first second on, gain
/// (D + 5 (D - 1)^2 + (D - 1)^3/12)/0.1 in D seconds: 4,757 in ten, at 111 in a round
/// trip then. D begins with the first ACK, a round trip after the start, and it takes
/// one more until what the window lets go has arrived: 222 less.
#[test]
fn htcp_grows_with_the_square_of_time() {
    let w = free_window("htcp", 0.0, 100, 9.95, 10.05);
    assert_near(w, 100.0 + 4_757.5 - 222.0, 0.02, "H-TCP after ten seconds");
}

/// 100 Mbit/s and 50 ms, D = 416.67 packets of 1500 bytes, one SACK flow.
fn alone(cc: &str, buffer: u32) -> (Plan, Run) {
    simulate(&format!(
        "profile = 'ns2'\nduration = '240s'\nmeasure = {{ from = '40s' }}\n\
         [dumbbell]\nrate = '100Mbit'\ndelay = '23ms'\nqueue = '{buffer}pkt'\n\
         reverse = {{ queue = 'unlimited' }}\n\
         access = {{ rate = '1Gbit', delay = '1ms', queue = 'unlimited' }}\n\
         [[flows]]\nname = 'f'\ncc = {cc}\nrecovery = 'sack'\nhost_queue = 'unlimited'\n\
         tcp = {{ ns2_details = false, prr = true }}\n"
    ))
}

fn utilisation(plan: &Plan, run: &Run) -> f64 {
    assert!(run.flows[0].episodes > 2, "{} episodes", run.flows[0].episodes);
    run.links[0].busy.secs() / window(plan)
}

/// A law that reduces the window by the fraction b keeps the wire busy with a buffer of
/// b/(1 - b) D: D/7 for STCP and BIC, D/4 for CUBIC of 2005, 3/7 D for RFC 9438's.
#[test]
fn a_buffer_of_b_over_one_minus_b_is_enough() {
    for (cc, buffer) in [("scalable", 60), ("bic", 60), ("cubic2005", 105), ("cubic", 179)] {
        let (plan, run) = alone(&format!("'{cc}'"), buffer);
        assert_near(utilisation(&plan, &run), 1.0, 0.01, cc);
    }
}

/// H-TCP: beta = RTT_min/RTT_max leaves what fills the path: D of 3/2 D with half a
/// D of buffer, where halving costs 1/28 of the rate (engine_closed_forms.rs).
#[test]
fn htcp_fills_the_path_with_half_a_bdp_of_buffer() {
    let (plan, run) = alone("'htcp'", 208);
    assert_near(utilisation(&plan, &run), 1.0, 0.01, "H-TCP's utilisation");
}

/// Westwood+: BWE RTT_min leaves D whatever the buffer, so a tenth of D is enough; Reno
/// would fall to 0.55 D.
#[test]
fn westwood_fills_the_path_with_a_tenth_of_a_bdp_of_buffer() {
    let (plan, run) = alone("'westwood'", 42);
    assert_near(utilisation(&plan, &run), 1.0, 0.01, "Westwood+'s utilisation");
}

/// CUBIC alone has a loss at W = D + B = 625 again and again. It returns there K seconds
/// after growth resumed, K = cbrt(b W/C): 6.79 s with b = 0.2, 7.77 s with 0.3; the first
/// excess segment is sent when C (t - K)^3 = 1, 1.36 s later. Add the recovery, the round
/// trip until the loss is noticed and the one until it happens, 3 times 75 ms: a loss every
/// K to K + 1.6 s, plus or minus one at the ends.
#[test]
fn cubic_comes_back_in_k_seconds() {
    for (cc, k) in [("cubic2005", 6.786), ("cubic", 7.768)] {
        let spec = format!("{{ name = '{cc}', fast_convergence = 0 }}");
        let (plan, run) = alone(&spec, 208);
        let (losses, time) = (run.flows[0].episodes as f64, window(&plan));
        println!("{cc}: {losses} losses in {time} s");
        assert!(losses >= time / (k + 1.6) - 1.0, "{cc}: {losses} losses");
        assert!(losses <= time / k + 1.0, "{cc}: {losses} losses");
    }
}
