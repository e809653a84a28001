//! `hrry`: converts, lists and checks `.hrry` tensor files.

fn main() {}
