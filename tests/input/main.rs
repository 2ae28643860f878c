//! Invalid input, and inputs at a limit that decides.

#[path = "../support/mod.rs"]
mod support;

mod bodies;
mod degenerate;
mod infallible;
mod limits;
mod numbers;
mod shapes;
mod table;

/// A function that refuses invalid input, by its name.
type Function<Input> = (&'static str, fn(Input) -> Result<(), osculate::Error>);

/// Drops the value of a function.
fn of<T>(result: Result<T, osculate::Error>) -> Result<(), osculate::Error> {
    result.map(drop)
}
