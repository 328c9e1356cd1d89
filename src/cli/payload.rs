//! `hookdbg payload`: an event or a whole call to start from.

use super::args::PayloadArgs;
use super::failure::Failure;
use super::{inputs, output};
use crate::model::did_you_mean;

pub fn run(args: &PayloadArgs) -> Result<(), Failure> {
    let dialects = inputs::dialects(args.dialect.as_deref())?;
    if args.event == "call" {
        let template = dialects.first().map(|d| d.profile().call_template());
        return output::print_json(&template);
    }
    let Some(dialect) = dialects.iter().find(|d| d.profile().event(&args.event).is_some()) else {
        let hint = did_you_mean(&args.event, dialects.iter().flat_map(|d| d.profile().events.iter().map(|e| e.name)));
        return Err(Failure::input(format!("unknown event `{}`{hint}; `hookdbg events` lists them", args.event)));
    };
    let mut fields = inputs::event_template(dialect.as_ref(), &args.event)?;
    if let Some(tool) = &args.tool {
        let Some(spec) = dialect.profile().tools.iter().find(|t| t.name == tool) else {
            let hint = did_you_mean(tool, dialect.profile().tools.iter().map(|t| t.name));
            let name = dialect.profile().name;
            return Err(Failure::input(format!("no example of the tool `{tool}` is known for {name}{hint}")));
        };
        spec.put_into(&mut fields);
    }
    output::print_json(&fields)
}
