//! One POST to a hook's server: no redirects, a bounded body, and an error text instead of an exception.

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::{Method, Request};
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};

pub struct Post<'a> {
    pub url: &'a str,
    pub headers: &'a [(String, String)],
    pub allowed: &'a [String],
    pub body: &'a [u8],
    /// The longest answer that is read.
    pub limit: usize,
}

/// Send it; `{"status", "body"}` or what went wrong.
pub async fn post(post: &Post<'_>) -> Result<Value, String> {
    let mut request = Request::builder().method(Method::POST).uri(post.url).header("content-type", "application/json");
    for (name, value) in post.headers {
        request = request.header(name, expand(value, post.allowed));
    }
    let body = Full::new(Bytes::copy_from_slice(post.body));
    let request = request.body(body).map_err(|e| format!("{} cannot be asked: {e}", post.url))?;
    let client = Client::builder(TokioExecutor::new());
    // A system without certificates can still call a plain http server.
    let sent = if request.uri().scheme_str() == Some("https") {
        let roots = tokio::task::spawn_blocking(|| HttpsConnectorBuilder::new().with_native_roots()).await;
        let roots = roots.map_err(std::io::Error::other).flatten();
        let roots = roots.map_err(|e| format!("{} can't be called: no certificates on this system: {e}", post.url))?;
        client.build(roots.https_only().enable_http1().build()).request(request).await
    } else {
        client.build_http().request(request).await
    };
    let answer = sent.map_err(|e| format!("{} did not answer: {}", post.url, cause(&e)))?;
    let status = answer.status().as_u16();
    let body = Limited::new(answer.into_body(), post.limit).collect().await;
    let body = body.map_err(|e| format!("the answer of {} could not be read: {e}", post.url))?.to_bytes();
    Ok(json!({"status": status, "body": String::from_utf8_lossy(&body)}))
}

/// The innermost cause, which is the one that says something.
fn cause(error: &dyn std::error::Error) -> String {
    let mut inner = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}

/// `$NAME` and `${NAME}` from our environment, for allowed names; others become empty.
fn expand(value: &str, allowed: &[String]) -> String {
    let mut out = String::new();
    let mut rest = value;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let (name, used) = if let Some((name, _)) = after.strip_prefix('{').and_then(|b| b.split_once('}')) {
            (name, name.len() + 2)
        } else {
            let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
            (&after[..end], end)
        };
        if name.is_empty() {
            out.push('$');
        } else if allowed.iter().any(|a| a == name) {
            out.push_str(&std::env::var(name).unwrap_or_default());
        }
        rest = &after[used..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_allowed_variables_are_filled_in() {
        let home = std::env::var("HOME").unwrap_or_default();
        assert_eq!(expand("a $HOME ${HOME}/x $OTHER $", &["HOME".into()]), format!("a {home} {home}/x  $"));
    }
}
