//! The inverse of the standard normal distribution function, with the same bits on every machine.
#![allow(
    clippy::excessive_precision,
    clippy::unreadable_literal,
    reason = "coefficients and quantiles with the digits of their source"
)]

/// Highest power first.
type Poly = [f64; 8];

const CENTRE_NUM: Poly = [
    2.509_080_928_730_122_672_7e3,
    3.343_057_558_358_812_810_5e4,
    6.726_577_092_700_870_085_3e4,
    4.592_195_393_154_987_145_7e4,
    1.373_169_376_550_946_112_5e4,
    1.971_590_950_306_551_442_7e3,
    1.331_416_678_917_843_774_5e2,
    3.387_132_872_796_366_608_0e0,
];
const CENTRE_DEN: Poly = [
    5.226_495_278_852_854_561_0e3,
    2.872_908_573_572_194_267_4e4,
    3.930_789_580_009_271_061_0e4,
    2.121_379_430_158_659_586_7e4,
    5.394_196_021_424_751_107_7e3,
    6.871_870_074_920_579_083_0e2,
    4.231_333_070_160_091_125_2e1,
    1.0,
];
const MIDDLE_NUM: Poly = [
    7.745_450_142_783_414_076_40e-4,
    2.272_384_498_926_918_458_33e-2,
    2.417_807_251_774_506_117_70e-1,
    1.270_458_252_452_368_382_58e0,
    3.647_848_324_763_204_605_04e0,
    5.769_497_221_460_691_405_50e0,
    4.630_337_846_156_545_295_90e0,
    1.423_437_110_749_683_577_34e0,
];
const MIDDLE_DEN: Poly = [
    1.050_750_071_644_416_843_24e-9,
    5.475_938_084_995_344_946_00e-4,
    1.519_866_656_361_645_719_66e-2,
    1.481_039_764_274_800_745_90e-1,
    6.897_673_349_851_000_045_50e-1,
    1.676_384_830_183_803_849_40e0,
    2.053_191_626_637_758_821_87e0,
    1.0,
];
const TAIL_NUM: Poly = [
    2.010_334_399_292_288_132_65e-7,
    2.711_555_568_743_487_578_15e-5,
    1.242_660_947_388_078_438_60e-3,
    2.653_218_952_657_612_309_30e-2,
    2.965_605_718_285_048_912_30e-1,
    1.784_826_539_917_291_335_80e0,
    5.463_784_911_164_114_369_90e0,
    6.657_904_643_501_103_777_20e0,
];
const TAIL_DEN: Poly = [
    2.044_263_103_389_939_785_64e-15,
    1.421_511_758_316_445_888_70e-7,
    1.846_318_317_510_054_681_80e-5,
    7.868_691_311_456_132_591_00e-4,
    1.487_536_129_085_061_485_25e-2,
    1.369_298_809_227_358_053_10e-1,
    5.998_322_065_558_879_376_90e-1,
    1.0,
];

#[inline]
fn ratio(num: &Poly, den: &Poly, t: f64) -> f64 {
    let horner = |c: &Poly| c[1..].iter().fold(c[0], |s, a| s * t + a);
    horner(num) / horner(den)
}

/// `x` with `Phi(x) = p` for p in (0, 1), to a relative error of a few 2^-53.
///
/// Rational approximations of Wichura, algorithm AS 241 (PPND16), Applied Statistics 37 (1988), 477-484. Odd about
/// p = 1/2 to the bit. The value at p <= 0 is minus infinity, at p >= 1 infinity, at NaN NaN.
#[inline]
pub fn normal_quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        return q * ratio(&CENTRE_NUM, &CENTRE_DEN, 0.180625 - q * q);
    }
    tail(p, q)
}

#[cold]
fn tail(p: f64, q: f64) -> f64 {
    if p.is_nan() {
        return p;
    }
    let side = if q < 0.0 { p } else { 1.0 - p };
    if side <= 0.0 {
        return f64::INFINITY.copysign(q);
    }
    let t = libm::sqrt(-libm::log(side));
    let x = if t <= 5.0 { ratio(&MIDDLE_NUM, &MIDDLE_DEN, t - 1.6) } else { ratio(&TAIL_NUM, &TAIL_DEN, t - 5.0) };
    x.copysign(q)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quantiles of the f64 on the left, by Newton on the Taylor series of Phi with 90 digits.
    const TABLE: [(f64, f64); 11] = [
        (0.975, 1.959963984540053856e+0),
        (0.95, 1.644853626951472284e+0),
        (0.75, 6.744897501960817432e-1),
        (0.6, 2.533471031357997413e-1),
        (0.9, 1.281551565544600593e+0),
        (0.999, 3.090232306167813278e+0),
        (0.001, -3.090232306167813535e+0),
        (1e-06, -4.753424308822898957e+0),
        (1e-11, -6.706023155495136296e+0),
        (1e-12, -7.034483825301131933e+0),
        (1.1102230246251565e-16, -8.209536151601386856e+0),
    ];

    #[test]
    fn known_quantiles() {
        for (p, x) in TABLE {
            let got = normal_quantile(p);
            assert!((got / x - 1.0).abs() < 1e-14, "p={p:e}: {got} and {x}");
        }
        assert_eq!(normal_quantile(0.5), 0.0);
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(normal_quantile(1.0), f64::INFINITY);
        assert!(normal_quantile(f64::NAN).is_nan());
    }

    /// `Phi(x) = erfc(-x / sqrt 2) / 2` returns p: relative error of x from the residual over x phi(x).
    #[test]
    fn inverts_erfc() {
        for k in 1..4000 {
            let p = if k % 2 == 0 { 0.5 * 0.98f64.powi(k) } else { f64::from(k) / 8000.0 };
            let x = normal_quantile(p);
            assert_eq!(normal_quantile(1.0 - (1.0 - p)).to_bits(), (-normal_quantile(1.0 - p)).to_bits());
            let phi = (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt();
            let error = (0.5 * libm::erfc(-x / std::f64::consts::SQRT_2) - p) / phi;
            // the argument of erfc and exp carries x^2 2^-53 relative error into p
            assert!(error.abs() < 2e-15 * (1.0 + x.abs()), "p={p:e} x={x} error {error:e}");
        }
    }
}
