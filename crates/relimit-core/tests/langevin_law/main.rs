//! Particles against the exact law and the exact optimum: noiseless ends, stationary laws, annealing, noise.

mod common;

mod exact;

mod anneal;
mod noise;
mod noiseless;
mod one_neuron;
mod orthogonal;
mod starts;
mod stationary;
