//! Recognises a state that recurs: descent that has ended in a cycle of masks.

/// Returns wanted before a cycle is declared; slow drift shows long before.
const RETURNS: u32 = 16;

/// Watches preactivations now and then for a return to a saved state.
pub(crate) struct Recurrence {
    saved: Vec<f64>,
    saved_at: u64,
    next_save: u64,
    amplitude: f64,
    flips: u64,
    returns: u32,
    last_return: u64,
}

impl Recurrence {
    pub(crate) fn new(z: &[f64]) -> Self {
        Self { saved: z.to_vec(), saved_at: 0, next_save: 64, amplitude: 0.0, flips: 0, returns: 0, last_return: 0 }
    }

    /// Notes mask changes since the last look.
    pub(crate) fn flipped(&mut self, count: u64) {
        self.flips += count;
    }

    /// Forgets what it saw (after a leap).
    pub(crate) fn restart(&mut self, z: &[f64], at: u64) {
        self.saved.copy_from_slice(z);
        self.saved_at = at;
        self.next_save = at + 64;
        (self.amplitude, self.flips, self.returns) = (0.0, 0, 0);
    }

    /// Notes how far the state swings between looks (a cycle whose period divides the looks' spacing shows only here).
    pub(crate) fn swing(&mut self, z: &[f64]) {
        let distance = z.iter().zip(&self.saved).fold(0.0f64, |d, (a, b)| d.max((a - b).abs()));
        self.amplitude = self.amplitude.max(distance);
    }

    /// Looks at the state after `at` plain steps. True once it has come back to the saved state within rounding
    /// 16 times, having moved by more than 1e-6 of its size and changed masks in between.
    pub(crate) fn look(&mut self, z: &[f64], at: u64) -> bool {
        let (mut distance, mut size) = (0.0f64, 0.0f64);
        for (a, b) in z.iter().zip(&self.saved) {
            distance = distance.max((a - b).abs());
            size = size.max(a.abs());
        }
        self.amplitude = self.amplitude.max(distance);
        let returned = distance <= 4.0 * f64::EPSILON * size && self.amplitude > 1e-6 * size && self.flips > 0;
        if returned {
            self.returns += 1;
            self.last_return = at;
            return self.returns >= RETURNS;
        }
        let period = if self.returns > 0 { (self.last_return - self.saved_at) / u64::from(self.returns) } else { 0 };
        let missed = self.returns > 0 && at > self.last_return + period;
        if missed || (self.returns == 0 && at >= self.next_save) {
            let gap = (at - self.saved_at).max(32);
            self.restart(z, at);
            self.next_save = at + 2 * gap;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_is_found_and_slow_decay_is_not() {
        for (period, shrink, found) in [(5, 0.0, true), (2, 0.0, true), (16, 0.0, true), (5, 1e-9, false)] {
            let cycle = |k: u64, shrink: f64| vec![((k % period) as f64 + 1.0) * (1.0 - shrink).powi(k as i32), 1.0];
            let mut watch = Recurrence::new(&cycle(0, shrink));
            let mut hit = false;
            for k in 1..200_000 {
                watch.flipped(1);
                if k % 16 == 7 {
                    watch.swing(&cycle(k, shrink));
                }
                if k % 16 == 0 {
                    hit |= watch.look(&cycle(k, shrink), k);
                }
            }
            assert_eq!(hit, found, "shrink {shrink}");
        }
    }
}
