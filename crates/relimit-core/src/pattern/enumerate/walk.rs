//! The search for no-broken-circuit sets: depth first, one row more at each level, smaller and smaller indices.

use std::sync::Arc;

use super::block::{Block, OWN};
use crate::pattern::space::Space;
use crate::pattern::vertex::cell_of;

pub(super) struct Walker {
    space: Arc<Space>,
    stack: Vec<Vec<u32>>,
}

impl Walker {
    pub(super) fn new(space: Arc<Space>) -> Self {
        Self { space, stack: vec![vec![]] }
    }

    pub(super) fn next_block(&mut self, block: &mut Block) -> bool {
        while let Some(set) = self.stack.pop() {
            if self.space.n() == 0 {
                block.clear(&[]);
                block.push(OWN);
                return true;
            }
            let Some(signs) = cell_of(&self.space, &set) else { continue };
            if set.len() + 1 < self.space.rank {
                for j in 1..*set.last().unwrap_or(&(self.space.n() as u32)) {
                    let mut next = set.clone();
                    next.push(j);
                    self.stack.push(next);
                }
            }
            block.clear(&set);
            block.push(OWN).copy_from_slice(&signs);
            block.finish();
            return true;
        }
        false
    }

    pub(super) fn fallbacks(&self) -> u64 {
        0
    }

    pub(super) fn lines(&self) -> u64 {
        0
    }
}
