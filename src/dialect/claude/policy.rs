//! Settings that govern all hooks: switches, the managed layer's rights, http allow-lists; and de-duplication.

use serde_json::{Value, json};

use crate::diag::Source;
use crate::model::doc::{Node, NodeKind};
use crate::model::{Handler, Hook};

/// Scalars of later layers win over earlier ones.
const PRECEDENCE: [&str; 5] = ["user", "project", "local", "flag", "managed"];

/// The governing settings of all files together.
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
    /// Take up what one file says.
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
            if let Some(why) = self.off(hook) {
                hook.options.insert("off".into(), json!(why));
            }
            if let (Some(allowed), Some(Value::Array(own))) =
                (&self.header_variables, hook.options.get_mut("allowedEnvVars"))
            {
                own.retain(|name| name.as_str().is_some_and(|n| allowed.iter().any(|a| a == n)));
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
        let Handler::Reply { kind, text } = &hook.handler else { return false };
        let fits = |pattern: &String| super::condition::wildcard(&host_lowered(pattern), &host_lowered(text));
        kind == "http" && self.http_urls.as_ref().is_some_and(|urls| !urls.iter().any(fits))
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

/// The same command with the same arguments and `if` under one event runs once: the first one's place, the last one's
/// options. Plugins keep their copies. Each hook gets the list of those before it; which of them count depends on whose
/// matcher fits.
pub fn mark_duplicates(hooks: &mut [Hook]) {
    let mut seen: std::collections::HashMap<String, Vec<Value>> = std::collections::HashMap::new();
    for hook in hooks {
        let out = ["not_loaded", "off"].iter().any(|o| hook.options.contains_key(*o));
        if hook.origin.layer.as_ref() == "plugin" || out {
            continue;
        }
        let place = hook.origin.place.as_ref().map_or_else(|| "another place".to_string(), ToString::to_string);
        let before = seen.entry(identity(hook)).or_default();
        if !before.is_empty() {
            hook.options.insert("earlier".into(), Value::Array(before.clone()));
        }
        before.push(json!({"place": place, "matcher": hook.matcher}));
    }
}

/// What makes two hooks the same one to the host.
pub fn identity(hook: &Hook) -> String {
    let option = |name: &str| hook.options.get(name).unwrap_or(&Value::Null);
    // Of an http hook only the url counts; PowerShell makes another hook of the same text.
    let http = option("type") == "http";
    let condition = if http { &Value::Null } else { option("if") };
    let shell = if option("shell") == "powershell" { "powershell" } else { "" };
    format!("{} {} {condition} {shell}", hook.event, option("identity"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_compared_without_case_and_final_dot() {
        assert_eq!(host_lowered("HTTPS://Hooks.Example.COM.:8443/Path"), "https://hooks.example.com:8443/Path");
        assert_eq!(host_lowered("https://H/*"), "https://h/*");
    }
}
