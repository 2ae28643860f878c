#!/usr/bin/env bash
# Decides whether the crate costs more to build than to write: clean release builds with all dependencies, each in a folder
# of its own. Prints the processor and wall time of this crate, of a program of spheres, and of one with parry's balls.
#
# benches/build-cost.sh [RUNS]
set -euo pipefail
crate=$(cd "$(dirname "$0")/.." && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export CARGO_INCREMENTAL=0

# package NAME DEPENDENCY: a program; the source comes on standard input.
package() {
  mkdir -p "$out/$1/src"
  printf '[package]\nname = "%s"\nedition = "2024"\n[dependencies]\n%s\n[workspace]\n' "$1" "$2" >"$out/$1/Cargo.toml"
  cat >"$out/$1/src/$3"
  cargo fetch -q --manifest-path "$out/$1/Cargo.toml"
}
package library "osculate = { path = \"$crate\" }" lib.rs </dev/null
package spheres "osculate = { path = \"$crate\" }" main.rs < <(sed -n '/^```rust/,/^```/p' "$crate/README.md" | grep -v '^```')
package parry-balls 'parry3d-f64 = "0.31"' main.rs <<'R'
use parry3d_f64::{math::{Pose, Vector}, query::contact, shape::Ball};

fn main() {
    let pose = Pose::from_translation(Vector::new(1.75, 0.0, 0.0));
    println!("{:?}", contact(&Pose::IDENTITY, &Ball::new(1.0), &pose, &Ball::new(1.0), 0.0));
}
R

echo '| clean release build | processor, s | wall, s |'
echo '|---|---|---|'
TIMEFORMAT='%U %S %R'
for run in $(seq "${1:-1}"); do
  for name in library spheres parry-balls; do
    rm -rf "$out/target"
    { time cargo build -q --release --manifest-path "$out/$name/Cargo.toml" --target-dir "$out/target" 2>"$out/log"; } 2>"$out/time" ||
      { cat "$out/log"; exit 1; }
    awk -v name="$name" '{ printf "| %s | %.0f | %.0f |\n", name, $1 + $2, $3 }' "$out/time"
  done
done
