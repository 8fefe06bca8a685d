//! A unit vector in one byte a dimension: what the store keeps and what exact scoring reads.

use super::VectorError;
use super::kernel;
use crate::index::vectors::VectorIndex;

/// The largest magnitude of a component; −128 is never used, so that negating a code is exact.
const MAX_LEVEL: i8 = 127;

/// The first byte of a stored code; another layout takes another number.
const FORMAT_VERSION: u8 = 1;

/// A vector's direction, quantised to int8.
///
/// `codes × scale` has unit length by construction, so equal codes have cosine 1. The scale follows
/// from the codes and is therefore not stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Code {
    scale: f32,
    codes: Box<[i8]>,
}

impl Code {
    /// Quantises a vector's direction; its length does not matter.
    ///
    /// # Errors
    ///
    /// Refuses an empty or over-long vector, a component that is not finite, and the zero vector.
    pub fn quantize(vector: &[f32]) -> Result<Self, VectorError> {
        check_length(vector.len())?;
        if let Some(position) = vector.iter().position(|value| !value.is_finite()) {
            return Err(VectorError::NotFinite { position });
        }
        let largest = vector
            .iter()
            .fold(0.0_f32, |most, value| most.max(value.abs()));
        if largest == 0.0 {
            return Err(VectorError::Zero);
        }
        // In f64, because the reciprocal of a subnormal f32 is infinite.
        let step = f64::from(MAX_LEVEL) / f64::from(largest);
        let codes = vector
            .iter()
            .map(|&value| level(f64::from(value) * step))
            .collect();
        Self::from_levels(codes)
    }

    /// The stored form: a version byte, then one byte a dimension.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let levels = self.codes.iter().map(|&value| value.cast_unsigned());
        std::iter::once(FORMAT_VERSION).chain(levels).collect()
    }

    /// Reads the stored form.
    ///
    /// # Errors
    ///
    /// Refuses bytes of another version and bytes that no code can have.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, VectorError> {
        let Some((&version, levels)) = bytes.split_first() else {
            return Err(VectorError::Damaged { reason: "no bytes" });
        };
        if version != FORMAT_VERSION {
            return Err(VectorError::Damaged {
                reason: "unknown version",
            });
        }
        let codes: Box<[i8]> = levels.iter().map(|byte| byte.cast_signed()).collect();
        if codes.contains(&i8::MIN) {
            return Err(VectorError::Damaged {
                reason: "a level below -127",
            });
        }
        Self::from_levels(codes)
    }

    /// The cosine of the two directions, −1 to 1; 0 when the dimensions differ, as nothing is
    /// shared then.
    #[must_use]
    pub fn cosine(&self, other: &Self) -> f32 {
        if self.dimensions() != other.dimensions() {
            return 0.0;
        }
        let mut dot = [0];
        kernel::dot_rows(&self.widened(), &other.codes, &mut dot);
        cosine(dot[0], self.scale, other.scale)
    }

    /// How many components the vector has.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.codes.len()
    }

    /// The unit vector that the code stands for.
    #[must_use]
    pub fn decode(&self) -> Vec<f32> {
        self.codes
            .iter()
            .map(|&level| f32::from(level) * self.scale)
            .collect()
    }

    pub(super) fn scale(&self) -> f32 {
        self.scale
    }

    pub(super) fn levels(&self) -> &[i8] {
        &self.codes
    }

    /// The levels as the dot kernels want a query.
    pub(super) fn widened(&self) -> Vec<i16> {
        self.codes.iter().map(|&level| i16::from(level)).collect()
    }

    /// Takes levels that the index already holds, with the scale that they had.
    pub(super) fn from_parts(scale: f32, levels: &[i8]) -> Self {
        Self {
            scale,
            codes: levels.into(),
        }
    }

    fn from_levels(codes: Box<[i8]>) -> Result<Self, VectorError> {
        check_length(codes.len())?;
        let square: i32 = codes.iter().map(|&level| i32::from(level).pow(2)).sum();
        if square == 0 {
            return Err(VectorError::Zero);
        }
        Ok(Self {
            scale: unit_scale(square),
            codes,
        })
    }
}

/// The one place where a dot product becomes a cosine, so that every path gives the same bits.
#[expect(
    clippy::cast_precision_loss,
    reason = "cosines carry fewer digits than an f32 has"
)]
pub(super) fn cosine(dot: i32, one: f32, other: f32) -> f32 {
    (dot as f32 * (one * other)).clamp(-1.0, 1.0)
}

fn check_length(dimensions: usize) -> Result<(), VectorError> {
    if (1..=VectorIndex::DIMENSIONS_MAX).contains(&dimensions) {
        Ok(())
    } else {
        Err(VectorError::Length { dimensions })
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "at most MAX_LEVEL by the choice of step"
)]
fn level(value: f64) -> i8 {
    value.round() as i8
}

#[expect(clippy::cast_possible_truncation, reason = "between 1 / 2^14 and 1")]
fn unit_scale(square: i32) -> f32 {
    f64::from(square).sqrt().recip() as f32
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail by panic")]

    use proptest::prelude::*;

    use super::*;

    fn vector() -> impl Strategy<Value = Vec<f32>> {
        let exponent = -30_i32..30;
        (prop::collection::vec(-1.0_f32..1.0, 1..200), exponent)
            .prop_map(|(vector, exponent)| {
                vector
                    .into_iter()
                    .map(|value| value * 2.0_f32.powi(exponent))
                    .collect()
            })
            .prop_filter("has a direction", |vector: &Vec<f32>| {
                vector.iter().any(|value| value.abs() > 1e-12)
            })
    }

    fn unit(vector: &[f32]) -> Vec<f64> {
        let length = vector
            .iter()
            .map(|&value| f64::from(value).powi(2))
            .sum::<f64>()
            .sqrt();
        vector
            .iter()
            .map(|&value| f64::from(value) / length)
            .collect()
    }

    proptest! {
        #[test]
        fn decoding_is_within_a_level_of_the_unit_vector(vector in vector()) {
            let code = Code::quantize(&vector).unwrap();
            let decoded = code.decode();
            let length = decoded.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>();
            prop_assert!((length - 1.0).abs() < 1e-5);
            // Half a level for rounding, and at most as much for the length that rounding changed.
            let bound = f64::from(code.scale) * (0.5 + 0.5 * f64::from(u16::try_from(vector.len()).unwrap()).sqrt());
            for (&decoded, exact) in decoded.iter().zip(unit(&vector)) {
                prop_assert!((f64::from(decoded) - exact).abs() <= bound + 1e-6);
            }
        }

        #[test]
        fn bytes_give_the_code_back(vector in vector()) {
            let code = Code::quantize(&vector).unwrap();
            prop_assert_eq!(Code::from_bytes(&code.to_bytes()).unwrap(), code);
        }

        #[test]
        fn the_cosine_is_symmetric_and_one_with_itself(one in prop::collection::vec(-1.0_f32..1.0, 64), other in prop::collection::vec(-1.0_f32..1.0, 64)) {
            let (one_code, other_code) = (Code::quantize(&one).unwrap(), Code::quantize(&other).unwrap());
            prop_assert_eq!(one_code.cosine(&other_code).to_bits(), other_code.cosine(&one_code).to_bits());
            prop_assert!((one_code.cosine(&one_code) - 1.0).abs() < 1e-6);
            let exact: f64 = unit(&one).iter().zip(unit(&other)).map(|(a, b)| a * b).sum();
            prop_assert!((f64::from(one_code.cosine(&other_code)) - exact).abs() < 0.02);
        }

        #[test]
        fn any_bytes_are_a_code_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            if let Ok(code) = Code::from_bytes(&bytes) {
                prop_assert_eq!(code.to_bytes(), bytes);
            }
        }
    }

    #[test]
    fn what_has_no_direction_is_refused() {
        assert_eq!(
            Code::quantize(&[]),
            Err(VectorError::Length { dimensions: 0 })
        );
        let dimensions = VectorIndex::DIMENSIONS_MAX + 1;
        assert_eq!(
            Code::quantize(&vec![1.0; dimensions]),
            Err(VectorError::Length { dimensions })
        );
        assert_eq!(Code::quantize(&[0.0, -0.0]), Err(VectorError::Zero));
        for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert_eq!(
                Code::quantize(&[1.0, odd]),
                Err(VectorError::NotFinite { position: 1 })
            );
        }
    }

    #[test]
    fn extreme_lengths_keep_their_direction() {
        let expected = Code::quantize(&[1.0, -1.0, 0.0]).unwrap();
        for length in [f32::MIN_POSITIVE / 8.0, f32::from_bits(1), f32::MAX] {
            assert_eq!(Code::quantize(&[length, -length, 0.0]).unwrap(), expected);
        }
    }

    #[test]
    fn bytes_that_no_code_has_are_refused() {
        for bytes in [&[][..], &[FORMAT_VERSION + 1, 5], &[FORMAT_VERSION, 0x80]] {
            assert!(matches!(
                Code::from_bytes(bytes),
                Err(VectorError::Damaged { .. })
            ));
        }
        assert_eq!(
            Code::from_bytes(&[FORMAT_VERSION]),
            Err(VectorError::Length { dimensions: 0 })
        );
        assert_eq!(
            Code::from_bytes(&[FORMAT_VERSION, 0]),
            Err(VectorError::Zero)
        );
    }

    #[test]
    fn the_stored_form_stays_as_it_is() {
        let code = Code::quantize(&[1.0, -0.5, 0.0]).unwrap();
        assert_eq!(code.to_bytes(), [1, 127, 0xc0, 0]);
    }

    #[test]
    fn codes_of_two_dimensions_share_nothing() {
        let one = Code::quantize(&[1.0]).unwrap();
        assert!(one.cosine(&Code::quantize(&[1.0, 0.0]).unwrap()).abs() < f32::EPSILON);
    }
}
