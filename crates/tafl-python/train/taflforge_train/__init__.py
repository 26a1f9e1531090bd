"""The program of `taflforge` with libtorch, in `bin`; the command `tafl` is it where this package is installed."""
