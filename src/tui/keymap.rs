//! Which key does what: the table's keys, with the user's own on top. Conflicts are said, not guessed away.

use std::collections::HashMap;

use super::command::{COMMANDS, Command, CommandSpec, Scope};
use super::key::Key;
use super::state::Pane;
use crate::model::did_you_mean;

#[derive(Debug, Clone)]
pub struct Keymap {
    bindings: Vec<(&'static CommandSpec, Vec<Key>)>,
}

impl Default for Keymap {
    fn default() -> Self {
        let keys = |spec: &CommandSpec| spec.keys.iter().filter_map(|k| Key::parse(k)).collect();
        Self { bindings: COMMANDS.iter().map(|spec| (spec, keys(spec))).collect() }
    }
}

impl Keymap {
    /// The table with `[keys]` of a configuration file, `name = "key"` or `name = ["key", …]`, and what is wrong there.
    pub fn with_config(text: &str) -> (Self, Vec<String>) {
        let mut keymap = Self::default();
        let mut problems = Vec::new();
        let table: toml::Table = match text.parse() {
            Ok(table) => table,
            Err(e) => return (keymap, vec![format!("the configuration is not valid TOML: {e}")]),
        };
        for (name, value) in table.get("keys").and_then(toml::Value::as_table).into_iter().flatten() {
            let Some(at) = keymap.bindings.iter().position(|(spec, _)| spec.name == name) else {
                let hint = did_you_mean(name, COMMANDS.iter().map(|c| c.name));
                problems.push(format!("keys.{name}: no such command{hint}"));
                continue;
            };
            let words: Vec<&str> = match value {
                toml::Value::String(key) => vec![key],
                toml::Value::Array(keys) => keys.iter().filter_map(toml::Value::as_str).collect(),
                _ => Vec::new(),
            };
            let parsed: Vec<Key> = words.iter().filter_map(|w| Key::parse(w)).collect();
            if parsed.len() != words.len() || words.is_empty() {
                problems.push(format!("keys.{name}: not a key or a list of keys, such as \"ctrl-r\""));
                continue;
            }
            keymap.bindings[at].1 = parsed;
        }
        problems.extend(keymap.conflicts());
        (keymap, problems)
    }

    /// The command of `key` in `pane`; a pane's own come before the general ones.
    pub fn command(&self, key: Key, pane: Pane) -> Option<Command> {
        let rank = |scope: Scope| match scope {
            Scope::In(_) => 0,
            Scope::Lists => 1,
            Scope::Everywhere => 2,
        };
        self.bindings
            .iter()
            .filter(|(spec, keys)| spec.works_in(pane) && keys.contains(&key))
            .min_by_key(|(spec, _)| rank(spec.scope))
            .map(|(spec, _)| spec.command)
    }

    pub fn rows(&self) -> impl Iterator<Item = (&'static CommandSpec, &[Key])> {
        self.bindings.iter().map(|(spec, keys)| (*spec, keys.as_slice()))
    }

    /// Two commands of one scope under one key: only the first would ever work.
    fn conflicts(&self) -> Vec<String> {
        let mut seen = HashMap::new();
        let mut problems = Vec::new();
        for (spec, keys) in &self.bindings {
            for key in keys {
                let first = *seen.entry((spec.scope, *key)).or_insert(spec.name);
                if first != spec.name {
                    problems.push(format!("`{key}` is bound to both {first} and {}", spec.name));
                }
            }
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::key::Code;

    #[test]
    fn the_table_has_no_conflicts_and_only_real_keys() {
        assert_eq!(Keymap::default().conflicts(), [""; 0]);
        for spec in COMMANDS {
            assert!(spec.keys.iter().all(|k| Key::parse(k).is_some()), "{}", spec.name);
        }
    }

    #[test]
    fn a_pane_key_comes_before_a_general_one() {
        let space = Key::plain(Code::Char(' '));
        assert_eq!(Keymap::default().command(space, Pane::Hooks), Some(Command::Toggle));
        assert_eq!(Keymap::default().command(space, Pane::Detail), Some(Command::Fold));
        assert_eq!(Keymap::default().command(space, Pane::Replay), None);
    }

    #[test]
    fn keys_can_be_changed_and_mistakes_are_named() {
        let (keymap, problems) =
            Keymap::with_config("[keys]\nfire = \"f5\"\nrerun = [\"p\"]\nfiree = \"x\"\nquit = 7\n");
        assert_eq!(keymap.command(Key::plain(Code::F(5)), Pane::Hooks), Some(Command::Fire));
        let texts: Vec<_> = problems.iter().map(String::as_str).collect();
        assert_eq!(texts.len(), 3, "{texts:?}");
        assert!(texts[0].contains("did you mean `fire`") && texts[1].contains("keys.quit"));
        assert!(texts[2].contains("`p` is bound to both rerun and pin"));
    }
}
