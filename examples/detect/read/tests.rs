//! Which files the readers accept, and the message for each fault.

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

type Facets = Vec<Vec<[f64; 3]>>;

/// The result of `read`; errors without the folder.
fn of_file<T>(
    read: fn(&Path) -> Result<T, String>,
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
    result.map_err(|error| error.replace(&prefix, ""))
}

fn facets(name: &str, bytes: impl AsRef<[u8]>) -> Result<Facets, String> {
    let mesh = of_file(mesh, name, bytes)?;
    let arrays = |facet: &Vec<DVec3>| facet.iter().map(|corner| corner.to_array()).collect();
    Ok(mesh.facets.iter().map(arrays).collect())
}

fn assert_fault(name: &str, bytes: impl AsRef<[u8]>, expected: &str) {
    let read = |path: &Path| match path.extension() {
        Some(csv) if csv == "csv" => spheres(path).map(|_| ()),
        _ => mesh(path).map(|_| ()),
    };
    let found = of_file(read, name, bytes);
    let message = found.as_ref().err().map_or("none", String::as_str);
    assert!(message.contains(expected), "{expected}: {found:?}");
    assert!(message.starts_with(&format!("{name}:")), "{message}");
    assert!(!message.contains('\n'), "{message}");
}

fn binary(header: &str, triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
    let mut bytes = format!("{header:80}").into_bytes();
    bytes.extend((triangles.len() as u32).to_le_bytes());
    for triangle in triangles {
        // The normal is not used.
        bytes.extend([f32::NAN; 3].iter().flat_map(|x| x.to_le_bytes()));
        let corners = triangle.as_flattened().iter();
        bytes.extend(corners.flat_map(|x| x.to_le_bytes()));
        bytes.extend([7, 7]);
    }
    bytes
}

#[test]
fn length_tells_a_binary_stl() {
    let triangle = [[0.1, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, -2.5]];
    let wide = triangle.map(|corner: [f32; 3]| corner.map(f64::from));
    for header in ["", "solid of gold", "SOLID"] {
        let bytes = binary(header, &[triangle, triangle]);
        assert_eq!(facets("a.STL", bytes), Ok(vec![wide.to_vec(); 2]));
    }
}

#[test]
fn bad_binary_stl() {
    let mut triangles = [[[0.5; 3]; 3]; 20];
    let whole = binary("solid", &triangles);
    let what = "a.stl: a binary STL of 20 facets has 1084 bytes, this file has";
    assert_fault("a.stl", &whole[..1083], &format!("{what} 1083"));
    assert_fault(
        "a.stl",
        [&whole[..], b"!"].concat(),
        &format!("{what} 1085"),
    );
    assert_fault("a.stl", &whole[..84], &format!("{what} 84"));
    assert_fault("a.stl", [0; 83], "has 84 bytes, this file has 83");
    assert_fault("a.stl", binary("", &[]), "a.stl: no facet in this file");
    for (bad, value) in [(f32::NAN, "NaN"), (-f32::INFINITY, "-inf")] {
        triangles[16][2][1] = bad;
        let expected = format!("a.stl: facet 17: point 2: coordinate 1 is {value}");
        assert_fault("a.stl", binary("", &triangles), &expected);
    }
}

#[test]
fn ascii_stl() {
    let expected: Facets = vec![TRIANGLE.to_vec()];
    let variants = [
        ASCII.to_owned(),
        ASCII.to_uppercase(),
        ASCII.replace('\n', "\r\n"),
        format!("\u{feff}{ASCII}"),
        ASCII.replace(" facet of gold", ""),
    ];
    for text in variants {
        assert_eq!(facets("a.stl", &text), Ok(expected.clone()), "{text}");
    }
    let two = format!("{ASCII}\n{ASCII}");
    assert_eq!(facets("a.stl", two), Ok([&expected[..]; 2].concat()));
    // A name in Latin-1 is not UTF-8.
    let latin = [b"solid \xE9\n", &ASCII.as_bytes()[20..]].concat();
    assert_eq!(facets("a.stl", latin), Ok(expected));
}

#[test]
fn bad_ascii_stl() {
    let cases = [
        ("-0.5", "nan", "expected finite f32, got NaN"),
        ("-0.5", "-inf", "expected finite f32, got -inf"),
        ("-0.5", "1e400", "expected finite f32, got inf"),
        ("-0.5", "0,5", "invalid float literal"),
        ("-0.5", "", r#"got ["vertex", "1e0", "0"]"#),
        ("-0.5", "1 2", r#"got ["vertex", "1e0", "0", "1", "2"]"#),
        ("vertex 0 0 0", "", r#"got ["endloop"]"#),
        (
            "vertex 0 0 0",
            "vertex 0 0 0\nvertex 0 1 0",
            r#"expected ["endloop"]"#,
        ),
        ("outer loop", "", r#"expected ["outer", "loop"]"#),
        ("endloop", "", r#"expected ["endloop"]"#),
        ("endfacet", "outer loop", r#"expected ["endfacet"]"#),
        (
            "endsolid facet of gold\n",
            "",
            "EOF while expecting facet or endsolid",
        ),
    ];
    for (old, new, what) in cases {
        let bad = ASCII.replacen(old, new, 1);
        let facet = if old.starts_with("endsolid") { 3 } else { 2 };
        let expected = format!("a.stl: facet {facet}: ");
        for expected in [&expected, what] {
            assert_fault("a.stl", format!("{ASCII}{bad}"), expected);
        }
    }
    for text in ["solid nothing\nendsolid nothing\n", "solid a\nendsolid"] {
        assert_fault("a.stl", text, "a.stl: no facet in this file");
    }
    for text in ["", "no mesh at all", "solid"] {
        assert_fault("a.stl", text, "a.stl: facet 1: ");
    }
    let far = ASCII.replace("-0.5", "1e38").replace("2.", "-1e38");
    assert!(facets("a.stl", far).is_ok());
}

#[test]
fn obj_facets() {
    let square = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, 0.0],
    ];
    let forms = [
        "f 1 2 3 4",
        "f 1/1 2/2 3/3 4/4",
        "f 1//1 2//1 3//1 4//1",
        "f 1/1/1 2/2/1 3/3/1 4/4/1",
        "f -4 -3 -2 -1",
        "f -4/-1/-1 2 -2//1 4",
        "\tf  1 2 3 4 # 5 6\r",
    ];
    for form in forms {
        let text = format!("{SQUARE}{form}");
        assert_eq!(facets("a.obj", text), Ok(vec![square.to_vec()]), "{form}");
    }
    // A facet of three corners and one of five; one vertex twice.
    let text = format!("f 1 2 3\n{SQUARE}f 1 2 3 3 4");
    let [a, b, c, d] = square;
    let expected = vec![vec![a, b, c], vec![a, b, c, c, d]];
    assert_eq!(facets("a.obj", text), Ok(expected));
}

#[test]
fn obj_statements() {
    let text = "\u{feff}# a square in C:\\
mtllib a.mtl\r
o a\ng b\ns off\nusemtl c
v 0 0 0 1.0
v 1 0 -0.5 # a comment
v .25 1 2 1

vt 0 0\nvn 0 0 1\np 1\nl 1 2 3\nvp 0 0\nunknown nan
f 1 2 3
usemtl d\no e
f 3 2 1
";
    let mesh = of_file(mesh, "a.Obj", text).unwrap();
    let triangle = TRIANGLE.map(DVec3::from).to_vec();
    let reversed = triangle.iter().rev().copied().collect();
    assert_eq!(mesh.facets, [triangle, reversed]);
    assert_eq!(mesh.lines, [17, 20]);
}

#[test]
fn bad_obj() {
    let cases = [
        ("f 0 1 2", r#"face vertex index out of bounds: "f 0 1 2""#),
        ("f 1 2 5", r#"face vertex index out of bounds: "f 1 2 5""#),
        ("f 1 2 4294967297", "face vertex index out of bounds"),
        ("f 1 2 -5//1", "face vertex index out of bounds"),
        ("f 1 2 3.5", r#"face parse error: "f 1 2 3.5""#),
        ("f 1 2 /3", "face vertex index out of bounds"),
        ("f 1 2 3 \\", "face parse error"),
        ("f 1 2", "a facet has 3 corners or more"),
        ("f", "a facet has 3 corners or more"),
        ("v 0 0", r#"position parse error: "v 0 0""#),
        ("v 0 0 \"", "position parse error"),
        ("v 0 0 0 0", "scaling (w) by zero"),
        ("v 0 0 0 1 1", "color parse error"),
    ];
    for (statement, expected) in cases {
        let text = format!("{SQUARE}f 1 2 3\n{statement}\nf 1 2 3");
        assert_fault("a.obj", text, &format!("a.obj:6: {expected}"));
    }
    for (value, name) in [
        ("NaN", "NaN"),
        ("infinity", "inf"),
        ("1e999", "inf"),
        ("1e60", "1e60"),
    ] {
        let text = format!("{SQUARE}v 0 {value} 0\n\nf 1 2 3\nf 1 2 5");
        assert_fault(
            "a.obj",
            text,
            &format!("a.obj:8: point 2: coordinate 1 is {name}"),
        );
    }
    let long = of_file(mesh, "a.obj", format!("v 0 0 {}", "x".repeat(999)));
    assert_eq!(long.unwrap_err().len(), "a.obj:".len() + 200);
    for text in ["", SQUARE] {
        assert_fault("a.obj", text, "a.obj: no facet in this file");
    }
}

#[test]
fn other_files() {
    for name in ["a.ply", "stl"] {
        assert_fault(name, "", "a mesh is read from .stl or .obj");
    }
    let path = Path::new("no-such-folder/a.obj");
    let error = fs::read(path).map_or_else(|error| error.to_string(), |_| String::new());
    let expected = format!("{}: {error}", path.display());
    assert_eq!(mesh(path).err().as_ref(), Some(&expected));
    assert_eq!(spheres(path).err(), Some(expected));
}

#[test]
fn csv_spheres() {
    let sphere = |x, y, z, r| Sphere::new(DVec3::new(x, y, z), r);
    let expected = Ok(vec![
        sphere(0.0, 0.5, -1.0, 0.25),
        sphere(1e-3, 2.0, 3.0, 0.0),
    ]);
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
        rows.replace(',', " ,\t").replace('\n', "\n\n#\n"),
    ];
    for text in variants {
        assert_eq!(of_file(spheres, "a.csv", &text), expected, "{text}");
    }
    assert_eq!(of_file(spheres, "a.csv", "x,y,z,r\n"), Ok(Vec::new()));
}

#[test]
fn bad_csv() {
    let cases = [
        ("0,0,0", "a sphere has the 4 fields x,y,z,r, not 3"),
        ("0,0,0,1,1", "a sphere has the 4 fields x,y,z,r, not 5"),
        ("0;0;0;1", r#"not a number: "0;0;0;1""#),
        ("0,zero,0,1", r#"not a number: "zero""#),
        ("\"0,0,0,1", r#"not a number: "\"0""#),
        ("0,,0,1", r#"not a number: """#),
        ("nan,0,0,1", "body 1: coordinate 0 is NaN"),
        ("0,0,0, inf ", "body 1: radius inf"),
        ("0,0,0, -0.5", "body 1: radius -0.5"),
        ("0,0,0,1e60", "body 1: radius 1e60"),
        ("x,y,z,r", r#"not a number: "x""#),
    ];
    for (row, expected) in cases {
        for (first, line) in [("0,0,0,1", 2), ("x,y,z,r\n\n# one\n0,0,0,1\n", 6)] {
            for end in ["", "\n", "\r\n", "\n\n# end\n0,0,0,1"] {
                let text = format!("{first}\n{row}{end}");
                assert_fault("a.csv", &text, &format!("a.csv:{line}: {expected}"));
                let text = text.replace('\n', "\r\n");
                assert_fault("a.csv", &text, &format!("a.csv:{line}: {expected}"));
            }
        }
    }
    // A number in the first line, even an invalid one, makes it a sphere.
    assert_fault("a.csv", "0,nan,a,b", "a.csv:1: not a number: \"a\"");
    for header in ["r,x,y,z", "x,y,z,d", "x,y,z"] {
        let text = format!("\n{header}\n0,0,0,1");
        let expected = format!("a.csv:2: the columns are x,y,z,r, not \"{header}\"");
        assert_fault("a.csv", text, &expected);
    }
}
