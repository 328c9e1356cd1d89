//! Settings without being told where: the first dialect whose usual places hold a file it recognises.

use std::path::Path;
use std::sync::Arc;

use super::discover::{Roots, Wanted, discover};
use super::read::{Settings, SettingsError, read, recognised};
use crate::dialect::{Dialect, registry};

/// The settings of `project` and `home`, if there are any. Files of the project count more than those of the user: a
/// project for one host is not hidden by the settings the user has for another.
pub fn find(
    dialect: Option<Arc<dyn Dialect>>,
    project: &Path,
    home: Option<&Path>,
) -> Result<Option<(Vec<Wanted>, Settings)>, SettingsError> {
    let roots = Roots::new(project, home);
    if let Some(dialect) = dialect {
        let wanted = discover(dialect.as_ref(), &roots);
        return if wanted.is_empty() { Ok(None) } else { Ok(Some((wanted.clone(), read(&wanted, Some(dialect))?))) };
    }
    let of_project = |w: &&Wanted| !["user", "user legacy", "managed"].contains(&w.layer.as_str());
    for everywhere in [Reach::Project, Reach::All] {
        for dialect in registry::all() {
            let wanted = discover(dialect.as_ref(), &roots);
            let judged: Vec<Wanted> = match everywhere {
                Reach::Project => wanted.iter().filter(of_project).cloned().collect(),
                Reach::All => wanted.clone(),
            };
            // Hosts share places; a file counts for the one whose form it has.
            if !judged.is_empty() && recognised(&judged, dialect.as_ref()) {
                let settings = read(&wanted, Some(dialect))?;
                return Ok(Some((wanted, settings)));
            }
        }
    }
    // Files nobody recognises are broken or hold no hooks; either is worth saying.
    for dialect in registry::all() {
        let wanted = discover(dialect.as_ref(), &roots);
        if wanted.iter().any(|w| of_project(&w)) {
            let settings = read(&wanted, Some(dialect))?;
            return Ok(Some((wanted, settings)));
        }
    }
    Ok(None)
}

/// Whose files tell the host.
enum Reach {
    Project,
    All,
}
