//! The moment that a command looks at.

use clap::Args;
use helix_client::v1;

use super::history::Place;
use crate::time;

/// Arguments that say which moment is looked at.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Moment {
    /// Looks at what Helix knew then: a sequence of `log`, a day, a time, now or e.g. `2 days ago`
    #[arg(long, value_name = "WHEN", value_parser = Place::as_of)]
    as_of: Option<Place>,
    /// Looks at what held then, as far as it is known: a day, a time, now or e.g. `2 days ago`
    #[arg(long, value_name = "WHEN", value_parser = time::up_to_now)]
    valid_at: Option<i64>,
}

impl Moment {
    /// As the wire has it; absent for now.
    pub(crate) fn wire(self) -> Option<v1::Moment> {
        let moment = v1::Moment {
            as_of: self.as_of.and_then(Place::point),
            valid_at_us: self.valid_at,
        };
        Some(moment).filter(|moment| *moment != v1::Moment::default())
    }
}
