//! Geomys.
