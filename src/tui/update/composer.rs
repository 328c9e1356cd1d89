//! The composer follows every keystroke: text to payload, payload to plan.

use serde_json::Value;

use crate::dialect::Dialect;
use crate::model::doc::{JsonRules, Node, parse_json};
use crate::model::{Payload, did_you_mean};
use crate::plan::plan;
use crate::tui::app::App;
use crate::tui::state::ComposeError;

/// The text, the hooks or the switches changed: read it again.
pub fn composer_changed(app: &mut App) {
    let text = app.composer.editor.text();
    app.composer.payload = read(&text, app.loaded.dialect.as_ref());
    let span = app.composer.payload.as_ref().err().and_then(|e| e.span);
    app.composer.editor.highlight(&app.theme, span);
    if let Ok(payload) = &app.composer.payload {
        app.composer.plan = plan(app.loaded.dialect.as_ref(), &app.loaded.hooks, payload, &app.toggles());
        app.composer.findings = app.loaded.dialect.profile().check_payload(payload);
    }
}

fn read(text: &str, dialect: &dyn Dialect) -> Result<Payload, ComposeError> {
    let fail = |message: String, node: Option<&Node>| ComposeError { message, span: node.map(|n| n.span) };
    let node =
        parse_json(text, JsonRules::Strict).map_err(|e| ComposeError { span: Some(e.span), message: e.message })?;
    let Value::Object(fields) = node.to_value() else {
        return Err(fail(format!("a payload is an object, not {}", node.word()), Some(&node)));
    };
    let key = dialect.profile().event_field;
    let Some(named) = node.get(key) else {
        return Err(fail(format!("`{key}` is missing: it names the event"), None));
    };
    let Some(event) = named.as_str() else {
        return Err(fail(format!("`{key}` must be text"), Some(named)));
    };
    if dialect.profile().event(event).is_none() {
        let hint = did_you_mean(event, dialect.profile().events.iter().map(|e| e.name));
        return Err(fail(format!("unknown event `{event}`{hint}"), Some(named)));
    }
    Ok(Payload::new(event, fields))
}

pub fn tidy(app: &mut App) {
    match &app.composer.payload {
        Ok(payload) => {
            app.compose(&Value::Object(payload.fields.as_ref().clone()));
            app.say("tidied");
        }
        Err(error) => app.say(format!("cannot tidy: {}", error.message)),
    }
}
