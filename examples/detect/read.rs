//! Reads walls (STL, OBJ) and spheres (CSV). Messages about invalid files name the line or the
//! facet.

use std::{borrow::Cow, fs, io::Cursor, path::Path};

use osculate::Sphere;
use osculate::glam::DVec3;
use osculate::shape::weld;

/// The facets of a wall as in the file, neither welded nor validated.
#[derive(Debug, Default)]
pub(crate) struct RawMesh {
    /// The corners of each facet.
    pub facets: Vec<Vec<DVec3>>,
    /// The line of each facet in an OBJ; empty for an STL.
    pub lines: Vec<usize>,
}

impl RawMesh {
    /// A message about a facet, to be appended to the path and a colon.
    pub(crate) fn fault(&self, facet: usize, what: impl std::fmt::Display) -> String {
        match self.lines.get(facet) {
            Some(line) => format!("{line}: {what}"),
            None => format!(" facet {}: {what}", facet + 1),
        }
    }
}

/// Reads a mesh from `.stl` (binary or ASCII) or `.obj`; the extension may be in upper case.
pub(crate) fn mesh(path: &Path) -> Result<RawMesh, String> {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let parse = match extension.to_ascii_lowercase().as_str() {
        "stl" => stl,
        "obj" => obj,
        _ => |_| Err(" a mesh is read from .stl or .obj".to_owned()),
    };
    let parse = |bytes| {
        let mesh = parse(bytes)?;
        if mesh.facets.is_empty() {
            return Err(" no facet in this file".to_owned());
        }
        for (facet, corners) in mesh.facets.iter().enumerate() {
            if corners.len() < 3 {
                return Err(mesh.fault(facet, "a facet has 3 corners or more"));
            }
            // The libraries accept NaN and infinity as numbers; `weld` refuses them.
            weld(corners).map_err(|error| mesh.fault(facet, error))?;
        }
        Ok(mesh)
    };
    parsed(path, parse)
}

/// Reads spheres from a CSV file, with or without the header `x,y,z,r`.
pub(crate) fn spheres(path: &Path) -> Result<Vec<Sphere<DVec3>>, String> {
    parsed(path, csv)
}

/// Reads a file; messages start with its path.
fn parsed<T>(path: &Path, parse: impl Fn(Vec<u8>) -> Result<T, String>) -> Result<T, String> {
    let contents = fs::read(path).map_err(|error| format!(" {error}"));
    let parsed = contents.and_then(parse);
    parsed.map_err(|fault| format!("{}:{fault:.200}", path.display()))
}

/// Decodes text without a byte order mark; names and comments may be in an older encoding.
fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes))
}

fn first_word(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

/// Reads an STL. The length identifies a binary file, because many headers start with `solid` too.
fn stl(mut bytes: Vec<u8>) -> Result<RawMesh, String> {
    let count = bytes.get(80..84).and_then(<[u8]>::first_chunk);
    let count = count.map_or(0, |count| u32::from_le_bytes(*count));
    let (expected, found) = (84 + 50 * u64::from(count), bytes.len() as u64);
    if found == expected {
        // A header that `stl_io` cannot mistake for text.
        bytes[..80].fill(0);
    } else if bytes.contains(&0) {
        // Text has no zero byte; a count below 2^24 has one.
        return Err(format!(
            " a binary STL of {count} facets has {expected} bytes, this file has {found}"
        ));
    } else {
        bytes = one_solid(&decoded(&bytes)).into_bytes();
    }
    let mut file = Cursor::new(bytes);
    let triangles = stl_io::create_stl_reader(&mut file).map_err(|error| format!(" {error}"))?;
    let mut mesh = RawMesh::default();
    for triangle in triangles {
        let triangle = triangle.map_err(|error| mesh.fault(mesh.facets.len(), error))?;
        let corner = |vertex: stl_io::Vertex| DVec3::from(vertex.0.map(f64::from));
        mesh.facets.push(triangle.vertices.map(corner).to_vec());
    }
    Ok(mesh)
}

/// Joins all solids of an ASCII STL, in lower case: `stl_io` stops at the first `endsolid`.
fn one_solid(text: &str) -> String {
    let text = text.to_ascii_lowercase();
    let mut solid = "solid \n".to_owned();
    let mut last = "";
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        last = first_word(line);
        match last {
            "solid" | "endsolid" => continue,
            // The normal is not used; on a facet without area it may be NaN.
            "facet" => solid += "facet normal 0 0 0",
            _ => solid += line,
        }
        solid.push('\n');
    }
    // Without its last line the file is truncated.
    if last == "endsolid" {
        solid += last;
    }
    solid
}

/// Reads an OBJ. A weight divides the coordinates of its vertex.
fn obj(bytes: Vec<u8>) -> Result<RawMesh, String> {
    let text = decoded(&bytes);
    // `tobj` would read a polyline of three vertices as a facet, and a comment as a number.
    let statement = |line| match first_word(line) {
        "v" | "f" => line.split('#').next().unwrap_or_default(),
        _ => "",
    };
    let statements: Vec<&str> = text.lines().map(statement).collect();
    let load = |count: usize| {
        let text = statements[..count].join("\n");
        let no_materials = |_: &Path| Ok(Default::default());
        tobj::load_obj_buf(&mut text.as_bytes(), &Default::default(), no_materials)
    };
    let (models, _) = load(statements.len()).map_err(|error| {
        // `tobj` does not name the line: it is the first line with which reading fails.
        let counts: Vec<usize> = (1..=statements.len()).collect();
        let line = 1 + counts.partition_point(|&count| load(count).is_ok());
        format!("{line}: {error}: {:?}", statements[line - 1])
    })?;
    let lines = (1..).zip(&statements);
    let lines = lines.filter(|(_, line)| first_word(line) == "f");
    let mut mesh = RawMesh {
        lines: lines.map(|(line, _)| line).collect(),
        ..RawMesh::default()
    };
    // Without groups there is one model; if it has triangles only, it has no counts.
    let model = &models[0].mesh;
    let corners = model.positions.as_chunks::<3>().0;
    let mut ids = model.indices.iter();
    for facet in 0..mesh.lines.len() {
        let count = model.face_arities.get(facet).copied().unwrap_or(3);
        let ids = ids.by_ref().take(count as usize);
        let facet = ids.map(|&id| corners[id as usize].into());
        mesh.facets.push(facet.collect());
    }
    Ok(mesh)
}

fn csv(bytes: Vec<u8>) -> Result<Vec<Sphere<DVec3>>, String> {
    let text = decoded(&bytes);
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .quoting(false)
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut record = csv::StringRecord::new();
    let mut spheres = Vec::new();
    let mut is_first = true;
    while reader
        .read_record(&mut record)
        .map_err(|error| format!(" {error}"))?
    {
        let is_header = is_first && record.iter().all(|field| field.parse::<f64>().is_err());
        let fault = if is_header {
            check_header(&record).err()
        } else {
            let sphere = sphere(&record, spheres.len());
            sphere.map(|sphere| spheres.push(sphere)).err()
        };
        if let Some(fault) = fault {
            // The record's own position is that of a comment or an empty line before it.
            let end = reader.position().byte() as usize;
            let line = text[..end].trim_end().lines().count();
            return Err(format!("{line}: {fault}"));
        }
        is_first = false;
    }
    Ok(spheres)
}

/// Refuses columns in another order, or diameters.
fn check_header(names: &csv::StringRecord) -> Result<(), String> {
    let names: Vec<String> = names
        .iter()
        .map(|name| name.trim_matches('"').to_ascii_lowercase())
        .collect();
    match names.join(",").as_str() {
        "x,y,z,r" | "x,y,z,radius" => Ok(()),
        names => Err(format!("the columns are x,y,z,r, not {names:?}")),
    }
}

fn sphere(record: &csv::StringRecord, index: usize) -> Result<Sphere<DVec3>, String> {
    let number = |field: &str| {
        field
            .parse()
            .map_err(|_| format!("not a number: {field:?}"))
    };
    let fields: Vec<f64> = record.iter().map(number).collect::<Result<_, _>>()?;
    let [x, y, z, r] = fields[..] else {
        let count = fields.len();
        return Err(format!("a sphere has the 4 fields x,y,z,r, not {count}"));
    };
    let sphere = Sphere::new(DVec3::new(x, y, z), r);
    // NaN, infinity, a negative radius.
    sphere.validate(index).map_err(|error| error.to_string())?;
    Ok(sphere)
}

#[cfg(test)]
mod tests;
