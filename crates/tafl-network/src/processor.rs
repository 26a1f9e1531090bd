//! What Linux says of the processor.

/// The processor, as `/proc/cpuinfo` describes its first core; all is unknown elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Processor {
    pub(crate) name: Option<String>,
    vendor: String,
    /// Separated by spaces.
    instructions: String,
}

impl Processor {
    /// Reads what this machine's processor is.
    pub(crate) fn read() -> Self {
        Self::parse(&std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default())
    }

    fn parse(cpuinfo: &str) -> Self {
        let value = |key: &str| {
            let named = |line: &str| {
                let (name, value) = line.split_once(':')?;
                (name.trim_end() == key).then(|| value.trim().to_owned())
            };
            cpuinfo.lines().find_map(named)
        };
        Self {
            name: value("model name"),
            vendor: value("vendor_id").unwrap_or_default(),
            instructions: value("flags").unwrap_or_default(),
        }
    }

    /// Returns whether it has the instructions that Linux calls so.
    pub(crate) fn has(&self, instructions: &str) -> bool {
        let mut own = self.instructions.split_whitespace();
        own.any(|own| own == instructions)
    }

    /// Returns whether it convolves 8-bit integers faster than f32: with AVX2 and what came after it.
    ///
    /// Measured with networks of 4 to 10 blocks: with instructions that add products in 32 bits (AVX-512 VNNI) 2 to 4 times
    /// as fast as f32, and 1.7 to 2 times as bf16 on AMD's; with AVX2 alone (Zen 3), in 16 bits, 2.1 times as f32.
    pub(crate) fn is_fast_in_int8(&self) -> bool {
        self.has("avx2")
    }

    /// Returns whether networks are computed faster in bf16 than in f32.
    ///
    /// Measured with networks of 2 to 10 blocks in batches of 64: with AMX bf16 is 5 times as fast as
    /// f32; with AVX-512 bf16 alone 1.9 times on AMD's (Zen 4; training 1.6 times), but 0.56 times on
    /// Intel's; without either it is slower still, or fails.
    pub(crate) fn is_faster_in_bf16(&self) -> bool {
        let by_avx = self.vendor == "AuthenticAMD" && self.has("avx512_bf16");
        self.has("amx_bf16") || by_avx
    }
}

#[cfg(test)]
mod tests {
    use super::Processor;

    fn processor(vendor: &str, flags: &str) -> Processor {
        Processor::parse(&format!(
            "processor\t: 0\nvendor_id\t: {vendor}\nmodel\t\t: 17\nmodel name\t: A Name: 2\n\
             flags\t\t: fpu {flags}\nvmx flags\t: amx_bf16\n\nprocessor\t: 1\nmodel name\t: Other\n"
        ))
    }

    #[test]
    fn the_first_core_is_read() {
        let read = processor("AuthenticAMD", "avx2 avx512f");
        assert_eq!(read.name.as_deref(), Some("A Name: 2"));
        assert!(read.has("avx2") && read.has("avx512f"));
        assert!(!read.has("avx") && !read.has("amx_bf16"));
    }

    #[test]
    fn the_instructions_decide_whether_bf16_is_faster_and_int8_fast() {
        for (vendor, flags, faster, fast) in [
            ("GenuineIntel", "avx2 avx512_bf16 amx_bf16", true, true),
            ("AuthenticAMD", "avx2 avx512_bf16", true, true),
            ("GenuineIntel", "avx2 avx512_bf16", false, true),
            ("AuthenticAMD", "avx avx2", false, true),
            ("GenuineIntel", "sse4_2 avx", false, false),
        ] {
            let read = processor(vendor, flags);
            assert_eq!(read.is_faster_in_bf16(), faster, "{vendor} {flags}");
            assert_eq!(read.is_fast_in_int8(), fast, "{vendor} {flags}");
        }
    }

    #[test]
    fn an_unknown_processor_computes_in_f32() {
        for text in ["", "processor : 0\nFeatures : fp asimd bf16\n", ":::\n\n"] {
            let read = Processor::parse(text);
            assert_eq!(read, Processor::default(), "{text:?}");
            assert!(!read.is_faster_in_bf16() && !read.is_fast_in_int8());
        }
    }
}
