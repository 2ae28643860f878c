//! Writes VTK XML PolyData (`.vtp`), which ParaView opens.
#![allow(dead_code, unreachable_pub, reason = "each program uses a part")]

use std::{
    fs::File,
    io::{self, Write},
    path::Path,
};

use osculate::{Pose3, SurfaceMesh};

/// Values at the points or the cells, one each.
pub enum Array {
    Scalars(Vec<f64>),
    Vectors(Vec<[f64; 3]>),
    Integers(Vec<i32>),
}

/// Points, cells as point indices, and named arrays. A name has no character that XML escapes.
#[derive(Default)]
pub struct PolyData<'a> {
    pub points: Vec<[f64; 3]>,
    pub verts: Vec<Vec<u32>>,
    pub lines: Vec<Vec<u32>>,
    pub polys: Vec<Vec<u32>>,
    /// One value per point.
    pub point_data: Vec<(&'a str, Array)>,
    /// One value per cell: those of `verts` first, then of `lines`, then of `polys`.
    pub cell_data: Vec<(&'a str, Array)>,
}

impl PolyData<'_> {
    /// Adds the facets of a surface at a pose. Returns the number of polygons so far.
    pub fn add_surface(&mut self, surface: &SurfaceMesh, pose: &Pose3) -> usize {
        let first = self.points.len() as u32;
        let placed = |&x| pose.transform_point(x).to_array();
        self.points.extend(surface.vertices().iter().map(placed));
        let ids = surface.facets().map(|facet| facet.vertices());
        let cells = ids.map(|ids| ids.iter().map(|id| first + id).collect());
        self.polys.extend(cells);
        self.polys.len()
    }

    /// Writes the file, with numbers as raw little-endian bytes.
    ///
    /// # Errors
    /// Returns the error of the file system, or `InvalidInput` if an array has the wrong length or
    /// a cell has a point that does not exist; then no file is written. Readers check neither.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let cells = [
            ("Verts", &self.verts),
            ("Lines", &self.lines),
            ("Polys", &self.polys),
        ];
        let point_count = self.points.len();
        let cell_count = cells.iter().map(|(_, cells)| cells.len()).sum();
        let mut contents = Contents::default();
        contents.arrays("PointData", &self.point_data, point_count)?;
        contents.arrays("CellData", &self.cell_data, cell_count)?;
        contents.xml += "<Points>\n";
        contents.block("Points", "Float64", 3, floats(self.points.as_flattened()));
        contents.xml += "</Points>\n";
        for (section, cells) in cells {
            contents.cells(section, cells, point_count)?;
        }
        let counts =
            cells.map(|(section, cells)| format!(r#"NumberOf{section}="{}""#, cells.len()));
        let mut file = File::create(path)?;
        write!(
            file,
            r#"<?xml version="1.0"?>
<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
<PolyData>
<Piece NumberOfPoints="{point_count}" {}>
{}</Piece>
</PolyData>
<AppendedData encoding="raw">
_"#,
            counts.join(" "),
            contents.xml
        )?;
        file.write_all(&contents.blocks)?;
        file.write_all(b"\n</AppendedData>\n</VTKFile>\n")
    }
}

/// The elements inside the piece, and the numbers that they refer to.
#[derive(Default)]
struct Contents {
    xml: String,
    blocks: Vec<u8>,
}

impl Contents {
    fn arrays(&mut self, section: &str, arrays: &[(&str, Array)], count: usize) -> io::Result<()> {
        self.xml += &format!("<{section}>\n");
        for (name, array) in arrays {
            let (found, kind, components, bytes) = match array {
                Array::Scalars(values) => (values.len(), "Float64", 1, floats(values)),
                Array::Vectors(values) => {
                    (values.len(), "Float64", 3, floats(values.as_flattened()))
                }
                Array::Integers(values) => {
                    let bytes = values.iter().flat_map(|i| i.to_le_bytes()).collect();
                    (values.len(), "Int32", 1, bytes)
                }
            };
            if found != count {
                return invalid(format!("{name}: {found} values, expected {count}"));
            }
            self.block(name, kind, components, bytes);
        }
        self.xml += &format!("</{section}>\n");
        Ok(())
    }

    fn cells(&mut self, section: &str, cells: &[Vec<u32>], point_count: usize) -> io::Result<()> {
        let (mut connectivity, mut offsets) = (Vec::new(), Vec::new());
        let mut end = 0;
        for cell in cells {
            if let Some(point) = cell.iter().find(|&&p| p as usize >= point_count) {
                return invalid(format!("{section}: point {point} of {point_count}"));
            }
            connectivity.extend(cell.iter().flat_map(|&p| i64::from(p).to_le_bytes()));
            end += cell.len() as i64;
            offsets.extend(end.to_le_bytes());
        }
        self.xml += &format!("<{section}>\n");
        self.block("connectivity", "Int64", 1, connectivity);
        self.block("offsets", "Int64", 1, offsets);
        self.xml += &format!("</{section}>\n");
        Ok(())
    }

    /// Writes an array: its length in bytes, then the bytes.
    fn block(&mut self, name: &str, kind: &str, components: usize, bytes: Vec<u8>) {
        self.xml += &format!(
            r#"<DataArray Name="{name}" type="{kind}" NumberOfComponents="{components}" format="appended" offset="{}"/>"#,
            self.blocks.len()
        );
        self.xml.push('\n');
        self.blocks.extend((bytes.len() as u64).to_le_bytes());
        self.blocks.extend(bytes);
    }
}

fn floats(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn invalid(what: String) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::InvalidInput, what))
}
