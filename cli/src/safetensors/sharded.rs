//! Models in several files, joined by a `model.safetensors.index.json`.
//!
//! The index says which file holds which tensor, and every file must hold what was promised.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::{Component, Path};

use serde::Deserialize;
use serde_json::Value;

use super::header::Object;
use super::{Model, Part, merge, open_file};
use crate::escape::quoted;
use crate::failure::{Failure, Result};

/// No index is longer: it has one short line for a tensor.
const LONGEST: u64 = 100_000_000;

#[derive(Deserialize)]
struct Index {
    #[serde(default)]
    metadata: Object<Value>,
    weight_map: Object<String>,
}

/// Opens the index at `path` and every file that it names.
pub(super) fn open(path: &Path) -> Result<Model> {
    let index = read(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));

    // By name, which is how the files of a model are numbered.
    let mut promised: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (tensor, file) in &index.weight_map.0 {
        promised.entry(file).or_default().push(tensor);
    }
    for file in promised.keys() {
        check_name(file)
            .map_err(|what| Failure::invalid(path, format_args!("{} {what}", quoted(file))))?;
    }

    let mut metadata = described(&index);
    let mut parts = Vec::with_capacity(promised.len());
    for file in promised.keys() {
        let place = folder.join(file);
        if !place.try_exists().map_err(|error| Failure::io(&place, &error))? {
            let what = format!("names {}, which is missing", quoted(file));
            return Err(Failure::invalid(path, what));
        }
        let (part, of_part) = Part::open(&place)?;
        merge(&mut metadata, of_part, &place)?;
        parts.push(part);
    }

    let listed = index.weight_map.0.len();
    hold_together(path, &promised, &parts)?;
    let mut model = Model { metadata, parts, index: Some(path.to_owned()), unlisted: 0 };
    model.unlisted = model.tensor_count() - listed;
    Ok(model)
}

fn read(path: &Path) -> Result<Index> {
    let (file, size) = open_file(path)?;
    if size > LONGEST {
        let what = format!("an index of {size} bytes, {LONGEST} is the most");
        return Err(Failure::invalid(path, what));
    }
    let mut text = Vec::new();
    file.take(LONGEST).read_to_end(&mut text).map_err(|error| Failure::io(path, &error))?;
    serde_json::from_slice(&text)
        .map_err(|error| Failure::invalid(path, format_args!("not a valid index: {error}")))
}

/// A file of a model lies beside its index or below: never elsewhere, whoever wrote the index.
/// What the file itself is, a link into a cache for one, is its owner's business.
fn check_name(name: &str) -> Result<(), &'static str> {
    let plain = |part| matches!(part, Component::Normal(_));
    if name.is_empty() || name.ends_with('/') || name.contains('\0') {
        Err("is not the name of a file")
    } else if !Path::new(name).components().all(plain) {
        Err("leaves the folder of the index")
    } else {
        Ok(())
    }
}

/// What the index says about the model. The size of all files together is not kept: it is the
/// safetensors files'.
fn described(index: &Index) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let kept = index.metadata.0.iter().filter(|(key, _)| key != "total_size");
    kept.map(|(key, value)| (key.clone(), text(value))).collect()
}

/// Every tensor is where the index says, and in one file only.
fn hold_together(path: &Path, promised: &BTreeMap<&str, Vec<&str>>, parts: &[Part]) -> Result<()> {
    let mut holders: HashMap<&str, &Part> = HashMap::new();
    for part in parts {
        for tensor in &part.tensors {
            if let Some(other) = holders.insert(&tensor.name, part) {
                let what = format!(
                    "holds tensor {}, and so does {}",
                    quoted(&tensor.name),
                    quoted(&other.path.to_string_lossy())
                );
                return Err(Failure::invalid(&part.path, what));
            }
        }
    }
    for ((file, tensors), part) in promised.iter().zip(parts) {
        for &tensor in tensors {
            let elsewhere = match holders.get(tensor) {
                Some(holder) if std::ptr::eq(*holder, part) => continue,
                Some(holder) => format!("{} does", quoted(&holder.path.to_string_lossy())),
                None => "nor does another".to_owned(),
            };
            let what = format!(
                "promises tensor {} in {}, which does not hold it; {elsewhere}",
                quoted(tensor),
                quoted(file)
            );
            return Err(Failure::invalid(path, what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check_name;

    #[test]
    fn names_stay_in_the_folder() {
        for good in ["a.safetensors", "sub/a.safetensors", "..a", "a..b"] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in ["", "/a", "../a", "a/../b", "./a", ".", "..", "a/", "a\0b"] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }
}
