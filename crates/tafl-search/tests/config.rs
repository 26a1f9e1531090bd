//! The section of a config file: what it may hold, what it means, what its schema says.

use serde_json::{Value, json};
use tafl_search::{Algorithm, GumbelConfig, PuctConfig, SearchConfig};

fn read(section: Value) -> Result<SearchConfig, String> {
    serde_json::from_value(section).map_err(|error| error.to_string())
}

#[test]
fn the_section_of_an_algorithm_chooses_it() {
    assert_eq!(read(json!({})), Ok(SearchConfig::default()));
    let gumbel = GumbelConfig {
        considered_moves: 8,
        ..GumbelConfig::default()
    };
    let config = read(json!({ "visits": 30, "gumbel": { "considered_moves": 8 } }));
    let expected = SearchConfig {
        visits: 30,
        algorithm: Algorithm::Gumbel(gumbel),
        ..SearchConfig::default()
    };
    assert_eq!(config, Ok(expected));
    let config = read(json!({ "puct": {} })).expect("sound");
    assert_eq!(config.algorithm, Algorithm::Puct(PuctConfig::default()));
    assert_eq!(
        read(json!({ "gumbel": {}, "puct": {} })),
        Err("give one of `gumbel` and `puct`, not both".to_owned())
    );
    for unknown in [
        json!({ "simulations": 3 }),
        json!({ "gumbel": { "c_puct": 1.0 } }),
    ] {
        let error = read(unknown).expect_err("unknown");
        assert!(error.contains("unknown field"), "{error}");
    }
}

#[test]
fn what_is_written_is_read_again() {
    for config in [
        SearchConfig::default(),
        SearchConfig::gumbel(3),
        SearchConfig::puct(3),
    ] {
        let section = serde_json::to_value(&config).expect("plain data");
        let algorithms = ["gumbel", "puct"].map(|name| section.get(name).is_some());
        assert_ne!(algorithms[0], algorithms[1], "{section}");
        assert_eq!(read(section), Ok(config));
    }
}

#[test]
fn the_schema_has_both_sections_and_says_that_they_are_alternatives() {
    let schema = schemars::schema_for!(SearchConfig).to_value();
    assert_eq!(schema["x-alternatives"], json!(["gumbel", "puct"]));
    assert_eq!(schema["additionalProperties"], json!(false));
    assert_eq!(schema["properties"]["visits"]["default"], json!(40));
    for (section, field) in [("gumbel", "c_scale"), ("puct", "c_puct")] {
        assert!(schema["properties"][section].get("default").is_none());
        let reference = schema["properties"][section]["$ref"].as_str();
        let path = reference.expect("a definition").trim_start_matches('#');
        let definition = schema.pointer(path).expect("it is there");
        assert!(definition["properties"][field].is_object(), "{definition}");
    }
}
