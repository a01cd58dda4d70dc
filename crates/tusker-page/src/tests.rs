use serde_json::{Value, json};

use super::*;

const SMALL: &str = "profile = 'linux'\nduration = '10s'\n[dumbbell]\nrate = '10Mbit'\n\
    delay = '10ms'\nqueue = '50pkt'\naccess = { rate = '100Mbit', delay = '0s' }\n\
    [[flows]]\nname = 'a'\ncc = 'reno'\n[[flows]]\nname = 'b'\ncc = 'ghstcp'\n";

fn asked(engine: &mut Engine, name: &str, input: &Value) -> Value {
    serde_json::from_str(&engine.call(name, &input.to_string())).expect("an answer is JSON")
}

#[test]
fn a_run_is_opened_advanced_and_summarised() {
    let mut engine = Engine::default();
    let opened = asked(&mut engine, "open", &json!({ "scenario": SMALL, "rows": 100 }));
    assert_eq!(opened["ok"], true, "{opened}");
    // 20 ms, and of 1500 bytes 1.2 ms at 10 Mbit/s and twice 0.12 ms at 100 Mbit/s; of an ACK
    // about 0.05 ms: 21.49 ms at 10 Mbit/s are 17.9 packets
    assert!((opened["bdp_packets"].as_f64().unwrap() - 17.9).abs() < 0.05, "{opened}");
    assert_eq!(opened["buffer_packets"], 50.0);
    let columns = opened["columns"].as_array().expect("columns");
    let place = |name: &str, quantity: &str| {
        let found = columns.iter().position(|c| c["name"] == name && c["quantity"] == quantity);
        found.unwrap_or_else(|| panic!("no {quantity} of {name}: {opened}"))
    };
    let id = opened["id"].as_u64().unwrap() as u32;
    let early = asked(&mut engine, "summary", &json!({ "id": id }));
    assert!(early["error"]["message"].as_str().unwrap().contains("0 s of 10 s"), "{early}");
    let mut all: Vec<Vec<f64>> = vec![Vec::new(); columns.len()];
    loop {
        let rows = engine.advance(id, 1.0, 1e9, &mut || 0.0).expect("it goes on");
        for (column, new) in all.iter_mut().zip(rows.values.chunks(rows.rows.max(1))) {
            column.extend(new);
        }
        if rows.done {
            break;
        }
    }
    assert_eq!(all[0].len(), 101);
    assert_eq!(all[0][100], 10.0);
    let end = |name: &str, quantity: &str| all[place(name, quantity)][100];
    // both fill 10 Mbit/s
    assert!((9.5e6..=1.001e7).contains(&end("R1->R2", "throughput")), "{all:?}");
    let goodput = end("a.0", "goodput") + end("b.0", "goodput");
    assert!((8.5e6..1e7).contains(&goodput), "{goodput}");
    assert!((0.5..=1.0).contains(&all[columns.len() - 1][100]));
    assert!(end("b.0", "z").is_finite(), "gHSTCP shows its state");
    assert!(end("a.0", "rtt") >= 0.02);
    let summary = engine.call("summary", &id.to_string());
    assert!(summary.contains("\"scenario\": \"live\""), "{summary}");
    asked(&mut engine, "close", &json!({ "id": id }));
    assert!(asked(&mut engine, "summary", &json!({ "id": id }))["error"].is_object());
}

/// 50 packets per round trip fill 10 Mbit/s and its queue of 50 within seconds.
#[test]
fn a_law_of_the_readers_runs_beside_others() {
    let mut engine = Engine::default();
    let scenario = SMALL.replace("ghstcp", "own");
    let own = json!({ "grow": "1", "shrink": "w / 2" });
    let summary = |engine: &mut Engine, input: Value| {
        let opened = asked(engine, "open", &input);
        let id = opened["id"].as_u64().unwrap_or_else(|| panic!("{opened}")) as u32;
        engine.advance(id, 100.0, 1e9, &mut || 0.0).expect("it goes on");
        engine.call("summary", &id.to_string())
    };
    // Reno by another name
    let own = summary(&mut engine, json!({ "scenario": scenario, "own": own }));
    let reno = summary(&mut engine, json!({ "scenario": SMALL.replace("ghstcp", "reno") }));
    assert_eq!(own.replace("\"own\"", "\"reno\""), reno);
    let gone = asked(&mut engine, "open", &json!({ "scenario": scenario }));
    assert_eq!(gone["error"]["place"], "flows.1.cc", "{gone}");
}

#[test]
fn what_is_wrong_is_an_error_with_its_place() {
    let mut engine = Engine::default();
    let wrong = |scenario: Value, place: &str| {
        let answer = asked(&mut Engine::default(), "open", &json!({ "scenario": scenario }));
        let error = &answer["error"];
        assert_eq!(error["place"], place, "{answer}");
        assert!(error["remedy"].as_str().is_some_and(|text| !text.is_empty()), "{answer}");
    };
    wrong(SMALL.replace("'10s'", "'1000000s'").into(), "duration");
    let fast = SMALL.replace("'10Mbit'", "'9Tbit'").replace("'100Mbit'", "'9Tbit'");
    wrong(fast.into(), "duration");
    wrong(SMALL.replace("'10Mbit'", "'NaN'").into(), "dumbbell.rate");
    wrong(SMALL.replace("cc = 'reno'", "cc = 'reno'\ncount = 99999").into(), "flows");
    wrong(SMALL.replace("'ghstcp'", "'gHSCP'").into(), "flows.1.cc");
    wrong(
        json!({ "profile": "linux", "duration": "1s", "flows": [{ "name": 3 }] }),
        "flows.0.name",
    );
    wrong(json!({ "profile": "linux", "flows": [null] }), "");
    for input in ["", "{", "[]", "{\"scenario\": 3}", "nul", &"[".repeat(100_000)] {
        let answer = engine.call("open", input);
        assert!(answer.starts_with("{\"error\":"), "{answer}");
    }
    for (name, input) in [("open", "{}"), ("law_curves", "{}"), ("nothing", ""), ("close", "-1")] {
        assert!(engine.call(name, input).starts_with("{\"error\":"), "{name}");
    }
    let nan = json!({ "scenario": SMALL, "limits": { "duration_s": null } });
    assert!(asked(&mut engine, "open", &nan)["error"].is_object());
    assert!(engine.advance(7, 1.0, 1.0, &mut || 0.0).is_err());
}

#[test]
fn a_scenario_is_the_same_as_toml_and_as_json() {
    let mut engine = Engine::default();
    let first = asked(&mut engine, "convert", &json!({ "scenario": SMALL }));
    let again = asked(&mut engine, "convert", &json!({ "scenario": first["scenario"] }));
    assert_eq!(first, again);
    assert!(first["toml"].as_str().unwrap().contains("cc = \"ghstcp\""), "{first}");
}

/// Reno grows by a packet in a round trip (10 ln((10 + 1)/10) of it for 10 ACKs that each add
/// 1/w) and halves; HSTCP at 83,000 packets grows by 72 and shrinks by a tenth (RFC 3649,
/// section 5); CUBIC to 0.7 (RFC 9438).
#[test]
fn curves_are_those_of_the_laws() {
    let mut engine = Engine::default();
    let mut curves = |law: &str| {
        let wanted = json!({ "law": law, "rtts": [0.1], "windows": [100.0, 83_000.0],
            "losses": [1e-4] });
        let answer = asked(&mut engine, "law_curves", &wanted);
        let values = |key: &str| {
            let values = answer[key][0]["values"].as_array().expect("values");
            values.iter().map(|v| v.as_f64().unwrap_or(f64::NAN)).collect::<Vec<_>>()
        };
        [values("increase"), values("decrease"), values("response")]
    };
    let [increase, decrease, response] = curves("reno");
    assert!((increase[0] - 1.0).abs() < 0.01 && (increase[1] - 1.0).abs() < 0.01, "{increase:?}");
    assert_eq!(decrease, [-50.0, -41_500.0]);
    assert!((response[0] - 122.47).abs() < 0.01, "{response:?}");
    let [increase, decrease, _] = curves("hstcp");
    assert!((increase[1] - 72.0).abs() < 2.0, "{increase:?}");
    assert!((decrease[1] / 83_000.0 + 0.1).abs() < 0.01, "{decrease:?}");
    let [_, decrease, _] = curves("cubic");
    assert!((decrease[0] + 30.0).abs() < 0.1, "{decrease:?}");
    let [increase, ..] = curves("bbr3");
    assert!(increase[0].is_nan(), "{increase:?}");
}

/// CUBIC is back at its window when 0.4 K^3 = 0.3 x 1,000: K = 9.086 s (RFC 9438, section 4.2).
/// H-TCP adds 1 + 10 (t - 1) + (t - 1)^2 / 4 times the same in a round trip, from t = 1 s on: from
/// 3 s to 4 s 27.58 / 16.58 times as much as from 2 s to 3 s (Leith and Shorten, 2004). Reno adds
/// a packet in each of ten round trips a second.
#[test]
fn growth_after_a_loss_depends_on_time_where_the_law_says_so() {
    let mut engine = Engine::default();
    let mut after = |law: &str, window: f64, times: &[f64]| {
        let wanted = json!({ "law": law, "rtts": [0.1], "windows": [], "loss_window": window,
            "times": times });
        let answer = asked(&mut engine, "law_curves", &wanted);
        let values = answer["after_loss"][0]["values"].as_array().expect("values").clone();
        values.iter().map(|v| v.as_f64().unwrap_or(f64::NAN)).collect::<Vec<_>>()
    };
    let cubic = after("cubic", 1_000.0, &[0.0, 9.086, 18.172]);
    assert!((cubic[0] - 700.0).abs() < 0.01, "{cubic:?}");
    assert!((cubic[1] - 1_000.0).abs() < 3.0, "{cubic:?}");
    // as far above it as it began below, up to a round trip: 0.4 x 3 K^2 x 0.1 s = 10 packets
    assert!((cubic[2] - 1_300.0).abs() < 10.5, "{cubic:?}");
    let htcp = after("htcp", 1_000.0, &[2.0, 3.0, 4.0]);
    let ratio = (htcp[2] - htcp[1]) / (htcp[1] - htcp[0]);
    assert!((ratio / (27.58 / 16.58) - 1.0).abs() < 0.03, "{ratio}: {htcp:?}");
    let reno = after("reno", 1_000.0, &[1.0, 11.0, 11_000.0 / 11.0]);
    assert!((reno[1] - reno[0] - 100.0).abs() < 0.5, "{reno:?}");
    // where it is three times as large, it ends
    assert!(reno[2].is_nan(), "{reno:?}");
    assert!(after("bbr3", 1_000.0, &[1.0])[0].is_nan());
}

/// A quarter of 40 packets more than 10: 10 + 0.4 x 30 and 10 + 0.6 x 30.
#[test]
fn a_target_of_the_average_queue_is_told() {
    let mut engine = Engine::default();
    let queue = "queue = { policy = 'gared', limit = '50pkt', min_th = 10, max_th = 40 }";
    for (scenario, wanted) in [
        (SMALL.replace("queue = '50pkt'", queue), json!([22.0, 28.0])),
        (SMALL.to_owned(), Value::Null),
    ] {
        let opened = asked(&mut engine, "open", &json!({ "scenario": scenario }));
        let links = opened["links"].as_array().unwrap_or_else(|| panic!("{opened}"));
        let link = links.iter().find(|link| link["bottleneck"] == true).expect("a bottleneck");
        assert_eq!(link["target_packets"], wanted, "{opened}");
    }
}

#[test]
fn the_catalogue_has_every_law_and_policy() {
    let catalogue = asked(&mut Engine::default(), "catalogue", &Value::Null);
    let count = |key: &str| catalogue[key].as_array().map_or(0, Vec::len);
    assert_eq!(count("laws"), tusker_core::congestion::ALL.len());
    assert_eq!(count("queues"), tusker_core::queue::ALL.len());
    assert!(count("measures") > 20);
}
