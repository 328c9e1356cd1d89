//! Settings that govern all hooks: switches, the managed layer's rights, http allow-lists; and de-duplication.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::diag::Source;
use crate::model::doc::{Node, NodeKind};
use crate::model::{Duplicates, FirstOfMatcher, Handler, Hook, HookOptions, Standing};

/// Scalars of later layers win over earlier ones.
const PRECEDENCE: [&str; 5] = ["user", "project", "local", "flag", "managed"];

#[derive(Default)]
pub struct Policy {
    disabled: Option<(usize, bool, String)>,
    managed_disables: bool,
    managed_only: bool,
    plugins_only: bool,
    http_urls: Option<Vec<String>>,
    header_variables: Option<Vec<String>>,
}

impl Policy {
    pub fn read(&mut self, source: &Source, doc: &Node) {
        // The file of a plugin holds hooks and nothing else.
        if source.layer.as_ref() == "plugin" {
            return;
        }
        let managed = source.layer.as_ref() == "managed";
        if let Some(NodeKind::Bool(off)) = doc.get("disableAllHooks").map(|n| &n.kind) {
            let rank = PRECEDENCE.iter().position(|l| *l == source.layer.as_ref()).unwrap_or(0);
            if self.disabled.as_ref().is_none_or(|(r, _, _)| rank >= *r) {
                self.disabled = Some((rank, *off, source.path.to_string()));
            }
            self.managed_disables |= managed && *off;
        }
        let texts = |list: &[Node]| list.iter().filter_map(|u| u.as_str().map(str::to_string)).collect::<Vec<_>>();
        if let Some(urls) = doc.get("allowedHttpHookUrls").and_then(Node::as_array) {
            self.http_urls.get_or_insert_default().extend(texts(urls));
        }
        if let Some(names) = doc.get("httpHookAllowedEnvVars").and_then(Node::as_array) {
            self.header_variables.get_or_insert_default().extend(texts(names));
        }
        if managed {
            if let Some(node) = doc.get("allowManagedHooksOnly") {
                // A mistyped value counts as true.
                self.managed_only = node.kind != NodeKind::Bool(false);
            }
            if let Some(node) = doc.get("strictPluginOnlyCustomization") {
                let names_hooks = |list: &[Node]| list.iter().any(|n| n.as_str() == Some("hooks"));
                self.plugins_only = node.kind == NodeKind::Bool(true) || node.as_array().is_some_and(names_hooks);
            }
        }
    }

    /// Mark the hooks it keeps from running, and narrow what http headers may name.
    pub fn apply(&self, hooks: &mut [Hook]) {
        for hook in hooks {
            if let (Standing::Active, Some(why)) = (&hook.standing, self.off(hook)) {
                hook.standing = Standing::Off(why);
            }
            if let (Some(allowed), Handler::Http { variables, .. }) = (&self.header_variables, &mut hook.handler) {
                variables.retain(|name| allowed.contains(name));
            }
        }
    }

    fn off(&self, hook: &Hook) -> Option<String> {
        let layer = hook.origin.layer.as_ref();
        let managed = layer == "managed";
        match &self.disabled {
            Some((_, true, path)) if !managed || self.managed_disables => {
                Some(format!("`disableAllHooks` is true in {path}"))
            }
            _ if self.url_refused(hook) => Some("its url is not in allowedHttpHookUrls".into()),
            _ if self.managed_only && !managed => {
                Some("managed settings allow only managed hooks (allowManagedHooksOnly)".into())
            }
            _ if self.plugins_only && ["user", "project", "local"].contains(&layer) => {
                Some("managed settings allow only plugin and managed hooks (strictPluginOnlyCustomization)".into())
            }
            _ => None,
        }
    }

    fn url_refused(&self, hook: &Hook) -> bool {
        let Handler::Http { url, .. } = &hook.handler else { return false };
        let allows = |pattern: &String| super::condition::wildcard(&host_lowered(pattern), &host_lowered(url));
        self.http_urls.as_ref().is_some_and(|urls| !urls.iter().any(allows))
    }
}

/// A url with its scheme and host in lower case and without the dot some put after the host.
fn host_lowered(url: &str) -> String {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end = url[start..].find(['/', '?', '#']).map_or(url.len(), |at| start + at);
    let (host, port) = match url[start..end].split_once(':') {
        Some((host, port)) => (host, format!(":{port}")),
        None => (&url[start..end], String::new()),
    };
    let host = host.strip_suffix('.').unwrap_or(host).to_lowercase();
    format!("{}{host}{port}{}", url[..start].to_lowercase(), &url[end..])
}

/// Hooks of one dedupe_key: the first of each matcher, and each hook's index with how many of these come before it.
#[derive(Default)]
struct Copies {
    matchers: HashSet<Option<String>>,
    first: Vec<FirstOfMatcher>,
    hooks: Vec<(usize, usize)>,
}

/// The same command with the same arguments and `if` under one event runs once: in the first one's place, with the last
/// one's options. Plugins keep their copies. Which of the hooks before one count depends on whose matcher accepts the
/// event, so each hook is told of the first of each matcher; the list is shared, for there may be thousands.
pub fn mark_duplicates(hooks: &mut [Hook]) {
    let mut seen: HashMap<String, Copies> = HashMap::new();
    for (index, hook) in hooks.iter().enumerate() {
        if hook.origin.layer.as_ref() == "plugin" || hook.standing != Standing::Active {
            continue;
        }
        let copies = seen.entry(dedupe_key(hook)).or_default();
        copies.hooks.push((index, copies.first.len()));
        if copies.matchers.insert(hook.matcher.clone()) {
            copies.first.push(FirstOfMatcher { place: hook.origin.place.clone(), matcher: hook.matcher.clone() });
        }
    }
    for copies in seen.into_values() {
        let all: Arc<[FirstOfMatcher]> = copies.first.into();
        for (index, before) in copies.hooks.into_iter().filter(|(_, before)| *before > 0) {
            hooks[index].options.duplicates = Some(Duplicates { all: Arc::clone(&all), before });
        }
    }
}

/// What makes two hooks the same one to the host. Of an http hook only the url counts.
pub fn dedupe_key(hook: &Hook) -> String {
    let HookOptions { condition, .. } = &hook.options;
    match hook.configured() {
        Handler::Http { url, .. } => format!("{} http {url:?}", hook.event),
        other => format!("{} {other:?} {condition:?}", hook.event),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_hooks_share_one_list_of_those_before_them() {
        let hook = |at: usize| {
            let matcher = Some(if at.is_multiple_of(2) { "Bash" } else { "Edit" }.to_string());
            Hook { matcher, ..Hook::in_code("Stop", Handler::Shell { command: "a".into() }, "a".into()) }
        };
        let mut hooks: Vec<Hook> = (0..1000usize).map(hook).collect();
        mark_duplicates(&mut hooks);
        let known: Vec<_> = hooks.iter().filter_map(|h| h.options.duplicates.as_ref()).collect();
        assert_eq!((known.len(), known[0].before, known[998].before), (999, 1, 2));
        assert!(known.iter().all(|d| d.all.len() == 2 && Arc::ptr_eq(&d.all, &known[0].all)));
    }

    #[test]
    fn hosts_are_compared_without_case_and_final_dot() {
        assert_eq!(host_lowered("HTTPS://Hooks.Example.COM.:8443/Path"), "https://hooks.example.com:8443/Path");
        assert_eq!(host_lowered("https://H/*"), "https://h/*");
    }
}
