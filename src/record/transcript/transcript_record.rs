//! The records of a transcript, borrowed from the text: only what the derivation looks at is read, the rest stays raw.

use std::borrow::Cow;
use std::fmt;

use memchr::memmem;
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

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct TranscriptRecord<'a> {
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
    /// The spelling of streams for what the program put in itself.
    pub is_synthetic: Option<bool>,
    pub is_compact_summary: Option<bool>,
    pub is_api_error_message: Option<bool>,
    #[serde(borrow)]
    pub effort: OptRaw<'a>,
    #[serde(borrow)]
    pub message: Option<Message<'a>>,
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

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Message<'a> {
    #[serde(borrow)]
    pub model: OptText<'a>,
    #[serde(borrow)]
    pub content: MessageContent<'a>,
}

/// What a message says: blocks; a plain text is one text block.
#[derive(Debug, Default)]
pub struct MessageContent<'a>(pub Vec<ContentBlock<'a>>);

impl<'de: 'a, 'a> Deserialize<'de> for MessageContent<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ContentVisitor;
        impl<'de> Visitor<'de> for ContentVisitor {
            type Value = MessageContent<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text or blocks")
            }

            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(MessageContent(vec![ContentBlock::of_text(Cow::Borrowed(text))]))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(MessageContent(vec![ContentBlock::of_text(Cow::Owned(text.to_string()))]))
            }

            fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
                Ok(MessageContent::default())
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut blocks: A) -> Result<Self::Value, A::Error> {
                let mut found = Vec::new();
                while let Some(block) = blocks.next_element()? {
                    found.push(block);
                }
                Ok(MessageContent(found))
            }
        }
        deserializer.deserialize_any(ContentVisitor)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ContentBlock<'a> {
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

impl<'a> ContentBlock<'a> {
    fn of_text(text: Cow<'a, str>) -> Self {
        Self { kind: Some(Text("text".into())), text: Some(Text(text)), ..Self::default() }
    }

    /// Whether it is of this kind.
    pub fn is(&self, kind: &str) -> bool {
        self.kind.as_deref() == Some(kind)
    }
}

/// The text of a content that is a string or a list of text blocks.
pub fn content_text(content: OptRaw<'_>) -> String {
    let Some(raw) = content.map(RawValue::get) else { return String::new() };
    let content: MessageContent<'_> = serde_json::from_str(raw).unwrap_or_default();
    let texts: Vec<&str> = content.0.iter().filter_map(|b| b.text.as_deref()).collect();
    texts.join("\n")
}

/// Whether a record says nothing of events, told without reading it: progress of tools is most of some transcripts. The
/// quotes of a text inside a record are escaped, so these bytes can only be members of its objects.
pub fn is_noise(text: &[u8]) -> bool {
    let has = |needle: &[u8]| memmem::find(text, needle).is_some();
    has(b"\"type\":\"progress\"")
        && !has(b"\"hook_progress\"")
        && !has(b"\"type\":\"user\"")
        && !has(b"\"type\":\"assistant\"")
}
