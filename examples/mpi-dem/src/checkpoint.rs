//! Checkpoints: a file for each rank, and an index that makes them count.
//!
//! The index is written last, under another name, and renamed when all files are on the disk. So the index that is
//! there names whole files only, whenever a rank dies. Any number of ranks can read them.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::exchange::{Result, Team};

const INDEX: &str = "checkpoint";

/// What the index says.
#[derive(Serialize, Deserialize)]
struct Index {
    step: u64,
    /// Length and hash of each file.
    files: Vec<(u64, u64)>,
}

/// FNV-1a, 64 bits.
pub fn hash(bytes: &[u8]) -> u64 {
    let mix = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

fn file(folder: &Path, step: u64, rank: usize) -> PathBuf {
    folder.join(format!("step-{step}")).join(format!("{rank}"))
}

fn write_through(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    Ok(file.sync_all()?)
}

/// Writes the records of all ranks. `fails` is for the test of a rank that dies in the middle.
pub fn write<T: Serialize>(
    team: &Team,
    folder: &Path,
    step: u64,
    records: &[T],
    fails: bool,
) -> Result<()> {
    let path = file(folder, step, team.rank);
    fs::create_dir_all(path.parent().unwrap_or(folder))?;
    let bytes = postcard::to_stdvec(records)?;
    if fails {
        write_through(&path, &bytes[..bytes.len() / 2])?;
        return Err("fails as it was told to".into());
    }
    write_through(&path, &bytes)?;
    // All files are whole when rank 0 has heard of them.
    let mut files = team.gather(vec![(team.rank, bytes.len() as u64, hash(&bytes))])?;
    if team.rank == 0 {
        files.sort_unstable();
        let files = files.into_iter().map(|(_, length, hash)| (length, hash));
        let before = read_index(folder).ok().map(|index| index.step);
        let index = Index {
            step,
            files: files.collect(),
        };
        let unfinished = folder.join(INDEX).with_extension("new");
        write_through(&unfinished, &postcard::to_stdvec(&index)?)?;
        fs::rename(unfinished, folder.join(INDEX))?;
        // The rename itself must reach the disk before the old files go.
        File::open(folder)?.sync_all()?;
        if let Some(before) = before.filter(|&before| before != step) {
            fs::remove_dir_all(folder.join(format!("step-{before}")))?;
        }
    }
    Ok(())
}

fn read_index(folder: &Path) -> Result<Index> {
    Ok(postcard::from_bytes(&fs::read(folder.join(INDEX))?)?)
}

/// Returns the step and the records of this rank's share of the files.
pub fn read<T: DeserializeOwned>(team: &Team, folder: &Path) -> Result<(u64, Vec<T>)> {
    let within = |error| format!("{}: {error}", folder.display());
    let index = read_index(folder).map_err(within)?;
    let mut records = Vec::new();
    let files = index
        .files
        .iter()
        .enumerate()
        .skip(team.rank)
        .step_by(team.size);
    for (rank, &(length, expected)) in files {
        let path = file(folder, index.step, rank);
        let bytes = fs::read(&path)?;
        if bytes.len() as u64 != length || hash(&bytes) != expected {
            return Err(format!("{}: not the file that was written", path.display()).into());
        }
        records.extend(postcard::from_bytes::<Vec<T>>(&bytes)?);
    }
    Ok((index.step, records))
}
