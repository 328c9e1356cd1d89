//! The list of dialects. A new host is one line here.

use std::sync::Arc;

use super::{Dialect, goat::Goat};
use crate::diag::Source;
use crate::model::did_you_mean;

/// Every dialect, most specific settings form first.
pub fn all() -> Vec<Arc<dyn Dialect>> {
    vec![Arc::new(Goat)]
}

/// The dialect called `name` (`name` or `name@version`).
pub fn find(name: &str) -> Result<Arc<dyn Dialect>, String> {
    let all = all();
    let bare = name.split('@').next().unwrap_or(name);
    let known: Vec<_> = all.iter().map(|d| d.name()).collect();
    let Some(dialect) = all.iter().find(|d| d.name() == bare) else {
        let hint = did_you_mean(bare, known.iter().copied());
        return Err(format!("unknown dialect `{bare}`{hint}; known: {}", known.join(", ")));
    };
    match name.split_once('@') {
        Some((_, version)) if dialect.profile() != name => {
            Err(format!("dialect `{bare}` has no profile `{version}`; its only profile is `{}`", dialect.profile()))
        }
        _ => Ok(dialect.clone()),
    }
}

/// The first dialect that recognises one of `sources`.
pub fn detect(sources: &[Source]) -> Option<Arc<dyn Dialect>> {
    all().into_iter().find(|d| sources.iter().any(|s| d.recognises(s)))
}
