//! What people and programs read: the human and the JSON reports of every vector, demo and sample, as snapshots.
//!
//! Whoever changes the code sees in the difference of `tests/snapshots/reports/` what changes for users. To write the
//! files anew: `HOOKDBG_UPDATE=1 cargo test --test reports`.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test program")]

#[path = "reports/commands.rs"]
mod commands;
#[path = "conformance/input.rs"]
mod input;
#[path = "reports/plain.rs"]
mod plain;
#[path = "conformance/scene.rs"]
mod scene;
#[path = "reports/snapshot.rs"]
mod snapshot;
#[path = "conformance/stand_ins.rs"]
mod stand_ins;
#[path = "reports/vectors.rs"]
mod vectors;

macro_rules! hosts {
    ($($host:ident),*) => {$(
        mod $host {
            #[test]
            fn every_vector_reads_as_before() {
                crate::vectors::compare(stringify!($host));
            }
        }
    )*};
}

hosts!(claude, goat, claw, massgen, armament);

#[test]
fn every_demo_and_sample_reads_as_before() {
    commands::compare();
}
