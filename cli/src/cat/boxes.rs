//! Boxes in pieces that fit memory.

/// Takes a box apart into boxes of at most `most` elements, one after another in row-major order.
pub(super) fn pieces<E>(
    lower: &[u64],
    extent: &[u64],
    most: u64,
    mut visit: impl FnMut(&[u64], &[u64]) -> Result<(), E>,
) -> Result<(), E> {
    if extent.contains(&0) {
        return Ok(());
    }
    // Dimensions from `whole` on fit; the one before is cut.
    let (mut whole, mut inner) = (extent.len(), 1_u64);
    while let Some(&size) = whole.checked_sub(1).and_then(|k| extent.get(k)) {
        match inner.saturating_mul(size) {
            product if size <= most && product <= most => (whole, inner) = (whole - 1, product),
            _ => break,
        }
    }
    let mut at: Vec<u64> = lower.to_vec();
    let mut now: Vec<u64> = extent.to_vec();
    let Some(cut) = whole.checked_sub(1) else { return visit(&at, &now) };
    let step = (most / inner).max(1);
    now[..cut].fill(1);
    loop {
        let end = lower[cut] + extent[cut];
        now[cut] = step.min(end - at[cut]);
        visit(&at, &now)?;
        at[cut] += now[cut];
        let mut k = cut;
        while at[k] == lower[k] + extent[k] {
            at[k] = lower[k];
            match k.checked_sub(1) {
                Some(outer) => k = outer,
                None => return Ok(()),
            }
            at[k] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_once_and_in_order() {
        for (lower, extent) in [
            (&[][..], &[][..]),
            (&[3], &[10]),
            (&[1, 2, 3], &[2, 3, 5]),
            (&[0, 5, 0, 1], &[3, 1, 2, 4]),
            (&[0, 0], &[4, 0]),
        ] {
            let total: u64 = extent.iter().product();
            for most in 1..=40 {
                let mut next = 0;
                pieces(lower, extent, most, |at, now| {
                    assert!(now.iter().product::<u64>() <= most, "{now:?} {most}");
                    let bounds = at.iter().zip(lower).zip(extent);
                    let first = bounds.fold(0, |sum, ((x, low), size)| sum * size + x - low);
                    assert_eq!(first, next);
                    // One after another: behind the first that is not 1 all are whole.
                    let long = now.iter().position(|&n| n != 1).unwrap_or(now.len());
                    assert!(now.iter().zip(extent).skip(long + 1).all(|(n, size)| n == size));
                    next += now.iter().product::<u64>();
                    Ok::<(), ()>(())
                })
                .unwrap();
                assert_eq!(next, total);
            }
        }
    }

    #[test]
    fn sizes_beyond_64_bits() {
        let first = pieces(&[0, 0], &[1 << 62, 4], 1 << 16, |_, now| Err(now.to_vec()));
        assert_eq!(first, Err(vec![1 << 14, 4]));
        let mut seen = 0;
        let result = pieces(&[0, 0], &[1 << 40, 1 << 40], 1 << 16, |_, now| {
            assert_eq!(now, [1, 1 << 16]);
            seen += 1;
            if seen < 5 { Ok(()) } else { Err(()) }
        });
        assert_eq!((result, seen), (Err(()), 5));
    }
}
