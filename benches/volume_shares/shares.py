#!/usr/bin/env python3
"""The cost of V and of exact signs in a contact volume, relative to S and G in plain floats.

Decides how much time `MeshMesh` may spend on them. Four copies of the sources (complete, without V, without
exact signs, without both) are linked into one program, which times them in turn on the same poses. The memory
layout of a copy matters as much as the measured effect. So the program is linked repeatedly with its functions
in another order each time (the linker LLD), and at another stack position. The output is the median over all
layouts, and the quartiles.

    benches/volume_shares/shares.py [--layouts 41] [--work DIR] [--build-only | --run-only]
"""

import argparse
import os
import pathlib
import statistics
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
KERNEL = "src/narrow/contact_volume/"
# Removed parts: file, original text (occurs once), text in the copy.
VOLUME = [
    (KERNEL + "mesh_mesh.rs", "let face = |body: usize| self.bodies[body].face(segment.faces[body] as usize);",
     "if true { continue; } let face = |body: usize| self.bodies[body].face(segment.faces[body] as usize);"),
    (KERNEL + "mesh_mesh.rs", "let mut uncrossed = self.add_shells(views);",
     "let mut uncrossed = if self.segments.is_empty() { self.add_shells(views) } else { None };"),
    (KERNEL + "mesh_mesh.rs", "(0..2).for_each(|i| self.add_inside", "(0..0).for_each(|i| self.add_inside"),
    (KERNEL + "sums.rs", "let kind = if volume > 0.0 {", "let kind = if true {"),
]
EXACT = [
    (KERNEL + "face.rs", "let doubt = self.rounding * (self.size + other.size) + FACE_SIDE_UNDERFLOW;", "let doubt = 0.0;"),
    (KERNEL + "face.rs", "if (p.abs() > doubt) & (q.abs() > doubt) & (r.abs() > doubt) {", "if true {"),
    (KERNEL + "face.rs", "if side.abs() > self.rounding * size + FACE_SIDE_UNDERFLOW {", "if true {"),
    (KERNEL + "face.rs", "if side.abs() > doubt {", "if true {"),
    (KERNEL + "face.rs", "is_flat: is_small && first_of_cross([a, b], [a, c]) == 0.0,", "is_flat: false,"),
    (KERNEL + "face.rs", "            rounding,", "            rounding: 0.0,"),
    (KERNEL + "face.rs", "size: sides.element_sum(),", "size: 0.0,"),
    (KERNEL + "crossing.rs", "if near.abs() > f64::MIN_POSITIVE {", "if true {"),
]
VARIANTS = {"whole": [], "no_volume": VOLUME, "plain": EXACT, "neither": VOLUME + EXACT}


def copy(variant, edits, target):
    """Writes the sources with edits; unchanged files keep their modification times."""
    texts = {str(p.relative_to(ROOT)): p.read_text() for p in (ROOT / "src").rglob("*.rs")}
    texts["Cargo.toml"] = (ROOT / "Cargo.toml").read_text().split("[dev-dependencies]")[0]
    texts["Cargo.toml"] = texts["Cargo.toml"].replace('name = "osculate"', f'name = "{variant}"')
    for file, old, new in edits:
        assert texts[file].count(old) == 1, (file, old)
        texts[file] = texts[file].replace(old, new)
    for file, text in texts.items():
        write(target / file, text)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def build(work, layouts):
    for variant, edits in VARIANTS.items():
        copy(variant, edits, work / variant)
    lines = [f'{variant} = {{ path = "{variant}" }}' for variant in VARIANTS]
    manifest = '[package]\nname = "shares"\nedition = "2024"\n[workspace]\n[dependencies]\ncpu-time = "1"\n'
    write(work / "Cargo.toml", manifest + "\n".join(lines) + "\n")
    write(work / "src/main.rs", (HERE / "timing.rs").read_text())
    program = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", work / "target")) / "release/shares"
    for seed in range(layouts):
        link = f"link-arg=-Wl,--shuffle-sections=.text*={seed + 1}"
        command = ["cargo", "rustc", "--release", "--quiet", "--", "-C", link]
        environment = os.environ | {"RUSTFLAGS": "-A warnings"}
        subprocess.run(command, cwd=work, env=environment, check=True)
        (work / f"shares{seed}").write_bytes(program.read_bytes())
        (work / f"shares{seed}").chmod(0o755)


def run(work, layouts):
    """Returns the shares of V and of exact signs, by shape and layout."""
    shares, times = {}, {}
    for seed in range(layouts):
        environment = os.environ | {"PADDING": "x" * (seed * 1237 % 4096)}
        out = subprocess.run([work / f"shares{seed}"], env=environment, capture_output=True, text=True, check=True)
        for line in out.stdout.splitlines():
            shape, *numbers = line.split(",")
            whole, no_volume, plain, neither = map(float, numbers)
            volume = 0.5 * (whole - no_volume + plain - neither) / neither
            exact = 0.5 * (whole - plain + no_volume - neither) / neither
            shares.setdefault(shape, []).append((100 * volume, 100 * exact))
            times.setdefault(shape, []).append(whole)
    print(f"{layouts} layouts: V, exact signs, % of S and G by plain floats (quartiles); whole, us a pair")
    for shape, found in shares.items():
        columns = [statistics.quantiles(column, n=4) for column in zip(*found)]
        text = "   ".join(f"{b:5.1f} ({a:5.1f} .. {c:5.1f})" for a, b, c in columns)
        print(f"{shape:12} {text}   {statistics.median(times[shape]):7.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--layouts", type=int, default=41)
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "target/volume_shares")
    parser.add_argument("--build-only", action="store_true")
    parser.add_argument("--run-only", action="store_true")
    args = parser.parse_args()
    if not args.run_only:
        build(args.work, args.layouts)
    if not args.build_only:
        run(args.work, args.layouts)
