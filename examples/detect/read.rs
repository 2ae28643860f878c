//! Reads walls (STL, OBJ) and spheres (CSV), and says of a bad file in one line what is wrong and where.

use std::{borrow::Cow, error::Error, fmt, fs, path::Path};

/// The facets of a wall as the file has them: neither welded nor checked for shape.
#[derive(Debug, Default)]
pub(crate) struct RawMesh {
    pub vertices: Vec<[f64; 3]>,
    /// Corners of each facet, as indices into `vertices`; from an STL, three fresh ones per triangle.
    pub facets: Vec<Vec<u32>>,
    /// The line at which each facet starts; from a binary STL, the number of the triangle. Both count from 1.
    pub facet_lines: Vec<usize>,
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

/// The spheres `[x, y, z, r]` in a CSV file, with or without the header `x,y,z,r`.
pub(crate) fn spheres(path: &Path) -> Result<Vec<[f64; 4]>, BadFile> {
    let bytes = read(path)?;
    csv(&bytes).map_err(|fault| fault.of(path))
}

fn read(path: &Path) -> Result<Vec<u8>, BadFile> {
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
    soup(vertices, (1..=records.len() / 50).collect())
}

/// Line by line and not word by word: the name of a solid may be anything, even a keyword.
fn ascii_stl(text: &str) -> Result<RawMesh, Fault> {
    let (mut vertices, mut lines) = (Vec::new(), Vec::new());
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
    soup(vertices, lines)
}

/// Facets with three vertices of their own each.
fn soup(vertices: Vec<[f64; 3]>, facet_lines: Vec<usize>) -> Result<RawMesh, Fault> {
    let Ok(vertex_count) = u32::try_from(vertices.len()) else {
        return Err(Fault::file("more vertices than u32 can count"));
    };
    let facets = (0..vertex_count).step_by(3);
    Ok(RawMesh {
        facets: facets.map(|v| vec![v, v + 1, v + 2]).collect(),
        vertices,
        facet_lines,
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

fn csv(bytes: &[u8]) -> Result<Vec<[f64; 4]>, Fault> {
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
    lines
        .map(|(line, text)| sphere(text).map_err(|what| Fault::line(line, &what)))
        .collect()
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
mod tests {
    use super::*;
    use std::{
        env, process,
        sync::atomic::{AtomicUsize, Ordering},
    };

    const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
    const ASCII: &str = "solid facet of gold
 facet normal nan 0 1
  outer loop
   vertex 0 0 0
   vertex 1e0 0 -0.5
   vertex +.25 1 2.
  endloop
 endfacet
endsolid facet of gold
";
    const TRIANGLE: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, -0.5], [0.25, 1.0, 2.0]];

    type Parts = (Vec<[f64; 3]>, Vec<Vec<u32>>, Vec<usize>);

    /// What `read` makes of a file; the error without the folder.
    fn of_file<T>(
        read: fn(&Path) -> Result<T, BadFile>,
        name: &str,
        bytes: impl AsRef<[u8]>,
    ) -> Result<T, String> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("read-{}-{next}", process::id()));
        let path = folder.join(name);
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        fs::write(&path, bytes).map_err(|error| error.to_string())?;
        let result = read(&path);
        fs::remove_dir_all(&folder).map_err(|error| error.to_string())?;
        let prefix = path.with_file_name("").display().to_string();
        result.map_err(|error| error.to_string().replace(&prefix, ""))
    }

    fn parts(name: &str, bytes: impl AsRef<[u8]>) -> Result<Parts, String> {
        let mesh = of_file(mesh, name, bytes)?;
        Ok((mesh.vertices, mesh.facets, mesh.facet_lines))
    }

    fn fault(name: &str, bytes: impl AsRef<[u8]>) -> String {
        parts(name, bytes).map_or_else(|error| error, |mesh| format!("no fault: {mesh:?}"))
    }

    fn facets(text: &str) -> Result<Vec<Vec<u32>>, String> {
        parts("a.obj", text).map(|(_, facets, _)| facets)
    }

    fn csv_fault(text: &str) -> String {
        let spheres = of_file(spheres, "a.csv", text);
        spheres.map_or_else(|error| error, |spheres| format!("no fault: {spheres:?}"))
    }

    fn binary(header: &str, triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
        let mut bytes = format!("{header:80}").into_bytes();
        bytes.extend((triangles.len() as u32).to_le_bytes());
        for triangle in triangles {
            // A normal that nobody may look at.
            bytes.extend([f32::NAN; 3].iter().flat_map(|x| x.to_le_bytes()));
            let corners = triangle.as_flattened().iter();
            bytes.extend(corners.flat_map(|x| x.to_le_bytes()));
            bytes.extend([7, 7]);
        }
        bytes
    }

    #[test]
    fn binary_stl_is_told_by_its_length() {
        let triangle = [[0.1, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, -2.5]];
        let wide = triangle.map(|corner: [f32; 3]| corner.map(f64::from));
        let expected: Parts = (
            [wide, wide].concat(),
            vec![vec![0, 1, 2], vec![3, 4, 5]],
            vec![1, 2],
        );
        for header in ["", "solid of gold", "SOLID"] {
            let bytes = binary(header, &[triangle, triangle]);
            assert_eq!(parts("a.STL", bytes), Ok(expected.clone()));
        }
    }

    #[test]
    fn bad_binary_stl() {
        let mut triangles = [[[0.5; 3]; 3]; 20];
        let whole = binary("solid", &triangles);
        let what = "a.stl: a binary STL of 20 triangles has 1084 bytes, this file has";
        assert_eq!(fault("a.stl", &whole[..1083]), format!("{what} 1083"));
        assert_eq!(
            fault("a.stl", [&whole[..], b"!"].concat()),
            format!("{what} 1085")
        );
        assert_eq!(fault("a.stl", &whole[..84]), format!("{what} 84"));
        assert_eq!(
            fault("a.stl", [0; 83]),
            "a.stl: a binary STL of 0 triangles has 84 bytes, this file has 83"
        );
        assert_eq!(
            fault("a.stl", binary("", &[])),
            "a.stl: no facet in this file"
        );
        for (bad, value) in [
            (f32::NAN, "NaN"),
            (f32::INFINITY, "inf"),
            (-f32::INFINITY, "-inf"),
        ] {
            triangles[16][2][1] = bad;
            assert_eq!(
                fault("a.stl", binary("", &triangles)),
                format!("a.stl: triangle 17: not a finite number: \"{value}\"")
            );
        }
    }

    #[test]
    fn ascii_stl() {
        let expected: Parts = (TRIANGLE.to_vec(), vec![vec![0, 1, 2]], vec![2]);
        assert_eq!(parts("a.stl", ASCII), Ok(expected.clone()));
        let variants = [
            ASCII.to_uppercase(),
            ASCII.replace('\n', "\r\n"),
            format!("\u{feff}{ASCII}"),
            ASCII.replace("endsolid facet of gold\n", "endsolid"),
        ];
        for text in variants {
            assert_eq!(parts("a.stl", text), Ok(expected.clone()));
        }
        let two: Parts = (
            [TRIANGLE, TRIANGLE].concat(),
            vec![vec![0, 1, 2], vec![3, 4, 5]],
            vec![2, 12],
        );
        assert_eq!(parts("a.stl", format!("{ASCII}\n{ASCII}")), Ok(two));
        // A name in Latin-1 is no UTF-8.
        let latin = [b"solid \xE9\n", &ASCII.as_bytes()[20..]].concat();
        assert_eq!(parts("a.stl", latin), Ok(expected));
    }

    #[test]
    fn bad_ascii_stl() {
        let cases = [
            ("-0.5", "nan", "5: not a finite number: \"nan\""),
            ("-0.5", "-inf", "5: not a finite number: \"-inf\""),
            ("-0.5", "1e400", "5: not a finite number: \"1e400\""),
            ("-0.5", "0,5", "5: not a finite number: \"0,5\""),
            (
                "-0.5",
                "",
                "5: a vertex has 3 coordinates: \"vertex 1e0 0\"",
            ),
            (
                "-0.5",
                "1 2",
                "5: a vertex has 3 coordinates: \"vertex 1e0 0 1 2\"",
            ),
            (
                "vertex 0 0 0",
                "",
                "7: a triangle has 3 vertices, the one that ends here has 2",
            ),
            (
                "vertex 0 0 0",
                "vertex 0 0 0\nvertex 0 1 0",
                "8: a triangle has 3 vertices, the one that ends here has 4",
            ),
            ("outer loop", "", "4: expected outer loop: \"vertex 0 0 0\""),
            ("endloop", "", "8: expected vertex or endloop: \"endfacet\""),
            (
                "endfacet",
                "outer loop",
                "8: expected endfacet: \"outer loop\"",
            ),
            (
                "solid facet of gold\n",
                "\n",
                "2: expected solid: \"facet normal nan 0 1\"",
            ),
            (
                "endsolid",
                "solid",
                "9: expected facet or endsolid: \"solid facet of gold\"",
            ),
            (
                "endsolid facet of gold\n",
                "",
                "8: the file ends where facet or endsolid is expected",
            ),
        ];
        for (old, new, expected) in cases {
            let text = ASCII.replacen(old, new, 1);
            assert_eq!(fault("a.stl", text), format!("a.stl:{expected}"));
        }
        for text in ["", "solid nothing\nendsolid nothing\n"] {
            assert_eq!(fault("a.stl", text), "a.stl: no facet in this file");
        }
    }

    #[test]
    fn obj_facets() {
        let polygon = vec![vec![0, 1, 2, 3]];
        let forms = [
            "f 1 2 3 4",
            "f 1/1 2/2 3/3 4/4",
            "f 1//1 2//1 3//1 4//1",
            "f 1/1/1 2/2/1 3/3/1 4/4/1",
            "f -4 -3 -2 -1",
            "f -4/-1/-1 2 -2//1 4",
            "f 1 2 \\\n 3 \\\r\n4",
            "f 1 2 3\\\n4",
            "\tf  1 2 3 4 # 5 6",
            "f 1 2 3 4 \\",
        ];
        for form in forms {
            assert_eq!(
                facets(&format!("{SQUARE}{form}")),
                Ok(polygon.clone()),
                "{form}"
            );
        }
        assert_eq!(facets(&format!("f 1 2 3 4\n{SQUARE}")), Ok(polygon));
        // A relative index counts from where the facet stands.
        let text = format!("{SQUARE}f -4 -3 -2\n{SQUARE}f -4 -3 -2\n");
        assert_eq!(facets(&text), Ok(vec![vec![0, 1, 2], vec![4, 5, 6]]));
        let corners = (1..=9).map(|i| format!("v {i} 0 0\n")).collect::<String>();
        let nonagon = format!("{corners}f 1 2 3 4 5 6 7 8 9");
        assert_eq!(facets(&nonagon), Ok(vec![(0..9).collect()]));
    }

    #[test]
    fn obj_statements() {
        let text = "\u{feff}# a square in C:\\
mtllib a.mtl\r
o a\ng b\ns off\nusemtl c
v 0 0 0 1.0
v 1 0 -0.5 0.5 0.5 0.5 # a colour
v .25 \\
 1 2 1 0 0 1

vt 0 0\nvn 0 0 1\np 1\nl 1 2\nvp 0 0\nunknown nan
f 1 2 \\
  3
";
        let expected: Parts = (TRIANGLE.to_vec(), vec![vec![0, 1, 2]], vec![18]);
        assert_eq!(parts("a.Obj", text), Ok(expected));
    }

    #[test]
    fn bad_obj() {
        let cases = [
            ("f 0 1 2", "vertices count from 1: \"0\""),
            ("f 1 2 0/1", "vertices count from 1: \"0/1\""),
            ("f 1 2 5", "no such vertex: \"5\""),
            ("f 1 2 4294967297", "no such vertex: \"4294967297\""),
            ("f 1 2 -5//1", "no such vertex: \"-5//1\""),
            ("f 1 2 3.5", "not a vertex index: \"3.5\""),
            ("f 1 2 /3", "not a vertex index: \"/3\""),
            ("f 1 2", "a facet has 3 corners or more: \"f 1 2\""),
            ("f 1 \\\n2 # 3", "a facet has 3 corners or more: \"f 1  2\""),
            ("f", "a facet has 3 corners or more: \"f\""),
            ("v 0 NaN 0", "not a finite number: \"NaN\""),
            ("v 0 0 infinity", "not a finite number: \"infinity\""),
            ("v 0 0 1e999", "not a finite number: \"1e999\""),
            ("v 0 0 \"", "not a finite number: \"\\\"\""),
            ("v 0 0 0 nan", "not a finite number: \"nan\""),
            (
                "v 0 0",
                "a vertex has 3 coordinates, then a weight or a colour: \"v 0 0\"",
            ),
            (
                "v 0 0 0 1 1",
                "a vertex has 3 coordinates, then a weight or a colour: \"v 0 0 0 1 1\"",
            ),
        ];
        for (statement, expected) in cases {
            let text = format!("{SQUARE}f 1 2 3\n{statement}\nf 1 2 3");
            assert_eq!(fault("a.obj", text), format!("a.obj:6: {expected}"));
        }
        assert_eq!(fault("a.obj", SQUARE), "a.obj: no facet in this file");
        let cut = format!("a.obj:1: not a finite number: \"{}\"...", "x".repeat(60));
        assert_eq!(fault("a.obj", format!("v 0 0 {}", "x".repeat(61))), cut);
    }

    #[test]
    fn other_files() {
        let what = "a mesh is read from .stl or .obj, not from";
        assert_eq!(fault("a.ply", ""), format!("a.ply: {what}: \"ply\""));
        assert_eq!(fault("stl", ""), format!("stl: {what}: \"\""));
        let path = Path::new("no-such-folder/a.obj");
        let error = fs::read(path).map_or_else(|error| error.to_string(), |_| String::new());
        let expected = Some(format!("{}: {error}", path.display()));
        assert_eq!(mesh(path).err().map(|error| error.to_string()), expected);
        assert_eq!(spheres(path).err().map(|error| error.to_string()), expected);
    }

    #[test]
    fn csv_spheres() {
        let expected = Ok(vec![[0.0, 0.5, -1.0, 0.25], [1e-3, 2.0, 3.0, 0.0]]);
        let rows = "0,0.5,-1,.25\n1e-3,2,3,0";
        let variants = [
            rows.to_owned(),
            format!("{rows}\n"),
            format!("x,y,z,r\n{rows}"),
            format!(
                "\u{feff}X, Y, Z, Radius\r\n{}\r\n",
                rows.replace('\n', "\r\n")
            ),
            format!("# settled\n\n\"x\",\"y\",\"z\",\"r\"\n{rows}"),
            rows.replace(',', " ,\t")
                .replace('\n', " # first\n  \n#\n "),
        ];
        for text in variants {
            assert_eq!(of_file(spheres, "a.csv", &text), expected, "{text}");
        }
        assert_eq!(of_file(spheres, "a.csv", "x,y,z,r\n"), Ok(vec![]));
    }

    #[test]
    fn bad_csv() {
        let cases = [
            (
                "0,0,0",
                "a sphere has the 4 fields x,y,z,r, not 3: \"0,0,0\"",
            ),
            (
                "0,0,0,1,",
                "a sphere has the 4 fields x,y,z,r, not 5: \"0,0,0,1,\"",
            ),
            (
                "0;0;0;1",
                "a sphere has the 4 fields x,y,z,r, not 1: \"0;0;0;1\"",
            ),
            ("0,zero,0,1", "not a finite number: \"zero\""),
            ("0,,0,1", "not a finite number: \"\""),
            ("nan,0,0,1", "not a finite number: \"nan\""),
            ("0,0,0, inf ", "not a finite number: \"inf\""),
            ("0,0,0, -0.5", "negative radius: \"-0.5\""),
            ("x,y,z,r", "not a finite number: \"x\""),
        ];
        for (row, expected) in cases {
            let text = format!("x,y,z,r\n\n0,0,0,1\n{row}\n");
            assert_eq!(csv_fault(&text), format!("a.csv:4: {expected}"));
        }
        // The first line too: a number in it, even a bad one, makes it a sphere.
        assert_eq!(
            csv_fault("0,nan,a,b"),
            "a.csv:1: not a finite number: \"nan\""
        );
        for header in ["r,x,y,z", "x,y,z,d", "x,y,z"] {
            assert_eq!(
                csv_fault(&format!("\n{header}\n0,0,0,1")),
                format!("a.csv:2: the columns are x,y,z,r, not: \"{header}\"")
            );
        }
    }
}
