//! `if` conditions: one permission rule, fitted to the commands of a Bash line or to a path.

use std::path::{Component, Path, PathBuf};

use ignore::gitignore::GitignoreBuilder;

use super::shell;
use crate::dialect::EventRow;
use crate::dialect::event::{Conditions, DirPattern};
use crate::dialect::glob::wildcard_matches;
use crate::model::Payload;

const PATH_FIELDS: [&str; 3] = ["file_path", "notebook_path", "path"];

/// Why `rule` keeps its hook from `payload`; none if it does not.
pub fn mismatch(rule: &str, payload: &Payload, row: &EventRow) -> Option<String> {
    if rule.is_empty() {
        return None;
    }
    let Conditions::Read(directories) = row.conditions else {
        let why = "conditions hold only on tool events, so it never runs here";
        return Some(format!("it has the condition `{rule}`, and {why}"));
    };
    let tool = payload.text("tool_name").unwrap_or_default();
    let Some((name, spec)) = parse(rule) else {
        return Some(format!("its condition `{rule}` is no single rule `Tool` or `Tool(pattern)`, so it never runs"));
    };
    if !same_tool(name, tool) {
        return Some(format!("its condition `{rule}` is for {name}, and this tool is {tool}"));
    }
    let spec = spec.filter(|s| !s.is_empty() && *s != "*")?;
    let input = |field: &str| payload.fields.get("tool_input")?.get(field)?.as_str();
    let fits = match tool {
        "Bash" | "PowerShell" => {
            let command = input("command").unwrap_or_default();
            if tool == "Bash" {
                command_fits(spec, command)
            } else {
                command_fits(&spec.to_lowercase(), &command.to_lowercase())
            }
        }
        "Agent" => false,
        "WebFetch" => {
            let url = input("url").unwrap_or_default();
            let host = url.split("://").nth(1).unwrap_or(url).split(['/', ':', '?']).next().unwrap_or_default();
            spec.strip_prefix("domain:").is_some_and(|d| d.eq_ignore_ascii_case(host))
        }
        _ => {
            let path = PATH_FIELDS.into_iter().find_map(input);
            path.is_some_and(|p| path_fits(spec, p, &SessionPaths::of(payload), directories))
        }
    };
    (!fits).then(|| format!("its condition `{rule}` does not fit this call"))
}

/// `Tool` or `Tool(spec)`.
fn parse(rule: &str) -> Option<(&str, Option<&str>)> {
    let rule = rule.trim();
    let (name, spec) = match rule.split_once('(') {
        Some((name, rest)) => (name, Some(rest.strip_suffix(')').filter(|spec| balanced(spec))?)),
        None => (rule, None),
    };
    let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    plain.then_some((name, spec))
}

/// Whether no parenthesis is closed that was not opened: `a) || B(b` is two rules, not one.
fn balanced(spec: &str) -> bool {
    let mut depth = 0_i32;
    spec.chars().all(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth >= 0
    })
}

fn same_tool(name: &str, tool: &str) -> bool {
    name == tool || (name == "Task" && tool == "Agent")
}

/// Whether `pattern` fits one of the commands of `line`, or must be taken to.
pub fn command_fits(pattern: &str, line: &str) -> bool {
    let read = shell::read(line);
    if read.opaque {
        return true;
    }
    let pattern = pattern.strip_suffix(":*").map_or_else(|| pattern.to_string(), |name| format!("{name} *"));
    let more_than_a_name =
        pattern.strip_suffix(" *").unwrap_or(&pattern).contains([' ', '*']) || pattern.starts_with(' ');
    if read.uncertain && more_than_a_name {
        return true;
    }
    let pattern = pattern.trim_start();
    read.commands.iter().any(|c| wildcard(pattern, c))
}

/// `*` spans anything; a last ` *` is also fitted by nothing.
pub fn wildcard(pattern: &str, text: &str) -> bool {
    pattern.strip_suffix(" *").is_some_and(|name| wildcard(name, text)) || wildcard_matches(pattern, text)
}

struct SessionPaths {
    cwd: PathBuf,
    home: Option<PathBuf>,
}

impl SessionPaths {
    /// The home of a payload is the one its transcript lies in.
    fn of(payload: &Payload) -> Self {
        let home = payload.text("transcript_path").and_then(|p| p.split_once("/.claude/")).map(|(home, _)| home.into());
        Self { cwd: normal(Path::new(payload.text("cwd").unwrap_or("/"))), home }
    }
}

/// Whether a gitignore-like pattern fits a path; case does not count.
fn path_fits(pattern: &str, path: &str, place: &SessionPaths, directories: DirPattern) -> bool {
    if pattern == "**" {
        return true;
    }
    if pattern.contains(['{', '}']) || pattern.starts_with('!') || pattern.split('/').any(|p| p == "..") {
        return false;
    }
    let file = normal(Path::new(path));
    let (root, pattern) = if let Some(rest) = pattern.strip_prefix("//") {
        (PathBuf::from("/"), format!("/{rest}"))
    } else if let Some(rest) = pattern.strip_prefix("~/") {
        (place.home.clone().unwrap_or_else(|| home_of(path)), format!("/{rest}"))
    } else {
        let rest = pattern.strip_prefix("./").unwrap_or(pattern);
        // A pattern with a directory in front stands for that directory below cwd; a bare name fits at any depth.
        let anchored = rest.trim_end_matches('/').contains('/') && !rest.starts_with("**/") && !rest.starts_with('/');
        let anywhere = directories == DirPattern::AnyDepth && rest.trim_end_matches("/**").find('/').is_none();
        let pattern = match (anchored, anywhere) {
            (true, true) => format!("**/{rest}"),
            (true, false) => format!("/{rest}"),
            (false, _) => rest.to_string(),
        };
        (place.cwd.clone(), pattern)
    };
    // `src/*` means everything below, as `src/**` does.
    let pattern = pattern.strip_suffix("/*").map_or(pattern.clone(), |p| format!("{p}/**"));
    let outside = !file.starts_with(&root);
    if outside && pattern.contains('/') {
        return false;
    }
    let root = if outside { PathBuf::from("/") } else { root };
    let mut builder = GitignoreBuilder::new(&root);
    if builder.case_insensitive(true).is_err() || builder.add_line(None, &pattern).is_err() {
        return false;
    }
    builder.build().is_ok_and(|g| g.matched_path_or_any_parents(&file, false).is_ignore())
}

/// The home directory a path lies in: `/root`, or the two first parts of `/home/x` and `/Users/x`.
fn home_of(path: &str) -> PathBuf {
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        ["", "root", ..] => PathBuf::from("/root"),
        ["", base @ ("home" | "Users"), user, ..] => PathBuf::from(format!("/{base}/{user}")),
        _ => PathBuf::from("/no home"),
    }
}

fn normal(path: &Path) -> PathBuf {
    path.components().filter(|c| !matches!(c, Component::CurDir)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_as_observed() {
        let mut wrong = Vec::new();
        for (pattern, line, fits) in [
            ("git *", "FOO=bar git push", true),
            ("git *", "npm test && git push", true),
            ("rm *", "echo $(rm -rf /)", true),
            ("rm *", "echo `rm x`", true),
            ("rm *", "echo $(date)", false),
            ("git push *", "echo $(date)", true),
            ("git push *", "echo $HOME", false),
            ("git push *", "echo $FOO", true),
            ("ls *", "ls", true),
            ("ls *", "lsof", false),
            ("rm:*", "rm", true),
            ("rm*", "rmdir x", true),
            ("npm test *", "timeout 30 npm test --watch", false),
            ("rm *", "\\rm x", true),
            ("rm *", "\"rm\" x", true),
            ("rm *", "r''m x", true),
            ("rm *", "echo 'rm x'", false),
            ("rm *", "ls | xargs rm", true),
            ("rm *", "(cd /x; rm y)", true),
            ("rm *", "! rm y", true),
            ("rm *", "if true; then rm x; fi", true),
            ("rm *", "{ ls; }", true),
            ("rm *", "for f in a; do ls; done", true),
            ("rm *", "echo \"unbalanced", true),
            ("rm *", "$CMD x", true),
            ("rm *", "echo \"$X\"", true),
            ("rm *", "echo ${X}", true),
            ("git push *", "echo $((1+1))", false),
            ("rm *", "bash -c \"rm x\"", false),
            ("rm *", "/bin/rm x", false),
            ("rm *", "ls > rm", false),
            ("rm *", "ls # rm x", false),
            ("rm *", "time rm x", false),
            ("rm *", "echo hi > $(rm x)", true),
            ("git push *", "echo hi > $FOO", true),
            ("rm *", "cat <<< \"$FOO\"", true),
            ("rm *", "cat < <(ls)", true),
            ("rm *", "while read l; do ls; done < <(ls)", true),
            ("rm *", "(cat) <<E\nx\nE", true),
            ("rm *", "echo $((1+$(rm x)))", true),
        ] {
            if command_fits(pattern, line) != fits {
                wrong.push(format!("{pattern} on {line}: {:?}", shell::read(line)));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn one_rule_only() {
        assert!(parse("Bash(rm *) || Bash(ls *)").is_none() && parse("Bash(").is_none());
        assert_eq!(parse("Bash(echo (a))"), Some(("Bash", Some("echo (a)"))));
    }

    #[test]
    fn paths_as_observed() {
        for (pattern, path, fits) in [
            ("src/**", "/p/src/a/b.js", true),
            ("src/*", "/p/src/a/b.js", true),
            ("./src/**", "/p/src/b.js", true),
            ("/src/**", "/p/src/b.js", true),
            ("src/**", "/p/vendor/pkg/src/lib.js", false),
            ("src", "/p/vendor/pkg/src/lib.js", true),
            ("src/", "/p/vendor/pkg/src/lib.js", true),
            ("**/src/**", "/p/vendor/pkg/src/lib.js", true),
            ("SRC/**", "/p/src/b.js", true),
            ("*.ts", "/p/deep/a.ts", true),
            ("*.ts", "/elsewhere/a.ts", true),
            ("*.ts", "/p/a.rs", false),
            ("//abs/**", "/abs/x", true),
            ("../x", "/x", false),
            ("~/**", "/home/dev/x/a.ts", true),
            ("~/src/**", "/q/src/a.ts", false),
            ("{a,b}.ts", "/p/a.ts", false),
        ] {
            assert_eq!(
                path_fits(pattern, path, &SessionPaths { cwd: "/p".into(), home: None }, DirPattern::BelowCwd),
                fits,
                "{pattern} on {path}"
            );
        }
    }
}
