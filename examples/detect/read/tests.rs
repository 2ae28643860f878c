//! What the readers take and what they say of the rest.

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
        let found = of_file(spheres, "a.csv", &text).map(|raw| raw.spheres);
        assert_eq!(found, expected, "{text}");
    }
    let lines = of_file(spheres, "a.csv", format!("\n# none yet\n{rows}")).map(|raw| raw.lines);
    assert_eq!(lines, Ok(vec![3, 4]));
    let none = of_file(spheres, "a.csv", "x,y,z,r\n");
    assert_eq!(none, Ok(RawSpheres::default()));
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

#[test]
fn folders_are_no_files() {
    let folder = env::temp_dir().join(format!("folder-{}.stl", process::id()));
    fs::create_dir_all(&folder).unwrap();
    let faults = [
        mesh(&folder).err(),
        mesh(&env::temp_dir()).err(),
        spheres(&folder).err(),
    ];
    fs::remove_dir_all(&folder).unwrap();
    for fault in faults {
        let fault = fault.unwrap().to_string();
        assert!(fault.ends_with(": this is a folder, not a file"), "{fault}");
    }
}
