//! Work on a thread of its own, waited for as long as its time allows; what it reaches before its end is not lost.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use relimit_run::clock::Stopwatch;

enum Message<T> {
    Reached(T),
    Ended(T),
}

/// How often a wait looks up.
const POLL: Duration = Duration::from_millis(50);

/// Work that goes on by itself. Dropped, it is left behind: the thread ends with the program.
pub(super) struct Work<T> {
    messages: Receiver<Message<T>>,
    reached: Option<T>,
}

/// How a wait ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Waited<T> {
    /// The work is done.
    Ended(T),
    /// It is not; the last thing that it has reached, if this was not told before.
    Late(Option<T>),
    /// It panicked.
    Broken,
}

impl<T: Send + 'static> Work<T> {
    /// Starts `work`, which may tell what it has reached before it ends.
    pub(super) fn start(work: impl FnOnce(&dyn Fn(T)) -> T + Send + 'static) -> Self {
        let (send, messages) = mpsc::channel();
        thread::spawn(move || {
            // nobody listens any more: the program is about to end
            let end = work(&|reached| drop(send.send(Message::Reached(reached))));
            let _ = send.send(Message::Ended(end));
        });
        Self { messages, reached: None }
    }

    /// Waits for the end, at most so long; `look` is called while it waits.
    pub(super) fn wait(&mut self, patience: Duration, look: impl Fn()) -> Waited<T> {
        let watch = Stopwatch::start();
        loop {
            let left = patience.saturating_sub(Duration::from_secs_f64(watch.seconds()));
            match self.messages.recv_timeout(left.min(POLL)) {
                Ok(Message::Reached(reached)) => self.reached = Some(reached),
                Ok(Message::Ended(end)) => return Waited::Ended(end),
                Err(RecvTimeoutError::Timeout) if left > POLL => look(),
                Err(RecvTimeoutError::Timeout) => return Waited::Late(self.reached.take()),
                Err(RecvTimeoutError::Disconnected) => return Waited::Broken,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_mins(1);

    #[test]
    fn what_is_late_keeps_what_it_reached_and_may_still_end() {
        let (go, gate) = mpsc::channel::<()>();
        let (told, here) = mpsc::channel::<()>();
        let mut work = Work::start(move |reached| {
            reached(1);
            reached(2);
            told.send(()).unwrap();
            gate.recv().unwrap();
            3
        });
        here.recv().unwrap();
        assert_eq!(work.wait(Duration::from_millis(1), || ()), Waited::Late(Some(2)));
        assert_eq!(work.wait(Duration::ZERO, || ()), Waited::Late(None), "told once");
        go.send(()).unwrap();
        assert_eq!(work.wait(LONG, || ()), Waited::Ended(3));
    }

    #[test]
    fn a_wait_looks_up() {
        let (go, gate) = mpsc::channel::<()>();
        let mut work = Work::start(move |_| gate.recv().is_ok());
        assert_eq!(work.wait(LONG, || go.send(()).unwrap_or_default()), Waited::Ended(true));
    }

    #[test]
    fn a_panic_is_not_waited_for() {
        let mut work: Work<u8> = Work::start(|_| std::panic::panic_any("broken on purpose"));
        assert_eq!(work.wait(LONG, || ()), Waited::Broken);
    }
}
