pub(crate) const WORKER: &str = "train";
