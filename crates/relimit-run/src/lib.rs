//! Files and machines: readers, writers, the clock.
