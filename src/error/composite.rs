//! Where in a composite an error was found.

use std::fmt;

use super::{Error, Quoted, cut};

/// A head, a member of it, another member, an index in the head.
#[derive(Debug, Default)]
pub(super) struct Place {
    /// Place of the member in its composite, and the head.
    member: Option<(u64, Named)>,
    other: Option<Named>,
    index: Option<Box<[u64]>>,
}

#[derive(Debug)]
struct Named {
    index: u64,
    name: Option<Box<str>>,
}

impl Named {
    fn new(index: u64, name: Option<&str>) -> Self {
        Self { index, name: name.map(cut) }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.index, Quoted(self.name.as_deref()))
    }
}

impl Place {
    /// What stands before the kind.
    pub(super) fn before(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.member {
            Some((member, head)) => write!(f, "member {member} of composite {head}: "),
            None => Ok(()),
        }
    }

    /// What stands behind it.
    pub(super) fn after(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(other) = &self.other {
            write!(f, " (tensor {other})")?;
        }
        match &self.index {
            Some(index) => write!(f, ", at index {index:?}"),
            None => Ok(()),
        }
    }
}

impl Error {
    /// Adds a tensor that has no name yet, by its place in the order of arrival, unless one is
    /// known already.
    #[must_use]
    pub fn in_nameless_tensor(mut self, index: u64) -> Self {
        self.0.tensor.get_or_insert(index);
        self
    }

    /// Adds the place of the tensor in its composite, and the composite's head by index and name,
    /// unless one is known already.
    #[must_use]
    pub fn in_member(mut self, member: u64, head: u64, name: Option<&str>) -> Self {
        self.place().member.get_or_insert_with(|| (member, Named::new(head, name)));
        self
    }

    /// Gives the head that a member is named by its name, where that was not known.
    #[must_use]
    pub(crate) fn naming_head(mut self, head: u64, name: &str) -> Self {
        if let Some(place) = &mut self.0.composite
            && let Some((_, named)) = &mut place.member
            && named.index == head
            && named.name.is_none()
        {
            *named = Named::new(head, Some(name));
        }
        self
    }

    /// Adds the tensor of the other member that the kind speaks of, by index and name.
    #[must_use]
    pub fn beside(mut self, index: u64, name: Option<&str>) -> Self {
        self.place().other = Some(Named::new(index, name));
        self
    }

    /// Adds the index in the index space of the head. It has at most 64 numbers.
    #[must_use]
    pub fn at_index(mut self, index: &[u64]) -> Self {
        self.place().index = Some(Box::from(index));
        self
    }

    fn place(&mut self) -> &mut Place {
        self.0.composite.get_or_insert_default()
    }

    /// The place of the tensor in its composite.
    pub fn member(&self) -> Option<u64> {
        let place = self.0.composite.as_deref()?;
        place.member.as_ref().map(|&(member, _)| member)
    }

    /// The head of the composite that the tensor is a member of, by index.
    pub fn head(&self) -> Option<u64> {
        let place = self.0.composite.as_deref()?;
        place.member.as_ref().map(|(_, head)| head.index)
    }

    /// The index in the index space of the head.
    pub fn index(&self) -> Option<&[u64]> {
        self.0.composite.as_deref()?.index.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::super::ErrorKind;
    use super::*;

    #[test]
    fn members_heads_and_indices() {
        let error = Error::new(ErrorKind::MembersOverlap { member: 3 })
            .in_tensor(9, "w.5")
            .in_member(5, 4, Some("w"))
            .in_member(6, 1, None)
            .beside(7, Some("w.3"))
            .at_index(&[3, 6]);
        assert_eq!(
            error.to_string(),
            "tensor 9 \"w.5\": member 5 of composite 4 \"w\": overlaps member 3 (tensor 7 \"w.3\"), \
             at index [3, 6]"
        );
        assert_eq!((error.member(), error.head()), (Some(5), Some(4)));
        assert_eq!(error.index(), Some(&[3, 6][..]));

        let kind = ErrorKind::MismatchIn { what: "shape", dimension: 1, found: 4, expected: 5 };
        let error = Error::new(kind).in_nameless_tensor(2).in_member(1, 0, None);
        assert_eq!(
            error.to_string(),
            "tensor 2: member 1 of composite 0: shape in dimension 1 is 4, must be 5"
        );
        assert_eq!(Error::new(kind).member(), None);
    }
}
