//! The records of a transcript, borrowed from the text: only what the derivation looks at is read, the rest stays raw.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Text that is borrowed unless it holds escapes. (An `Option<Cow>` would always be copied.)
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Text<'a>(pub Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text")
            }

            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_string())))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

impl std::ops::Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

type OptText<'a> = Option<Text<'a>>;
type OptRaw<'a> = Option<&'a RawValue>;

/// One record.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Line<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: OptText<'a>,
    #[serde(borrow)]
    pub subtype: OptText<'a>,
    #[serde(borrow)]
    pub session_id: OptText<'a>,
    /// The spelling of streams; records of files may have both.
    #[serde(borrow, rename = "session_id")]
    pub stream_session: OptText<'a>,
    #[serde(borrow)]
    pub cwd: OptText<'a>,
    #[serde(borrow)]
    pub version: OptText<'a>,
    #[serde(borrow)]
    pub timestamp: OptText<'a>,
    #[serde(borrow)]
    pub permission_mode: OptText<'a>,
    #[serde(borrow)]
    pub prompt_id: OptText<'a>,
    #[serde(borrow)]
    pub agent_id: OptText<'a>,
    pub is_sidechain: Option<bool>,
    pub is_meta: Option<bool>,
    pub is_compact_summary: Option<bool>,
    pub is_api_error_message: Option<bool>,
    #[serde(borrow)]
    pub effort: OptRaw<'a>,
    #[serde(borrow)]
    pub message: OptRaw<'a>,
    #[serde(borrow)]
    pub tool_use_result: OptRaw<'a>,
    /// The spelling of streams.
    #[serde(borrow, rename = "tool_use_result")]
    pub stream_result: OptRaw<'a>,
    #[serde(borrow)]
    pub attachment: OptRaw<'a>,
    #[serde(borrow)]
    pub rendered: OptRaw<'a>,
    #[serde(borrow)]
    pub data: OptRaw<'a>,
    #[serde(borrow)]
    pub content: OptRaw<'a>,
    #[serde(borrow)]
    pub error: OptRaw<'a>,
    #[serde(borrow, rename = "toolUseID")]
    pub tool_use_id: OptText<'a>,
    #[serde(borrow, rename = "parent_tool_use_id")]
    pub stream_parent: OptRaw<'a>,
    #[serde(borrow)]
    pub compact_metadata: OptRaw<'a>,
    #[serde(borrow)]
    pub hook_infos: OptRaw<'a>,
    #[serde(borrow)]
    pub hook_errors: OptRaw<'a>,
    pub prevented_continuation: Option<bool>,
    #[serde(borrow)]
    pub permission_decision: OptRaw<'a>,
    #[serde(borrow)]
    pub tool_denial_kind: OptText<'a>,
}

/// The message of a `user` or `assistant` record.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Message<'a> {
    #[serde(borrow)]
    pub model: OptText<'a>,
    #[serde(borrow)]
    pub content: OptRaw<'a>,
}

/// One block of a message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: OptText<'a>,
    #[serde(borrow)]
    pub text: OptText<'a>,
    #[serde(borrow)]
    pub id: OptText<'a>,
    #[serde(borrow)]
    pub name: OptText<'a>,
    #[serde(borrow)]
    pub input: OptRaw<'a>,
    #[serde(borrow)]
    pub tool_use_id: OptText<'a>,
    #[serde(borrow)]
    pub content: OptRaw<'a>,
    pub is_error: Option<bool>,
}

impl Block<'_> {
    /// Whether it is of this kind.
    pub fn is(&self, kind: &str) -> bool {
        self.kind.as_deref() == Some(kind)
    }
}

/// The blocks of a message's content; a plain text is one text block.
pub fn blocks(content: OptRaw<'_>) -> Vec<Block<'_>> {
    let Some(raw) = content.map(RawValue::get) else { return Vec::new() };
    if raw.starts_with('"') {
        let text = serde_json::from_str(raw).ok();
        return vec![Block { kind: Some(Text("text".into())), text, ..Block::default() }];
    }
    serde_json::from_str(raw).unwrap_or_default()
}

/// The text of a content that is a string or a list of text blocks.
pub fn content_text(content: OptRaw<'_>) -> String {
    let texts: Vec<String> = blocks(content).iter().filter_map(|b| b.text.as_ref().map(|t| t.0.to_string())).collect();
    texts.join("\n")
}
