//! The list of dialects. A new host is one line here.

use std::sync::Arc;

use super::{Dialect, Host, armament, claude, claw, goat, massgen};
use crate::diag::Source;
use crate::model::did_you_mean;

/// Every dialect, most specific settings form first.
pub fn all() -> Vec<Arc<dyn Dialect>> {
    [&claude::HOST, &goat::HOST, &massgen::HOST, &armament::HOST, &claw::HOST].map(Host::dialect).into()
}

/// The host that is meant where none is named and no file tells.
pub fn default() -> Arc<dyn Dialect> {
    claude::HOST.dialect()
}

/// The dialect called `name`, or the default.
pub fn named(name: Option<&str>) -> Result<Arc<dyn Dialect>, String> {
    name.map_or_else(|| Ok(default()), find)
}

/// The variables in which hosts name the project.
pub fn project_variables() -> impl Iterator<Item = &'static str> {
    all().into_iter().filter_map(|d| d.profile().project_variable)
}

/// The dialect called `name` (`name` or `name@version`).
pub fn find(name: &str) -> Result<Arc<dyn Dialect>, String> {
    let all = all();
    let (bare, version) = name.split_once('@').map_or((name, None), |(n, v)| (n, Some(v)));
    let known: Vec<_> = all.iter().map(|d| d.profile().name).collect();
    let Some(dialect) = all.iter().find(|d| d.profile().name == bare) else {
        let hint = did_you_mean(bare, known.iter().copied());
        return Err(format!("unknown dialect `{bare}`{hint}; known: {}", known.join(", ")));
    };
    match version {
        None => Ok(dialect.clone()),
        Some(version) => dialect.at(version).ok_or_else(|| match dialect.profile().versions().as_slice() {
            [] => format!("dialect `{bare}` has one set of rules; leave `@{version}` out"),
            versions => format!("dialect `{bare}` has no version `{version}`; known: {}", versions.join(", ")),
        }),
    }
}

/// The first dialect that detects one of `sources`.
pub fn detect(sources: &[Source]) -> Option<Arc<dyn Dialect>> {
    all().into_iter().find(|d| sources.iter().any(|s| d.detects(s)))
}
