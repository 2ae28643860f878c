//! Reads walls (STL, OBJ) and spheres (CSV), and says of a bad file in one line what is wrong and where.

use std::{borrow::Cow, error::Error, fmt, fs, path::Path};

/// The facets of a wall as the file has them: neither welded nor checked for shape.
#[derive(Debug, Default)]
pub(crate) struct RawMesh {
    pub vertices: Vec<[f64; 3]>,
    /// Corners of each facet, as indices into `vertices`; from an STL, three fresh ones per triangle.
    pub facets: Vec<Vec<u32>>,
    /// The line of each vertex; from a binary STL, the number of its triangle. Both count from 1.
    pub vertex_lines: Vec<usize>,
    /// The same of each facet.
    pub facet_lines: Vec<usize>,
    /// Whether what is called a line is the number of a triangle.
    pub is_binary: bool,
}

/// Spheres `[x, y, z, r]` and the line of each.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct RawSpheres {
    pub spheres: Vec<[f64; 4]>,
    pub lines: Vec<usize>,
}

/// What is wrong with a file: `path:line: what is wrong: "value"`.
#[derive(Debug)]
pub(crate) struct BadFile(String);

impl fmt::Display for BadFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for BadFile {}

/// What is wrong and where, written to follow the path, which the parsers do not know.
struct Fault(String);

impl Fault {
    fn file(what: &str) -> Self {
        Self(format!(": {what}"))
    }

    fn line(line: usize, what: &str) -> Self {
        Self(format!(":{line}: {what}"))
    }

    fn of(self, path: &Path) -> BadFile {
        BadFile(format!("{}{}", path.display(), self.0))
    }
}

/// The mesh in a file whose extension is `.stl` (binary or ASCII) or `.obj`, in any case.
pub(crate) fn mesh(path: &Path) -> Result<RawMesh, BadFile> {
    check_is_file(path)?;
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let parse = match extension.to_ascii_lowercase().as_str() {
        "stl" => stl,
        "obj" => obj,
        _ => {
            let what = quoted("a mesh is read from .stl or .obj, not from", &extension);
            return Err(Fault::file(&what).of(path));
        }
    };
    let bytes = read(path)?;
    let mesh = parse(&bytes).map_err(|fault| fault.of(path))?;
    if mesh.facets.is_empty() {
        return Err(Fault::file("no facet in this file").of(path));
    }
    Ok(mesh)
}

/// The spheres in a CSV file, with or without the header `x,y,z,r`.
pub(crate) fn spheres(path: &Path) -> Result<RawSpheres, BadFile> {
    let bytes = read(path)?;
    csv(&bytes).map_err(|fault| fault.of(path))
}

/// A folder's own message: reading one fails in different words on each system.
fn check_is_file(path: &Path) -> Result<(), BadFile> {
    if path.is_dir() {
        return Err(Fault::file("this is a folder, not a file").of(path));
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>, BadFile> {
    check_is_file(path)?;
    fs::read(path).map_err(|error| Fault::file(&error.to_string()).of(path))
}

/// Lossy, because a comment or a name in some older encoding does no harm.
fn decode(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes))
}

/// A value after what is wrong with it: escaped and cut, so that a message stays one line.
fn quoted(what: &str, value: &str) -> String {
    const MOST: usize = 60;
    let cut = value.chars().take(MOST).collect::<String>();
    let rest = if cut.len() < value.len() { "..." } else { "" };
    format!("{what}: {cut:?}{rest}")
}

fn number(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value: &f64| value.is_finite());
    value.ok_or_else(|| quoted("not a finite number", text))
}

fn without_comment(line: &str) -> &str {
    line.split_once('#').map_or(line, |(text, _)| text).trim()
}

/// The length decides: the headers of many binary files start with `solid` too.
fn stl(bytes: &[u8]) -> Result<RawMesh, Fault> {
    let count = bytes.get(80..).and_then(<[u8]>::first_chunk);
    let count = count.map_or(0, |count| u32::from_le_bytes(*count));
    let (expected, found) = (84 + 50 * u64::from(count), bytes.len() as u64);
    if found == expected {
        binary_stl(&bytes[84..])
    } else if bytes.contains(&0) {
        // No text has a zero byte; a binary file has one in its count, unless that is above 16 million.
        let what = format!(
            "a binary STL of {count} triangles has {expected} bytes, this file has {found}"
        );
        Err(Fault::file(&what))
    } else {
        ascii_stl(&decode(bytes))
    }
}

/// Records of 50 bytes: normal, three vertices, two bytes of attributes.
fn binary_stl(records: &[u8]) -> Result<RawMesh, Fault> {
    let mut vertices = Vec::with_capacity(records.len() / 50 * 3);
    for (number, record) in (1_usize..).zip(records.as_chunks::<50>().0) {
        let words = record[12..48].as_chunks::<4>().0;
        for vertex in words.as_chunks::<3>().0 {
            let vertex = vertex.map(|word| f64::from(f32::from_le_bytes(word)));
            if let Some(bad) = vertex.iter().find(|x| !x.is_finite()) {
                let what = quoted("not a finite number", &bad.to_string());
                return Err(Fault(format!(": triangle {number}: {what}")));
            }
            vertices.push(vertex);
        }
    }
    let triangles = 1..=records.len() / 50;
    let mut mesh = soup(
        vertices,
        triangles.clone().flat_map(|t| [t; 3]).collect(),
        triangles.collect(),
    )?;
    mesh.is_binary = true;
    Ok(mesh)
}

/// Line by line and not word by word: the name of a solid may be anything, even a keyword.
fn ascii_stl(text: &str) -> Result<RawMesh, Fault> {
    let (mut vertices, mut vertex_lines, mut lines) = (Vec::new(), Vec::new(), Vec::new());
    let mut expected = "solid";
    for (line, text) in (1..).zip(text.lines()) {
        let mut words = text.split_ascii_whitespace();
        let Some(keyword) = words.next() else {
            continue;
        };
        let fault = |what: String| Fault::line(line, &what);
        expected = match (expected, keyword.to_ascii_lowercase().as_str()) {
            ("solid", "solid") => "facet or endsolid",
            ("facet or endsolid", "facet") => {
                lines.push(line);
                "outer loop"
            }
            ("outer loop", "outer") => "vertex or endloop",
            ("vertex or endloop", "vertex") => {
                let vertex = words.map(number).collect::<Result<Vec<_>, _>>();
                let [x, y, z] = vertex.map_err(fault)?[..] else {
                    return Err(fault(quoted("a vertex has 3 coordinates", text.trim())));
                };
                vertices.push([x, y, z]);
                vertex_lines.push(line);
                "vertex or endloop"
            }
            ("vertex or endloop", "endloop") if vertices.len() == 3 * lines.len() => "endfacet",
            ("vertex or endloop", "endloop") => {
                let count = 3 + vertices.len() - 3 * lines.len();
                let what = format!("a triangle has 3 vertices, the one that ends here has {count}");
                return Err(fault(what));
            }
            ("endfacet", "endfacet") => "facet or endsolid",
            ("facet or endsolid", "endsolid") => "solid",
            _ => return Err(fault(quoted(&format!("expected {expected}"), text.trim()))),
        };
    }
    if expected != "solid" {
        let what = format!("the file ends where {expected} is expected");
        return Err(Fault::line(text.lines().count(), &what));
    }
    soup(vertices, vertex_lines, lines)
}

/// Facets with three vertices of their own each.
fn soup(
    vertices: Vec<[f64; 3]>,
    vertex_lines: Vec<usize>,
    facet_lines: Vec<usize>,
) -> Result<RawMesh, Fault> {
    let Ok(vertex_count) = u32::try_from(vertices.len()) else {
        return Err(Fault::file("more vertices than u32 can count"));
    };
    let facets = (0..vertex_count).step_by(3);
    Ok(RawMesh {
        facets: facets.map(|v| vec![v, v + 1, v + 2]).collect(),
        vertices,
        vertex_lines,
        facet_lines,
        is_binary: false,
    })
}

fn obj(bytes: &[u8]) -> Result<RawMesh, Fault> {
    let mut mesh = RawMesh::default();
    let text = decode(bytes);
    let mut lines = (1..).zip(text.lines());
    while let Some((line, text)) = lines.next() {
        // Comments go first: one that ends in a backslash must not swallow the next line.
        let mut statement = Cow::from(without_comment(text));
        while let Some(head) = statement.strip_suffix('\\') {
            let tail = lines.next().map_or("", |(_, text)| without_comment(text));
            statement = format!("{head} {tail}").trim_end().to_owned().into();
        }
        let fault = |what: String| Fault::line(line, &what);
        let mut words = statement.split_ascii_whitespace();
        match words.next() {
            Some("v") => {
                let numbers = words.map(number).collect::<Result<Vec<_>, _>>();
                // After the coordinates a weight, a colour or both, none of which moves the vertex.
                let ([x, y, z] | [x, y, z, _] | [x, y, z, _, _, _] | [x, y, z, _, _, _, _]) =
                    numbers.map_err(fault)?[..]
                else {
                    let what = "a vertex has 3 coordinates, then a weight or a colour";
                    return Err(fault(quoted(what, &statement)));
                };
                mesh.vertices.push([x, y, z]);
                mesh.vertex_lines.push(line);
            }
            Some("f") => {
                let corners = words.map(|word| corner(word, mesh.vertices.len()));
                let corners = corners.collect::<Result<Vec<_>, _>>().map_err(fault)?;
                if corners.len() < 3 {
                    return Err(fault(quoted("a facet has 3 corners or more", &statement)));
                }
                mesh.facets.push(corners);
                mesh.facet_lines.push(line);
            }
            _ => {}
        }
    }
    // Only now, because a facet may come before its vertices.
    for (facet, &line) in mesh.facets.iter().zip(&mesh.facet_lines) {
        if let Some(bad) = facet.iter().find(|&&v| v as usize >= mesh.vertices.len()) {
            let what = quoted("no such vertex", &(u64::from(*bad) + 1).to_string());
            return Err(Fault::line(line, &what));
        }
    }
    Ok(mesh)
}

/// The vertex of `i`, `i/t`, `i//n` or `i/t/n`; `i` counts from 1, or from -1 back from the latest vertex.
fn corner(word: &str, vertex_count: usize) -> Result<u32, String> {
    let index = word.split_once('/').map_or(word, |(index, _)| index);
    let vertex = match index.parse::<i64>() {
        Err(_) => return Err(quoted("not a vertex index", word)),
        Ok(0) => return Err(quoted("vertices count from 1", word)),
        Ok(index @ 1..) => index - 1,
        Ok(index) => vertex_count as i64 + index,
    };
    u32::try_from(vertex).map_err(|_| quoted("no such vertex", word))
}

fn csv(bytes: &[u8]) -> Result<RawSpheres, Fault> {
    let text = decode(bytes);
    let lines = (1..).zip(text.lines().map(without_comment));
    let mut lines = lines.filter(|(_, text)| !text.is_empty()).peekable();
    if let Some((line, header)) = lines.next_if(|(_, text)| is_header(text)) {
        // Another order, or diameters, would be misread in silence.
        let names = header.replace(['"', ' ', '\t'], "").to_ascii_lowercase();
        if !["x,y,z,r", "x,y,z,radius"].contains(&names.as_str()) {
            let what = quoted("the columns are x,y,z,r, not", header);
            return Err(Fault::line(line, &what));
        }
    }
    let mut raw = RawSpheres::default();
    for (line, text) in lines {
        raw.spheres
            .push(sphere(text).map_err(|what| Fault::line(line, &what))?);
        raw.lines.push(line);
    }
    Ok(raw)
}

fn is_header(text: &str) -> bool {
    let mut fields = text.split(',');
    fields.all(|field| field.trim().parse::<f64>().is_err())
}

fn sphere(text: &str) -> Result<[f64; 4], String> {
    let fields = text.split(',').map(str::trim).collect::<Vec<_>>();
    let [x, y, z, r] = fields[..] else {
        let what = format!("a sphere has the 4 fields x,y,z,r, not {}", fields.len());
        return Err(quoted(&what, text));
    };
    let sphere = [number(x)?, number(y)?, number(z)?, number(r)?];
    if sphere[3] < 0.0 {
        return Err(quoted("negative radius", r));
    }
    Ok(sphere)
}

#[cfg(test)]
mod tests;
