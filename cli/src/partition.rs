//! Shards of one tensor, found by their names and joined into a partition.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use hurray::descriptor::layout::{Composite, Composition};
use hurray::descriptor::{Builder, Descriptor, Shard};
use regex::Regex;

use crate::convert::Planned;
use crate::escape::quoted;
use crate::failure::{Failure, Result};

/// Says which names are those of shards: it matches whole names, and its one group is the number.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    /// As it was given.
    text: String,
    whole: Regex,
}

/// What stands in a file: a tensor, or a partition with its members in order.
pub(crate) enum Step<'m> {
    Tensor(Planned<'m>),
    Partition { name: String, head: Descriptor, members: Vec<Planned<'m>> },
}

impl Expression {
    /// Reads one from the command line.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        // By itself first: inside of something longer it may mean something else.
        let alone = Regex::new(text).map_err(|error| error.to_string())?;
        match alone.captures_len() - 1 {
            1 => {}
            0 => return Err("has no group: (...) has to hold the number of the shard".into()),
            count => {
                return Err(format!(
                    "has {count} groups, must have one, for the number of the shard; (?:...) only \
                     holds together"
                ));
            }
        }
        // With (?x) it may end in a comment, which goes on to the end of its line.
        let whole = Regex::new(&format!(r"\A(?:{text})\z"))
            .or_else(|_| Regex::new(&format!("\\A(?:{text}\n)\\z")));
        Ok(Self { text: text.to_owned(), whole: whole.map_err(|error| error.to_string())? })
    }

    /// What stands before, in, and behind the group when the whole of `name` is matched.
    fn cut<'n>(&self, name: &'n str) -> Option<[&'n str; 3]> {
        let captures = self.whole.captures(name)?;
        // A group that takes no part in the match has no text.
        let group = captures.get(1).map_or(name.len()..name.len(), |group| group.range());
        Some([&name[..group.start], &name[group.clone()], &name[group.end..]])
    }
}

/// Shards whose names are the same but for the number.
struct Shards {
    before: String,
    after: String,
    axis: Option<usize>,
    /// Numbers, and places in the plan.
    numbered: Vec<(u64, usize)>,
}

/// Joins what the expressions find; each comes with the axis, if that is given. A partition stands
/// where the first of its shards stood.
pub(crate) fn join<'m>(
    plan: Vec<Planned<'m>>,
    expressions: &[(&Expression, Option<usize>)],
    source: &Path,
) -> Result<Vec<Step<'m>>> {
    if expressions.is_empty() {
        return Ok(plan.into_iter().map(Step::Tensor).collect());
    }
    let invalid = |what: String| Failure::invalid(source, what);
    let (mut found, of_place) = find(&plan, expressions).map_err(invalid)?;
    if let Some(k) = (0..expressions.len()).find(|k| !found.iter().any(|(by, _)| by == k)) {
        let what = format!("has no tensor that --partition {:?} matches", expressions[k].0.text);
        return Err(Failure::usage(source, what));
    }
    let mut names: HashSet<String> = plan.iter().map(|p| p.tensor.name.clone()).collect();
    let mut plan: Vec<_> = plan.into_iter().map(Some).collect();
    let mut steps = Vec::new();
    for place in 0..plan.len() {
        match of_place[place] {
            Some(group) => {
                let shards = &mut found[group].1;
                // Taken already, with the first of them.
                if plan[place].is_some() {
                    let numbered = std::mem::take(&mut shards.numbered);
                    steps
                        .push(partition(shards, numbered, &mut plan, &mut names).map_err(invalid)?);
                }
            }
            None => steps.extend(plan[place].take().map(Step::Tensor)),
        }
    }
    Ok(steps)
}

type Found = Vec<(usize, Shards)>;

/// The shards of every tensor, each with the expression that found them; and for each place of the
/// plan whose shard stands there.
fn find(
    plan: &[Planned<'_>],
    expressions: &[(&Expression, Option<usize>)],
) -> Result<(Found, Vec<Option<usize>>), String> {
    let mut found: Found = Vec::new();
    let mut known = HashMap::new();
    let mut of_place = vec![None; plan.len()];
    for (place, planned) in plan.iter().enumerate() {
        let name = planned.tensor.name.as_str();
        for (by, (expression, axis)) in expressions.iter().enumerate() {
            let Some([before, text, after]) = expression.cut(name) else { continue };
            if of_place[place].is_some() {
                return Err(format!("tensor {}: two expressions match it", quoted(name)));
            }
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let number = text.parse().ok().filter(|_| digits).ok_or_else(|| {
                let text = quoted(text);
                format!("tensor {}: {text} is not the number of a shard", quoted(name))
            })?;
            let group = *known.entry((by, before, after)).or_insert_with(|| {
                let (before, after) = (before.to_owned(), after.to_owned());
                found.push((by, Shards { before, after, axis: *axis, numbered: Vec::new() }));
                found.len() - 1
            });
            found[group].1.numbered.push((number, place));
            of_place[place] = Some(group);
        }
    }
    Ok((found, of_place))
}

/// Makes a partition of shards, which are taken out of the plan.
fn partition<'m>(
    shards: &Shards,
    mut numbered: Vec<(u64, usize)>,
    plan: &mut [Option<Planned<'m>>],
    names: &mut HashSet<String>,
) -> Result<Step<'m>, String> {
    numbered.sort_unstable();
    let numbers: Vec<u64> = numbered.iter().map(|&(number, _)| number).collect();
    let mut members: Vec<_> =
        numbered.iter().filter_map(|&(_, place)| plan[place].take()).collect();
    let name = name_of_whole(&shards.before, &shards.after);
    check_numbers(&numbers, &members, &name)?;
    if name.is_empty() {
        return Err(format!("tensor {}: nothing is left to call the whole", shown(&members[0])));
    }
    if !names.insert(name.clone()) {
        let first = shown(&members[0]);
        let name = quoted(&name);
        return Err(format!("the whole of {first} would be called {name}, as another tensor is"));
    }
    if let Some(other) =
        members.iter().find(|m| m.tensor.dtype_name != members[0].tensor.dtype_name)
    {
        let (first, second) = (&members[0].tensor.dtype_name, &other.tensor.dtype_name);
        let (a, b) = (shown(&members[0]), shown(other));
        return Err(format!("shards differ in type: {a} is {first}, {b} is {second}"));
    }
    let axis = axis(&members, shards.axis)?;
    let build = || {
        let mut whole = members[0].tensor.shape.clone();
        if let Some(axis) = axis {
            whole[axis] = sum(&members, axis)?;
        }
        let mut at = vec![0; whole.len()];
        let mut placed = Vec::with_capacity(members.len());
        for member in &members {
            let shape = &member.tensor.shape;
            let mut builder = Builder::new(member.descriptor.element_type(), shape)?;
            placed.push(builder.shard(Shard::new(&whole, &at)?).build()?);
            if let Some(axis) = axis {
                at[axis] += shape[axis];
            }
        }
        let count = u32::try_from(members.len()).unwrap_or(u32::MAX);
        let mut head = Builder::new(members[0].descriptor.element_type(), &whole)?;
        head.layout(Composite::new(Composition::Partition, count)?);
        Ok((head.build()?, placed))
    };
    let (head, placed) =
        build().map_err(|error: hurray::Error| format!("the whole {}: {error}", quoted(&name)))?;
    for (member, descriptor) in members.iter_mut().zip(placed) {
        member.descriptor = descriptor;
    }
    Ok(Step::Partition { name, head, members })
}

/// The size of the whole along an axis.
fn sum(members: &[Planned<'_>], axis: usize) -> hurray::Result<u64> {
    members.iter().try_fold(0, |sum: u64, member| {
        let overflow = hurray::ErrorKind::Overflow { what: "shape" };
        sum.checked_add(member.tensor.shape[axis]).ok_or_else(|| hurray::Error::new(overflow))
    })
}

/// What a name is without the number: of the separators between which that stood one stays, and
/// none at an end.
fn name_of_whole(before: &str, after: &str) -> String {
    const SEPARATORS: [char; 5] = ['.', '_', '-', '/', ':'];
    let at_end = after.is_empty() || after.starts_with(SEPARATORS);
    let before = before.strip_suffix(SEPARATORS).filter(|_| at_end).unwrap_or(before);
    let after = after.strip_prefix(SEPARATORS).filter(|_| before.is_empty()).unwrap_or(after);
    format!("{before}{after}")
}

/// Shards are numbered from 0 or from 1 on, without a gap.
fn check_numbers(numbers: &[u64], members: &[Planned<'_>], name: &str) -> Result<(), String> {
    if let Some(k) = numbers.windows(2).position(|pair| pair[0] == pair[1]) {
        let (a, b) = (shown(&members[k]), shown(&members[k + 1]));
        return Err(format!("{a} and {b} are both shard {} of {}", numbers[k], quoted(name)));
    }
    let first = u64::from(numbers.first() != Some(&0));
    match (first..).zip(numbers).find(|(expected, found)| expected != *found) {
        None => Ok(()),
        Some((missing, _)) => {
            let last = numbers.last().copied().unwrap_or_default();
            Err(format!("shard {missing} of {} is missing: the last is {last}", quoted(name)))
        }
    }
}

/// The dimension along which shards follow each other; none when there is but one and no matter.
fn axis(members: &[Planned<'_>], given: Option<usize>) -> Result<Option<usize>, String> {
    let first = &members[0].tensor.shape;
    let differs = |what: &str, other: &Planned<'_>| {
        let (a, b) = (shown(&members[0]), shown(other));
        Err(format!(
            "shards differ in {what}: {a} is of shape {first:?}, {b} of {:?}",
            other.tensor.shape
        ))
    };
    if let Some(other) = members.iter().find(|member| member.tensor.shape.len() != first.len()) {
        return differs("rank", other);
    }
    if let Some(axis) = given.filter(|&axis| axis >= first.len()) {
        let name = shown(&members[0]);
        return Err(format!("tensor {name} of shape {first:?} has no dimension {axis} for --axis"));
    }
    // The dimensions in which some shard is another than the first, and that shard.
    let differing = |dimension: usize| {
        members.iter().find(|member| member.tensor.shape[dimension] != first[dimension])
    };
    let found: Vec<_> =
        (0..first.len()).filter_map(|d| differing(d).map(|member| (d, member))).collect();
    match (given, &found[..]) {
        (Some(axis), found) => match found.iter().find(|&&(dimension, _)| dimension != axis) {
            None => Ok(Some(axis)),
            Some((dimension, other)) => {
                differs(&format!("dimension {dimension}, which is not the axis {axis}"), other)
            }
        },
        (None, [(axis, _)]) => Ok(Some(*axis)),
        (None, [_, (_, other), ..]) => differs("more than one dimension", other),
        (None, []) if members.len() == 1 => Ok(None),
        (None, []) if first.len() == 1 => Ok(Some(0)),
        (None, []) if first.is_empty() => {
            Err(format!("tensor {} is a scalar, no shard of another", shown(&members[0])))
        }
        (None, []) => Err(format!(
            "shards do not differ: {} and the others are of shape {first:?}; --axis has to say \
             along which dimension they follow each other",
            shown(&members[0])
        )),
    }
}

fn shown(planned: &Planned<'_>) -> String {
    quoted(&planned.tensor.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_wholes() {
        for (before, after, name) in [
            ("w.", "", "w"),
            ("w.rank_", "", "w.rank"),
            ("layers.", ".w", "layers.w"),
            ("mp_rank_", ".w", "mp_rank.w"),
            ("", ".w", "w"),
            ("w.shard", "of4", "w.shardof4"),
            ("w.tp", ".weight", "w.tp.weight"),
            ("w.", "x", "w.x"),
            ("", "", ""),
            (".", "", ""),
            ("权重/", "/é", "权重/é"),
        ] {
            assert_eq!(name_of_whole(before, after), name);
        }
    }

    #[test]
    fn expressions_match_whole_names() {
        let cut = |text: &str, name: &'static str| Expression::parse(text).unwrap().cut(name);
        assert_eq!(cut(r".*\.(\d+)", "a.1.2"), Some(["a.1.", "2", ""]));
        assert_eq!(cut(r"\d(\d)", "123"), None);
        assert_eq!(cut(r"a(1)|ab(?:1)", "ab1"), Some(["ab1", "", ""]));
        // The longer of two ways, where only that is the whole.
        assert_eq!(cut(r"(a|ab)", "ab"), Some(["", "ab", ""]));
        assert_eq!(cut(r"(?m)^w(\d)$", "w1\nw2"), None);
        assert_eq!(cut("(?x) w (\\d) # )", "w1"), Some(["w", "1", ""]));
        assert_eq!(cut("(?x) w (\\d) # )", "w1\n"), None);
        assert_eq!(Expression::parse(r"w\.(\d)").unwrap().text, r"w\.(\d)");
        for (bad, said) in [
            ("w", "has no group"),
            (r"(w)\.(\d)", "has 2 groups"),
            ("(", "regex parse error"),
            ("a)|(b", "regex parse error"),
        ] {
            let error = Expression::parse(bad).unwrap_err();
            assert!(error.starts_with(said), "{error}");
        }
    }
}
