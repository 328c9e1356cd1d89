//! The hooks one firing works with, in the order their host holds them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::hook::{Hook, HookId};

/// All hooks of one load, in the order the host would hold them.
#[derive(Debug, Clone, Default)]
pub struct HookSet {
    pub hooks: Vec<Arc<Hook>>,
    /// Fields of the session that its settings give to every payload.
    pub session: Map<String, Value>,
    pub refused: Vec<String>,
}

impl HookSet {
    /// Append `hooks`, giving their groups fresh numbers so that entries never share a limit by accident.
    pub fn append(&mut self, hooks: impl IntoIterator<Item = Hook>) {
        // Base hooks come before those of any agent, whichever was registered first.
        let at = self.hooks.iter().position(|h| h.origin.scope.is_some()).unwrap_or(self.hooks.len());
        self.insert(at, hooks);
    }

    /// Append hooks that carry their agent already, after everything else.
    pub fn append_scoped(&mut self, hooks: impl IntoIterator<Item = Hook>) {
        self.insert(self.hooks.len(), hooks);
    }

    /// Put the hooks of agent `scope` in place of those it had, or at the end.
    pub fn register_scope(&mut self, scope: &str, hooks: impl IntoIterator<Item = Hook>) {
        let at = self.hooks.iter().position(|h| h.origin.scope.as_deref() == Some(scope));
        self.unregister_scope(scope);
        let scope: Arc<str> = scope.into();
        let scoped = hooks.into_iter().map(|mut hook| {
            hook.origin.scope = Some(scope.clone());
            hook
        });
        self.insert(at.unwrap_or(self.hooks.len()), scoped);
    }

    pub fn unregister_scope(&mut self, scope: &str) {
        self.hooks.retain(|h| h.origin.scope.as_deref() != Some(scope));
    }

    /// The agents that have hooks here, in order.
    pub fn scopes(&self) -> Vec<Arc<str>> {
        let mut scopes: Vec<Arc<str>> = Vec::new();
        for scope in self.hooks.iter().filter_map(|h| h.origin.scope.clone()) {
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        scopes
    }

    /// Two different hooks of one event must not go by the same short name: they then go by their full ones.
    pub fn disambiguate_labels(&mut self) {
        let mut names: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
        for hook in &self.hooks {
            names.entry((hook.event.clone(), hook.label.clone())).or_default().insert(hook.name.clone());
        }
        for hook in &mut self.hooks {
            if names.get(&(hook.event.clone(), hook.label.clone())).is_some_and(|n| n.len() > 1) {
                let hook = Arc::make_mut(hook);
                hook.label.clone_from(&hook.name);
            }
        }
    }

    /// Put `hooks` at `at`, each with a group and an identity of its own. Those already here keep theirs.
    fn insert(&mut self, at: usize, hooks: impl IntoIterator<Item = Hook>) {
        let base = self.hooks.iter().map(|h| h.group + 1).max().unwrap_or(0);
        let mut taken: HashSet<HookId> = self.hooks.iter().map(|h| h.id.clone()).collect();
        let mut equals: HashMap<HookId, usize> = HashMap::new();
        let mut fresh = Vec::new();
        for mut hook in hooks {
            hook.group += base;
            let nth = equals.entry(HookId::of(&hook, 1)).or_default();
            hook.id = loop {
                *nth += 1;
                let id = HookId::of(&hook, *nth);
                if taken.insert(id.clone()) {
                    break id;
                }
            };
            fresh.push(Arc::new(hook));
        }
        self.hooks.splice(at..at, fresh);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Handler, HookOptions};

    fn hook(name: &str) -> Hook {
        Hook::in_code("Stop", Handler::Shell { command: name.into() }, name.into())
    }

    fn ids(set: &HookSet) -> Vec<&str> {
        set.hooks.iter().map(|h| h.id.as_str()).collect()
    }

    #[test]
    fn a_hook_keeps_its_identity_when_another_comes_above_it() {
        let mut set = HookSet::default();
        set.append([hook("a"), hook("b"), hook("a")]);
        assert_eq!(ids(&set), ["code:Stop:a", "code:Stop:b", "code:Stop:a#2"]);
        let mut longer = HookSet::default();
        longer.append([hook("new"), hook("a"), hook("b"), hook("a")]);
        assert_eq!(ids(&longer)[1..], ids(&set));
    }

    #[test]
    fn no_two_hooks_share_an_identity_whatever_they_are_called() {
        let mut set = HookSet::default();
        set.append([hook("a"), hook("a"), hook("a#2")]);
        set.append([hook("a")]);
        assert_eq!(ids(&set), ["code:Stop:a", "code:Stop:a#2", "code:Stop:a#2#2", "code:Stop:a#3"]);
    }

    #[test]
    fn agents_matchers_and_conditions_are_part_of_it() {
        let mut set = HookSet::default();
        set.append([Hook { matcher: Some("Bash".into()), ..hook("a") }]);
        let options = HookOptions { condition: Some("Bash(git *)".into()), ..HookOptions::default() };
        set.append([Hook { options, ..hook("a") }]);
        set.register_scope("scout", [hook("a")]);
        assert_eq!(ids(&set), ["code:Stop[Bash]:a", "code:Stop(if Bash(git *)):a", "code@scout:Stop:a"]);
    }
}
