//! The commands of a Bash line, as a real shell grammar sees them, for `if` conditions.

use brush_parser::ast::{
    AndOr, Command, CommandPrefixOrSuffixItem as Item, CompoundCommand as Compound, CompoundList, IoFileRedirectTarget,
    IoRedirect, Pipeline, SimpleCommand, Word,
};
use brush_parser::word::{ParameterExpr, WordPiece, WordPieceWithSource};
use brush_parser::{ParserOptions, word};

#[derive(Debug, Default, PartialEq, Eq)]
pub struct ShellLine {
    /// Every simple command, words resolved and joined by blanks.
    pub commands: Vec<String>,
    /// Holds a substitution or an unknown variable, so that patterns with more than a name fit.
    pub uncertain: bool,
    /// Cannot be analysed, so that every pattern fits.
    pub opaque: bool,
}

pub fn read(text: &str) -> ShellLine {
    let mut line = ShellLine::default();
    walk_text(text, &mut line, 0);
    line
}

fn walk_text(text: &str, line: &mut ShellLine, depth: usize) {
    let options = ParserOptions::default();
    let tokens = if depth < 8 { brush_parser::tokenize_str(text).ok() } else { None };
    match tokens.and_then(|tokens| brush_parser::parse_tokens(&tokens, &options).ok()) {
        Some(program) => program.complete_commands.iter().for_each(|list| walk_list(list, line, depth)),
        None => line.opaque = true,
    }
}

fn walk_list(list: &CompoundList, line: &mut ShellLine, depth: usize) {
    for item in &list.0 {
        walk_pipeline(&item.0.first, line, depth);
        for more in &item.0.additional {
            let (AndOr::And(pipeline) | AndOr::Or(pipeline)) = more;
            walk_pipeline(pipeline, line, depth);
        }
    }
}

fn walk_pipeline(pipeline: &Pipeline, line: &mut ShellLine, depth: usize) {
    let before = line.commands.len();
    for command in &pipeline.seq {
        match command {
            Command::Simple(simple) => walk_simple(simple, line, depth),
            Command::Compound(Compound::Subshell(subshell), redirects) => {
                walk_list(&subshell.list, line, depth);
                walk_redirects(redirects.as_ref(), line, depth);
            }
            Command::Compound(Compound::IfClause(clause), redirects) => {
                walk_redirects(redirects.as_ref(), line, depth);
                walk_list(&clause.condition, line, depth);
                walk_list(&clause.then, line, depth);
                for other in clause.elses.iter().flatten() {
                    other.condition.iter().for_each(|c| walk_list(c, line, depth));
                    walk_list(&other.body, line, depth);
                }
            }
            Command::Compound(Compound::WhileClause(clause) | Compound::UntilClause(clause), redirects) => {
                walk_redirects(redirects.as_ref(), line, depth);
                walk_list(&clause.0, line, depth);
                walk_list(&clause.1.list, line, depth);
            }
            // Brace groups, loops over values, functions and the rest: the host gives up, and the hook runs.
            Command::Compound(..) | Command::Function(_) | Command::ExtendedTest(..) => line.opaque = true,
        }
    }
    // `time` is not looked through: the command it times is its argument.
    if pipeline.timed.is_some()
        && let Some(first) = line.commands.get_mut(before)
    {
        *first = format!("time {first}");
    }
}

fn walk_simple(simple: &SimpleCommand, line: &mut ShellLine, depth: usize) {
    let mut words = Vec::new();
    for item in simple.prefix.iter().flat_map(|p| &p.0) {
        match item {
            Item::AssignmentWord(_, word) => {
                resolve(word, line, depth);
            }
            Item::IoRedirect(redirect) => walk_redirect(redirect, line, depth),
            Item::Word(word) => words.push(resolve(word, line, depth)),
            Item::ProcessSubstitution(..) => line.opaque = true,
        }
    }
    if let Some(name) = &simple.word_or_name {
        let resolved = resolve(name, line, depth);
        // A command whose very name is a variable could be anything.
        line.opaque |= name.value.contains('$') || name.value.contains('`');
        words.push(resolved);
    }
    for item in simple.suffix.iter().flat_map(|s| &s.0) {
        match item {
            Item::Word(word) | Item::AssignmentWord(_, word) => {
                words.push(resolve(word, line, depth));
            }
            Item::IoRedirect(redirect) => walk_redirect(redirect, line, depth),
            Item::ProcessSubstitution(..) => line.opaque = true,
        }
    }
    if words.is_empty() {
        return;
    }
    // `xargs rm` runs both.
    if words[0] == "xargs" && words.len() > 1 {
        line.commands.push(words[1..].join(" "));
    }
    line.commands.push(words.join(" "));
}

fn walk_redirects(redirects: Option<&brush_parser::ast::RedirectList>, line: &mut ShellLine, depth: usize) {
    for redirect in redirects.iter().flat_map(|r| &r.0) {
        walk_redirect(redirect, line, depth);
    }
}

/// The target of a redirection is cut off, but what it substitutes runs.
fn walk_redirect(redirect: &IoRedirect, line: &mut ShellLine, depth: usize) {
    match redirect {
        IoRedirect::HereDocument(..) => line.opaque = true,
        IoRedirect::File(_, _, IoFileRedirectTarget::ProcessSubstitution(..)) => line.opaque = true,
        IoRedirect::File(_, _, IoFileRedirectTarget::Filename(word) | IoFileRedirectTarget::Duplicate(word))
        | IoRedirect::HereString(_, word)
        | IoRedirect::OutputAndError(word, _) => {
            resolve(word, line, depth);
        }
        IoRedirect::File(_, _, IoFileRedirectTarget::Fd(_)) => {}
    }
}

/// The word with quotes and escapes resolved; substitutions inside it are walked.
fn resolve(word: &Word, line: &mut ShellLine, depth: usize) -> String {
    if let Ok(pieces) = word::parse(&word.value, &ParserOptions::default()) {
        // Written with braces an expansion could do anything; the tree no longer tells the two apart.
        let expands = pieces.iter().any(|p| matches!(p.piece, WordPiece::ParameterExpansion(_)));
        line.opaque |= expands && word.value.contains("${");
        pieces.iter().map(|p| piece(p, line, depth)).collect()
    } else {
        line.opaque = true;
        word.value.clone()
    }
}

fn piece(piece_with_source: &WordPieceWithSource, line: &mut ShellLine, depth: usize) -> String {
    match &piece_with_source.piece {
        WordPiece::Text(text) | WordPiece::SingleQuotedText(text) | WordPiece::AnsiCQuotedText(text) => text.clone(),
        WordPiece::DoubleQuotedSequence(inner) | WordPiece::GettextDoubleQuotedSequence(inner) => {
            // A variable in double quotes could hold anything, blanks included.
            line.opaque |= inner.iter().any(|p| matches!(p.piece, WordPiece::ParameterExpansion(_)));
            inner.iter().map(|p| piece(p, line, depth)).collect()
        }
        WordPiece::EscapeSequence(text) => text.strip_prefix('\\').unwrap_or(text).to_string(),
        WordPiece::CommandSubstitution(text) | WordPiece::BackquotedCommandSubstitution(text) => {
            line.uncertain = true;
            walk_text(text, line, depth + 1);
            format!("$({text})")
        }
        WordPiece::ParameterExpansion(parameter) => {
            let source = parameter_text(parameter);
            match source.as_str() {
                "HOME" => {}
                _ if matches!(parameter, ParameterExpr::Parameter { .. }) => line.uncertain = true,
                _ => line.opaque = true,
            }
            format!("${source}")
        }
        WordPiece::TildeExpansion(_) => "~".into(),
        WordPiece::ArithmeticExpression(expression) => {
            // Harmless by itself; a command substituted inside it is a command.
            if expression.value.contains("$(") || expression.value.contains('`') {
                line.uncertain = true;
                if let Ok(pieces) = word::parse(&expression.value, &ParserOptions::default()) {
                    pieces.iter().for_each(|p| {
                        piece(p, line, depth);
                    });
                }
            }
            "$((…))".into()
        }
    }
}

fn parameter_text(parameter: &ParameterExpr) -> String {
    match parameter {
        ParameterExpr::Parameter { parameter, .. } => parameter.to_string().trim_matches(['$', '{', '}']).to_string(),
        _ => "{…}".into(),
    }
}
