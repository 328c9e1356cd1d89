//! Parts that panes share.

mod editor;
mod json_tree;
mod text;

pub use editor::Editor;
pub use json_tree::{TreeLine, tree_lines};
pub use text::{fit, output_line, shorten, width, wrapped};
