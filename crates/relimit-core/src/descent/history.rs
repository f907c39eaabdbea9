//! What a run did to each example, in O(m n) memory however many masks change.

use super::{Event, Initial, Move, Observer, Problem};
use crate::net::mask;
use crate::num::Mat;

/// Which pairs were ever active, and when each example last changed: an observer to be given to the run.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    n: usize,
    /// Ever active, m x n row-major.
    active: Vec<bool>,
    /// Step or time of the last event on the example, 0 if none.
    last: Vec<f64>,
}

impl History {
    /// The history of a run that is about to start.
    pub fn new(problem: &Problem, start: &Initial) -> Self {
        assert_eq!(
            (start.z.rows(), start.z.cols()),
            (problem.m(), problem.n()),
            "start {}x{} for {} neurons and {} examples",
            start.z.rows(),
            start.z.cols(),
            problem.m(),
            problem.n()
        );
        let active = start.z.as_slice().iter().map(|z| mask(*z, problem.at_zero())).collect();
        Self { n: problem.n(), active, last: vec![0.0; problem.n()] }
    }

    /// Whether the neuron was active on the example at any time, the start included.
    pub fn ever_active(&self, neuron: usize, example: usize) -> bool {
        self.active[neuron * self.n + example]
    }

    /// Step or time of the last change of any mask on the example (0: as at the start).
    pub fn last_change(&self, example: usize) -> f64 {
        self.last[example]
    }
}

impl Observer for History {
    fn event(&mut self, e: &Event) {
        let (j, i) = (e.neuron as usize, e.example as usize);
        self.active[j * self.n + i] |= e.to == Move::On;
        self.last[i] = self.last[i].max(e.at);
    }
}

/// Two observers of one run: both see every event, each its own samples.
impl<A: Observer, B: Observer> Observer for (&mut A, &mut B) {
    fn event(&mut self, event: &Event) {
        self.0.event(event);
        self.1.event(event);
    }

    fn next_sample(&self) -> f64 {
        self.0.next_sample().min(self.1.next_sample())
    }

    fn sample(&mut self, at: f64, z: &Mat) {
        if self.0.next_sample() <= at {
            self.0.sample(at, z);
        }
        if self.1.next_sample() <= at {
            self.1.sample(at, z);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descent::EventLog;

    #[derive(Default)]
    struct Every(f64, Vec<f64>);
    impl Observer for Every {
        fn next_sample(&self) -> f64 {
            self.0 * (1.0 + self.1.len() as f64)
        }
        fn sample(&mut self, at: f64, _: &Mat) {
            self.1.push(at);
        }
    }

    #[test]
    fn events_are_summed_up_and_samples_go_to_their_owner() {
        let p = Problem::new(Mat::from_rows(&[[1.0, 0.0], [0.0, 1.0]]), vec![1.0, 2.0], vec![1.0, -1.0], false);
        let start = Initial {
            alpha: Mat::zeros(2, 2),
            z: Mat::from_rows(&[[1.0, -1.0], [-1.0, 0.0]]),
            offset: Mat::zeros(2, 2),
        };
        let (mut h, mut log) = (History::new(&p, &start), EventLog::with_cap(1));
        let event = |at, neuron, example, to| Event { at, neuron, example, to };
        let mut both = (&mut h, &mut log);
        both.event(&event(3.0, 1, 0, Move::On));
        both.event(&event(5.0, 0, 0, Move::Off));
        both.event(&event(4.5, 1, 1, Move::Slide));
        assert_eq!((log.events.len(), log.dropped), (1, 2));
        let ever: Vec<bool> = [(0, 0), (0, 1), (1, 0), (1, 1)].iter().map(|&(j, i)| h.ever_active(j, i)).collect();
        assert_eq!(ever, [true, false, true, false]);
        assert_eq!((h.last_change(0), h.last_change(1)), (5.0, 4.5));

        let (mut two, mut three) = (Every(2.0, vec![]), Every(3.0, vec![]));
        let mut both = (&mut two, &mut three);
        while both.next_sample() < 7.0 {
            let at = both.next_sample();
            both.sample(at, &Mat::zeros(0, 0));
        }
        assert_eq!((two.1, three.1), (vec![2.0, 4.0, 6.0], vec![3.0, 6.0]));
    }
}
