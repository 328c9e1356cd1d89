//! Settings files: finding them, reading them, and the trust a user gave to what they run.

mod discover;
mod read;
mod trust;

pub use discover::{Wanted, discover};
pub use read::{FileStatus, Settings, SettingsError, read};
pub use trust::{Fingerprint, TrustStore};
