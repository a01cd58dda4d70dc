//! What a path does to packets. No clock: time is an argument.
