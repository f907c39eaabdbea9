//! The theorem ledger: its rule, every verdict that each entry can give, and the document that lists them.

mod case;
mod collapse;
mod coverage;
mod doc;
mod high_dimension;
mod knots;
mod networks;
mod orthogonal;
mod ours;
mod rule;
mod runs;
mod single_neuron;
