//! Polygons and polyhedra for the search, with the candidate planes of a pair of vertices.

use glam::{DVec2, DVec3};

use super::frame::PaperFrame;
use crate::math::Vector;
use crate::shape::{Boundary, ConvexPolygon, Feature, Stamp};

/// A convex body in its own frame, about a center inside it.
pub(super) trait PaperBody<V: Vector>: Sized {
    fn stamp(&self) -> Stamp;
    /// Returns a bound of the distances of all points from the body's origin.
    fn reach(&self) -> f64;
    fn center(&self) -> V;
    /// Returns the radius of the ball around the center that contains all vertices.
    fn circumscribed(&self) -> f64;
    fn vertex_count(&self) -> usize;
    fn vertex(&self, id: u32) -> V;
    /// Returns the support vertex in a direction; `from` is a guess.
    fn farthest(&self, direction: V, from: u32) -> u32;
    /// Visits the normals of all candidates for the closest vertices `ids`, which are `ab` apart,
    /// with the features that each plane is parallel to. Normals have any length.
    fn candidates(
        frame: &PaperFrame<V, Self>,
        ids: [u32; 2],
        ab: V,
        visit: impl FnMut(V, [Feature; 2]),
    );
    /// Returns one candidate by its features.
    fn candidate(frame: &PaperFrame<V, Self>, features: [Feature; 2], ab: V) -> V;
}

impl PaperBody<DVec2> for ConvexPolygon {
    fn stamp(&self) -> Stamp {
        self.stamp
    }
    fn reach(&self) -> f64 {
        self.reach()
    }
    fn center(&self) -> DVec2 {
        self.centroid()
    }
    fn circumscribed(&self) -> f64 {
        self.radii.1
    }
    fn vertex_count(&self) -> usize {
        self.vertices().len()
    }
    #[inline]
    fn vertex(&self, id: u32) -> DVec2 {
        self.vertices()[id as usize] - self.centroid()
    }
    #[inline]
    fn farthest(&self, direction: DVec2, _from: u32) -> u32 {
        let along = self.vertices().iter().map(|vertex| direction.dot(*vertex));
        let farthest = (0..)
            .zip(along)
            .reduce(|a, b| if b.1 > a.1 { b } else { a });
        farthest.map_or(0, |(id, _)| id)
    }

    /// The bisector, and the lines along the four edges at the vertices (section 5.1).
    fn candidates(
        frame: &PaperFrame<DVec2, Self>,
        [a, b]: [u32; 2],
        ab: DVec2,
        mut visit: impl FnMut(DVec2, [Feature; 2]),
    ) {
        let vertices = [a, b].map(Feature::Vertex);
        visit(ab, vertices);
        let sides = |id: u32, body: &Self| {
            let count = body.vertex_count() as u32;
            [(id + 1) % count, (id + count - 1) % count].map(|next| Feature::edge(id, next))
        };
        let of_p = sides(a, frame.p).map(|side| [side, vertices[1]]);
        let of_q = sides(b, frame.q).map(|side| [vertices[0], side]);
        for features in of_p.into_iter().chain(of_q) {
            visit(Self::candidate(frame, features, ab), features);
        }
    }

    fn candidate(frame: &PaperFrame<DVec2, Self>, features: [Feature; 2], ab: DVec2) -> DVec2 {
        let outward = |body: &Self, i: u32, j: u32| {
            let [from, to] = [i, j].map(|id| body.vertices()[id as usize]);
            let across = (to - from).perp();
            // The centroid is inside.
            let is_outward = across.dot(from - body.centroid()) > 0.0;
            if is_outward { across } else { -across }
        };
        match features {
            [Feature::Edge(i, j), _] => outward(frame.p, i, j),
            [_, Feature::Edge(i, j)] => -frame.pose.transform_vector(outward(frame.q, i, j)),
            _ => ab,
        }
    }
}

impl PaperBody<DVec3> for Boundary {
    fn stamp(&self) -> Stamp {
        self.stamp
    }
    fn reach(&self) -> f64 {
        self.reach()
    }
    fn center(&self) -> DVec3 {
        self.center
    }
    fn circumscribed(&self) -> f64 {
        self.circumscribed
    }
    fn vertex_count(&self) -> usize {
        self.vertices.len()
    }
    #[inline]
    fn vertex(&self, id: u32) -> DVec3 {
        self.vertices[id as usize]
    }
    #[inline]
    fn farthest(&self, direction: DVec3, from: u32) -> u32 {
        self.farthest(direction, from)
    }

    /// The types a to d of section 5.2.
    fn candidates(
        frame: &PaperFrame<DVec3, Self>,
        [a, b]: [u32; 2],
        ab: DVec3,
        mut visit: impl FnMut(DVec3, [Feature; 2]),
    ) {
        let [at_a, at_b] = [a, b].map(Feature::Vertex);
        visit(ab, [at_a, at_b]);
        for (face, normal) in faces_at(frame.p, a) {
            visit(normal, [Feature::Facet(face), at_b]);
        }
        for (face, normal) in faces_at(frame.q, b) {
            visit(
                -frame.pose.transform_vector(normal),
                [at_a, Feature::Facet(face)],
            );
        }
        for spoke in frame.p.spokes(a) {
            visit(
                along_edge(spoke.along, ab),
                [Feature::edge(a, spoke.vertex), at_b],
            );
        }
        for of_q in frame.q.spokes(b) {
            let along = frame.pose.transform_vector(of_q.along);
            let edge = Feature::edge(b, of_q.vertex);
            visit(along_edge(along, ab), [at_a, edge]);
            for of_p in frame.p.spokes(a) {
                let features = [Feature::edge(a, of_p.vertex), edge];
                visit(along_edges(of_p.along, along, ab), features);
            }
        }
    }

    fn candidate(frame: &PaperFrame<DVec3, Self>, features: [Feature; 2], ab: DVec3) -> DVec3 {
        let normal = |body: &Self, face: u32| body.faces[face as usize].normal;
        let along = |body: &Self, i: u32, j: u32| body.vertex(j) - body.vertex(i);
        let along_q = |i, j| frame.pose.transform_vector(along(frame.q, i, j));
        match features {
            [Feature::Facet(face), _] => normal(frame.p, face),
            [_, Feature::Facet(face)] => -frame.pose.transform_vector(normal(frame.q, face)),
            [Feature::Edge(i, j), Feature::Edge(k, l)] => {
                along_edges(along(frame.p, i, j), along_q(k, l), ab)
            }
            [Feature::Edge(i, j), _] => along_edge(along(frame.p, i, j), ab),
            [_, Feature::Edge(k, l)] => along_edge(along_q(k, l), ab),
            _ => ab,
        }
    }
}

/// Returns the faces at a vertex, once each.
fn faces_at(body: &Boundary, vertex: u32) -> impl Iterator<Item = (u32, DVec3)> {
    body.spokes(vertex).iter().filter_map(|spoke| {
        let edge = &body.edges[spoke.edge as usize];
        let is_left = |k: &usize| {
            // The face whose boundary leaves the vertex along this edge.
            let normal = body.faces[edge.faces[*k] as usize].normal;
            spoke.along.cross(normal).dot(edge.outward[*k]) > 0.0
        };
        let face = edge.faces[(0..2).find(is_left)?];
        Some((face, body.faces[face as usize].normal))
    })
}

/// Type d: parallel to the edge, and as close to the bisector as possible (eq. 5, not unit).
fn along_edge(edge: DVec3, ab: DVec3) -> DVec3 {
    edge.cross(ab.cross(edge))
}

/// Type c: parallel to two edges.
fn along_edges(p: DVec3, q: DVec3, ab: DVec3) -> DVec3 {
    let cross = p.cross(q);
    if cross.dot(ab) < 0.0 { -cross } else { cross }
}
