//! The regularised optimum against unique minimisers, closed forms, an interior-point solver and theorems.

#[path = "../common/mod.rs"]
mod common;

mod conic;
mod descriptions;
mod golden;
mod group;
mod modes;
mod rays;
mod real;
mod support;
mod trace;
mod vector;
