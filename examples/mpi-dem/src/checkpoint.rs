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
    /// What was simulated.
    case: String,
    step: u64,
    /// Length and hash of each file.
    files: Vec<(u64, u64)>,
}

/// FNV-1a, 64 bits.
pub fn hash(bytes: &[u8]) -> u64 {
    let mix = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

fn write_through(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    Ok(file.sync_all()?)
}

/// A folder with the checkpoints of one run.
pub struct Store<'a> {
    pub team: &'a Team<'a>,
    pub folder: &'a Path,
    /// What is simulated: a checkpoint of another case is refused.
    pub case: String,
}

impl Store<'_> {
    /// Writes the records of all ranks. `fails` is for the test of a rank that dies in the middle.
    pub fn write<T: Serialize>(&self, step: u64, records: &[T], fails: bool) -> Result<()> {
        let folder = self.files(step);
        fs::create_dir_all(&folder)?;
        let (path, bytes) = (
            folder.join(self.team.rank.to_string()),
            postcard::to_stdvec(records)?,
        );
        if fails {
            write_through(&path, &bytes[..bytes.len() / 2])?;
            return Err("fails as it was told to".into());
        }
        write_through(&path, &bytes)?;
        File::open(&folder)?.sync_all()?;
        // All files are whole when rank 0 has heard of them.
        let file = (self.team.rank, bytes.len() as u64, hash(&bytes));
        let mut files = self.team.gather(vec![file])?;
        if self.team.rank == 0 {
            files.sort_unstable();
            let files = files.into_iter().map(|(_, length, hash)| (length, hash));
            self.publish(step, files.collect())?;
        }
        Ok(())
    }

    /// Replaces the index, then removes the files of the index before.
    fn publish(&self, step: u64, files: Vec<(u64, u64)>) -> Result<()> {
        let before = self.exists().then(|| self.index()).transpose()?;
        let case = self.case.clone();
        let index = postcard::to_stdvec(&Index { case, step, files })?;
        let [unfinished, path] = ["checkpoint.new", INDEX].map(|name| self.folder.join(name));
        write_through(&unfinished, &index)?;
        fs::rename(unfinished, path)?;
        File::open(self.folder)?.sync_all()?;
        match before {
            Some(before) if before.step != step => Ok(fs::remove_dir_all(self.files(before.step))?),
            _ => Ok(()),
        }
    }

    /// Returns the step and the records of this rank's share of the files.
    pub fn read<T: DeserializeOwned>(&self) -> Result<(u64, Vec<T>)> {
        let index = self.index()?;
        let mut records = Vec::new();
        let files = index.files.iter().enumerate();
        for (rank, &(length, expected)) in files.skip(self.team.rank).step_by(self.team.size) {
            let path = self.files(index.step).join(rank.to_string());
            let bytes = fs::read(&path)?;
            if bytes.len() as u64 != length || hash(&bytes) != expected {
                return Err(format!("{}: not the file that was written", path.display()).into());
            }
            records.extend(postcard::from_bytes::<Vec<T>>(&bytes)?);
        }
        Ok((index.step, records))
    }

    /// Returns whether there is a checkpoint.
    pub fn exists(&self) -> bool {
        self.folder.join(INDEX).exists()
    }

    fn index(&self) -> Result<Index> {
        let path = self.folder.join(INDEX);
        let of_path = |error: String| format!("{}: {error}", path.display());
        let bytes = fs::read(&path).map_err(|error| of_path(error.to_string()))?;
        let index: Index =
            postcard::from_bytes(&bytes).map_err(|error| of_path(error.to_string()))?;
        if index.case == self.case {
            Ok(index)
        } else {
            Err(of_path(format!(
                "a checkpoint of {}, not of {}",
                index.case, self.case
            ))
            .into())
        }
    }

    fn files(&self, step: u64) -> PathBuf {
        self.folder.join(format!("step-{step}"))
    }
}
