//! Particles: the update against a plain reference, equal bits, statuses, refused plans, starts.

#[path = "langevin/reference.rs"]
mod reference;

#[path = "langevin/bits.rs"]
mod bits;
#[path = "langevin/noise.rs"]
mod noise;
#[path = "langevin/refused.rs"]
mod refused;
#[path = "langevin/step.rs"]
mod step;
