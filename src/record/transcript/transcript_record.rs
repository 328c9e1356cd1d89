//! The records of a transcript, borrowed from the text: only what the derivation looks at is read, the rest stays raw.

use std::borrow::Cow;
use std::fmt;

use memchr::memmem;
use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};
use serde_json::value::RawValue;

/// Text that is borrowed unless it holds escapes. (An `Option<Cow>` would always be copied.)
#[derive(Debug, Default, Deserialize)]
pub struct Text<'a>(#[serde(borrow)] pub Cow<'a, str>);

impl std::ops::Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

type OptText<'a> = Option<Text<'a>>;
type OptRaw<'a> = Option<&'a RawValue>;

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", bound(deserialize = "'de: 'a"))]
pub struct TranscriptRecord<'a> {
    #[serde(rename = "type")]
    pub kind: OptText<'a>,
    pub subtype: OptText<'a>,
    pub session_id: OptText<'a>,
    /// The spelling of streams; records of files may have both.
    #[serde(rename = "session_id")]
    pub stream_session: OptText<'a>,
    pub cwd: OptText<'a>,
    pub version: OptText<'a>,
    pub timestamp: OptText<'a>,
    pub permission_mode: OptText<'a>,
    pub prompt_id: OptText<'a>,
    pub is_sidechain: Option<bool>,
    pub is_meta: Option<bool>,
    /// The spelling of streams for what the program put in itself.
    pub is_synthetic: Option<bool>,
    pub is_compact_summary: Option<bool>,
    pub is_api_error_message: Option<bool>,
    pub effort: OptRaw<'a>,
    pub message: Option<Message<'a>>,
    pub tool_use_result: OptRaw<'a>,
    /// The spelling of streams.
    #[serde(rename = "tool_use_result")]
    pub stream_result: OptRaw<'a>,
    pub attachment: OptRaw<'a>,
    pub rendered: OptRaw<'a>,
    pub data: OptRaw<'a>,
    pub content: OptRaw<'a>,
    pub error: OptRaw<'a>,
    #[serde(rename = "toolUseID")]
    pub tool_use_id: OptText<'a>,
    #[serde(rename = "parent_tool_use_id")]
    pub stream_parent: OptRaw<'a>,
    pub compact_metadata: OptRaw<'a>,
    pub hook_infos: OptRaw<'a>,
    pub hook_errors: OptRaw<'a>,
    pub prevented_continuation: Option<bool>,
    pub permission_decision: OptRaw<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct Message<'a> {
    pub model: OptText<'a>,
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

            fn visit_seq<A: de::SeqAccess<'de>>(self, blocks: A) -> Result<Self::Value, A::Error> {
                Vec::deserialize(de::value::SeqAccessDeserializer::new(blocks)).map(MessageContent)
            }
        }
        deserializer.deserialize_any(ContentVisitor)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct ContentBlock<'a> {
    #[serde(rename = "type")]
    pub kind: OptText<'a>,
    pub text: OptText<'a>,
    pub id: OptText<'a>,
    pub name: OptText<'a>,
    pub input: OptRaw<'a>,
    pub tool_use_id: OptText<'a>,
    pub content: OptRaw<'a>,
    pub is_error: Option<bool>,
}

impl<'a> ContentBlock<'a> {
    fn of_text(text: Cow<'a, str>) -> Self {
        Self { kind: Some(Text("text".into())), text: Some(Text(text)), ..Self::default() }
    }

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
