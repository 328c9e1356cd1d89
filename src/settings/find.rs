//! Settings without being told where: the first dialect whose usual places hold a file it recognises.

use std::path::Path;
use std::sync::Arc;

use super::discover::{Wanted, discover};
use super::read::{Settings, SettingsError, read, recognised};
use crate::dialect::{Dialect, registry};

/// The settings of `project` and `home`, if there are any.
pub fn find(
    dialect: Option<Arc<dyn Dialect>>,
    project: &Path,
    home: Option<&Path>,
) -> Result<Option<(Vec<Wanted>, Settings)>, SettingsError> {
    let named = dialect.is_some();
    for dialect in dialect.map_or_else(registry::all, |d| vec![d]) {
        let wanted = discover(dialect.as_ref(), project, home);
        // Hosts share places; a file counts for the one whose form it has, unless the user named the host.
        if !wanted.is_empty() && (named || recognised(&wanted, dialect.as_ref())) {
            let settings = read(&wanted, Some(dialect))?;
            return Ok(Some((wanted, settings)));
        }
    }
    Ok(None)
}
