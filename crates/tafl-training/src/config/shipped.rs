//! The run configs of the repository, compiled in.

macro_rules! sources {
    ($($name:literal)*) => {
        /// Name and text of each, in the order of the catalog in `configs/README.md`.
        pub const SHIPPED: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../../../configs/", $name, ".toml"))),)*
        ];
    };
}
sources!["quickstart" "smoke" "brandubh-cpu" "tablut-cpu" "copenhagen-cpu" "copenhagen-h200" "five-rulesets-cpu" "five-rulesets-h200"];

/// The config that is used where no run and no file says otherwise.
pub(crate) const QUICKSTART: &str = SHIPPED[0].1;

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_config_of_the_repository_is_compiled_in() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs");
        let files = std::fs::read_dir(folder).expect("a folder");
        let names = files.map(|file| file.expect("an entry").path());
        for path in names.filter(|path| path.extension().is_some_and(|it| it == "toml")) {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            assert!(
                SHIPPED.iter().any(|(shipped, _)| *shipped == name),
                "{name} is missing in config/shipped.rs"
            );
        }
        assert_eq!(SHIPPED[0].0, "quickstart");
    }
}
