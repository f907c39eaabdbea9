//! Certificates: what is claimed, and the bound behind it.
