//! Every sample configuration loads without a finding, under the dialect its name begins with.

use std::collections::BTreeSet;
use std::path::Path;

use hookdbg::dialect::registry;
use hookdbg::settings::{SettingsFile, read};

#[test]
fn every_sample_loads_clean_and_is_recognised() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-configs");
    let mut seen = BTreeSet::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            // The scripts the samples name.
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let settings =
            read(&[SettingsFile::parse(&path.display().to_string())], None).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(
            name.starts_with(settings.dialect.profile().name),
            "{name} was taken for {}",
            settings.dialect.profile().name
        );
        assert!(settings.diagnostics.is_empty(), "{name}: {:#?}", settings.diagnostics);
        assert!(!settings.hooks.hooks.is_empty(), "{name} has no hooks");
        seen.insert(settings.dialect.profile().name);
    }
    assert_eq!(seen, registry::all().iter().map(|d| d.profile().name).collect(), "every host has a sample");
}
