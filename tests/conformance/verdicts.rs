//! Every vector with its verdict: rejects for their own fault, accepts with every field.

use std::path::Path;

use hurray::Error;
use hurray::container::{File, OpenOptions};
use hurray::descriptor::{Descriptor, Mode};
use hurray::validate::{ValidateOptions, validate};
use libtest_mimic::{Completion, Failed, Trial};

use crate::vectors::{self, Vector};
use crate::{accepted, faults, streamed, views};

/// The call that says what a vector is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// Decoding a descriptor that came alone.
    Decode,
    /// Opening a file.
    Open,
    /// Asking for a tensor.
    Tensor,
    /// Full validation.
    Validate,
}

impl Call {
    pub(crate) fn find(name: &str) -> Option<Self> {
        let all = [Self::Decode, Self::Open, Self::Tensor, Self::Validate];
        all.into_iter().find(|call| format!("{call:?}").eq_ignore_ascii_case(name))
    }
}

pub(crate) fn trials() -> Vec<Trial> {
    let mut vectors = vectors::copied("generated");
    vectors.extend(vectors::copied("edges"));
    let reference = vectors::reference();
    let complete = reference.is_some();
    let mut trials = Vec::new();
    match reference {
        Some(reference) => vectors.extend(reference),
        None => trials.push(Trial::ignorable_test("verdict/reference", || {
            Ok(Completion::ignored_with("skipped: no shared vectors here"))
        })),
    }
    let ids = vectors.iter().map(|vector| vector.id.clone()).collect();
    let rules = vectors.iter().map(|vector| vector.rule.clone()).collect();
    trials.push(Trial::test("lists/name_what_there_is", move || {
        faults::check(&ids, &rules, complete);
        Ok(())
    }));
    trials.extend(streamed::trials(&vectors));
    trials.extend(views::trials(&vectors));
    trials.extend(vectors.into_iter().map(|vector| {
        let verdict = if vector.accepted { "accept" } else { "reject" };
        Trial::ignorable_test(format!("{verdict}/{}", vector.id), move || judged(&vector))
    }));
    trials
}

fn judged(vector: &Vector) -> Result<Completion, Failed> {
    let verdict = judge(vector);
    if vector.accepted {
        return match verdict {
            Ok(()) => {
                accepted::check(vector);
                Ok(Completion::Completed)
            }
            Err((call, error)) => Err(format!("rejected at {call:?}: {error}").into()),
        };
    }
    match verdict {
        Ok(()) => Err(format!("accepted, breaks {}", vector.rule).into()),
        Err((call, error)) => {
            faults::check_own(vector, call, &error)?;
            Ok(Completion::Completed)
        }
    }
}

/// The first call that refuses the vector, in the order in which a reader makes them.
pub(crate) fn judge(vector: &Vector) -> Result<(), (Call, Error)> {
    if vector.is_descriptor() {
        let bytes = vector.bytes();
        return Descriptor::decode(&bytes, Mode::Strict)
            .map(drop)
            .map_err(|error| (Call::Decode, error));
    }
    let file = open(&vector.path).map_err(|error| (Call::Open, error))?;
    for i in 0..file.tensor_count() {
        file.tensor(i).map_err(|error| (Call::Tensor, error))?;
    }
    let mut problems = Vec::new();
    validate(&file, ValidateOptions::default(), &mut |problem| problems.push(problem))
        .map_err(|error| (Call::Validate, error))?;
    problems.into_iter().next().map_or(Ok(()), |problem| Err((Call::Validate, problem)))
}

pub(crate) fn open(path: &Path) -> hurray::Result<File> {
    File::open(path, &OpenOptions::default())
}
