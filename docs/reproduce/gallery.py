#!/usr/bin/env python3
"""Renders the scenes of docs/guide/gallery.md into docs/figures/gallery-NAME.png, and .webp for the API documentation.

    pip install vtk pillow
    docs/reproduce/gallery.py FOLDER [NAME ...]

FOLDER/NAME has what the command of the scene writes; without FOLDER the commands are printed. Then
`cargo reproduce embed` updates the pictures in the API documentation.
"""

import os
import sys

COMMANDS = {
    "hopper": "cargo reproduce hopper_blocks -- --out FOLDER/hopper",
    "blocks": "cargo reproduce blocks -- --count 30000 --seconds 0.25 --out FOLDER/blocks",
    "piles": "cargo reproduce gallery -- piles FOLDER/piles",
    "drum": "cargo reproduce gallery -- drum FOLDER/drum",
    "mixer": "cargo reproduce rotary_mixer -- --duration 1 --out FOLDER/mixer",
    "mill": "cargo reproduce rocks -- --short --scene mill --count 144 --steps 12000 --out FOLDER/mill",
    "fruit": "cargo reproduce rocks -- --scene fruit --out FOLDER/fruit",
    "terrain": "cargo reproduce rocks -- --scene terrain --steps 3000 --frames 3 --out FOLDER/terrain",
}
SIZE = (640, 400)
# Pixels rendered for each pixel of the picture, along each axis.
FINE = 2
COLORS = 64
BACKGROUND = (0.965, 0.965, 0.945)
WALL = (0.80, 0.82, 0.84)
# From slow to fast, or one for each kind: sand, ochre, rust, slate, sea.
SLOW_TO_FAST = [(0.20, 0.36, 0.55), (0.38, 0.62, 0.72), (0.93, 0.85, 0.62), (0.87, 0.52, 0.25), (0.72, 0.18, 0.20)]
KINDS = [(0.86, 0.76, 0.58), (0.84, 0.60, 0.30), (0.66, 0.36, 0.26), (0.42, 0.53, 0.64), (0.36, 0.60, 0.58)]


def blend(stops, t):
    """Returns the color at t in 0..1."""
    t = min(max(t, 0.0), 1.0) * (len(stops) - 1)
    i = min(int(t), len(stops) - 2)
    return tuple(a + (b - a) * (t - i) for a, b in zip(stops[i], stops[i + 1]))


class Scene:
    """Surfaces in the light, seen from a point."""

    def __init__(self):
        import vtk

        self.vtk = vtk
        self.renderer = vtk.vtkRenderer()
        self.renderer.SetBackground(*BACKGROUND)

    def read(self, path):
        reader = self.vtk.vtkXMLPolyDataReader()
        reader.SetFileName(path)
        reader.Update()
        return reader.GetOutput()

    def normals(self, data, angle):
        """Smooths edges with a bend below an angle in degrees."""
        split = self.vtk.vtkPolyDataNormals()
        split.SetInputData(data)
        split.SetFeatureAngle(angle)
        split.ConsistencyOff()
        split.AutoOrientNormalsOff()
        split.Update()
        return split.GetOutput()

    def select(self, data, array, low, high):
        """Returns the cells with a value in a range."""
        threshold = self.vtk.vtkThreshold()
        threshold.SetInputData(data)
        threshold.SetInputArrayToProcess(0, 0, 0, 1, array)
        threshold.SetLowerThreshold(low)
        threshold.SetUpperThreshold(high)
        surface = self.vtk.vtkGeometryFilter()
        surface.SetInputConnection(threshold.GetOutputPort())
        surface.Update()
        return surface.GetOutput()

    def paint(self, data, array, color, points=False):
        """Colors each cell, or each point, by the value of an array."""
        attributes = data.GetPointData() if points else data.GetCellData()
        values = attributes.GetArray(array)
        colors = self.vtk.vtkUnsignedCharArray()
        colors.SetNumberOfComponents(3)
        colors.SetName("colors")
        for i in range(values.GetNumberOfTuples()):
            colors.InsertNextTuple3(*(255 * c for c in color(values.GetTuple1(i))))
        attributes.SetScalars(colors)

    def below(self, data, z):
        """Cuts off what is above a height."""
        plane = self.vtk.vtkPlane()
        plane.SetOrigin(0, 0, z)
        plane.SetNormal(0, 0, -1)
        cut = self.vtk.vtkClipPolyData()
        cut.SetInputData(data)
        cut.SetClipFunction(plane)
        cut.Update()
        return cut.GetOutput()

    def add(self, data, color=None, opacity=1.0, far_side=False, points=False):
        """Adds a surface; `far_side` draws only facets with their front to the eye, as the far side of a container."""
        mapper = self.vtk.vtkPolyDataMapper()
        mapper.SetInputData(data)
        if color is not None:
            mapper.ScalarVisibilityOff()
        elif points:
            mapper.SetScalarModeToUsePointData()
        else:
            mapper.SetScalarModeToUseCellData()
        actor = self.vtk.vtkActor()
        actor.SetMapper(mapper)
        look = actor.GetProperty()
        look.SetInterpolationToPhong()
        look.SetAmbient(0.32)
        look.SetDiffuse(0.72)
        look.SetSpecular(0.06)
        look.SetSpecularPower(20)
        if color is not None:
            look.SetColor(*color)
        look.SetOpacity(opacity)
        if far_side:
            look.BackfaceCullingOn()
        self.renderer.AddActor(actor)
        return actor

    def edges(self, data, angle, color, width=1.0):
        """Draws edges with a bend above an angle in degrees."""
        edges = self.vtk.vtkFeatureEdges()
        edges.SetInputData(data)
        edges.SetFeatureAngle(angle)
        edges.ColoringOff()
        edges.ManifoldEdgesOff()
        edges.NonManifoldEdgesOff()
        edges.BoundaryEdgesOn()
        edges.Update()
        actor = self.add(edges.GetOutput(), color)
        actor.GetProperty().SetLineWidth(width * FINE)
        actor.GetProperty().LightingOff()

    def floor(self, z, center, half):
        plane = self.vtk.vtkPlaneSource()
        x, y = center
        plane.SetOrigin(x - half, y - half, z)
        plane.SetPoint1(x + half, y - half, z)
        plane.SetPoint2(x - half, y + half, z)
        plane.Update()
        self.add(plane.GetOutput(), (0.84, 0.84, 0.81))

    def look(self, eye, at, angle):
        camera = self.renderer.GetActiveCamera()
        camera.SetPosition(*eye)
        camera.SetFocalPoint(*at)
        camera.SetViewUp(0, 0, 1)
        camera.SetViewAngle(angle)
        self.renderer.ResetCameraClippingRange()

    def write(self, path, radius):
        """Renders with ambient occlusion within a radius."""
        from PIL import Image
        from vtk.util.numpy_support import vtk_to_numpy

        vtk = self.vtk
        self.renderer.RemoveAllLights()
        kit = vtk.vtkLightKit()
        kit.SetKeyLightIntensity(1.0)
        kit.SetKeyToFillRatio(3.0)
        kit.SetKeyLightAngle(50, 25)
        kit.AddLightsToRenderer(self.renderer)
        steps = vtk.vtkRenderStepsPass()
        occlusion = vtk.vtkSSAOPass()
        occlusion.SetDelegatePass(steps)
        occlusion.SetRadius(radius)
        occlusion.SetBias(0.02 * radius)
        occlusion.SetKernelSize(192)
        occlusion.BlurOn()
        self.renderer.SetPass(occlusion)
        window = vtk.vtkRenderWindow()
        window.SetOffScreenRendering(1)
        window.SetMultiSamples(0)
        window.SetSize(*(FINE * n for n in SIZE))
        window.AddRenderer(self.renderer)
        window.Render()
        grab = vtk.vtkWindowToImageFilter()
        grab.SetInput(window)
        grab.ReadFrontBufferOff()
        grab.Update()
        image = grab.GetOutput()
        width, height, _ = image.GetDimensions()
        pixels = vtk_to_numpy(image.GetPointData().GetScalars()).reshape(height, width, -1)[::-1]
        picture = Image.fromarray(pixels[:, :, :3].copy()).resize(SIZE, Image.LANCZOS)
        # For the API documentation, which contains it.
        picture.save(path.replace(".png", ".webp"), quality=60, method=6)
        picture = picture.quantize(COLORS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        picture.save(path, optimize=True)
        print(path, os.path.getsize(path))


def by_speed(fastest):
    return lambda speed: blend(SLOW_TO_FAST, speed / fastest)


def by_body(body):
    return KINDS[int(body) * 7 % 5]


def hopper(scene, folder):
    data = scene.read(folder + "/hopper-flow.vtp")
    bodies = scene.select(data, "speed", 0, 1e9)
    scene.paint(bodies, "speed", by_speed(3.2))
    scene.add(bodies)
    scene.edges(bodies, 20, (0.2, 0.2, 0.22), 0.6)
    wall = scene.below(scene.select(data, "speed", -2, -0.5), 0.75)
    scene.add(wall, WALL, far_side=True)
    scene.add(wall, (0.5, 0.6, 0.7), 0.13)
    scene.edges(wall, 15, (0.5, 0.53, 0.56), 1.2)
    scene.look((1.9, -4.4, 1.75), (0, 0, 0.03), 21.5)
    return 0.12


def blocks(scene, folder):
    data = scene.read(folder + "/flow.vtp")
    scene.paint(data, "speed", by_speed(7.5))
    scene.add(data)
    scene.look((4.4, -3.6, 2.4), (0.7, 0.55, 0.66), 22)
    return 0.05


def piles(scene, folder):
    data = scene.read(folder + "/piles.vtp")
    scene.paint(data, "kind", lambda kind: KINDS[[0, 1, 2, 3, 4, 1][int(kind)]])
    scene.add(data)
    scene.edges(data, 15, (0.25, 0.22, 0.2), 0.8)
    scene.floor(0, (0, 0), 300)
    scene.look((8, -34, 17), (2.2, 0.4, 2.6), 30)
    return 1.0


def drum(scene, folder):
    data = scene.read(folder + "/drum.vtp")
    bodies = scene.select(data, "speed", 0, 1e9)
    scene.paint(bodies, "speed", by_speed(3.0))
    scene.add(scene.normals(bodies, 40))
    wall = scene.select(data, "speed", -2, -0.5)
    scene.add(wall, WALL, far_side=True)
    scene.edges(wall, 60, (0.5, 0.53, 0.56), 1.5)
    scene.look((1.4, -6.2, 1.2), (0.02, 0, 0), 24.5)
    return 0.15


def mixer(scene, folder):
    data = scene.read(folder + "/spheres.vtp")
    ball = scene.vtk.vtkSphereSource()
    ball.SetRadius(data.GetPointData().GetArray("radius").GetTuple1(0))
    ball.SetThetaResolution(16)
    ball.SetPhiResolution(12)
    scene.paint(data, "half", lambda half: (KINDS[3], KINDS[1])[int(half)], points=True)
    glyph = scene.vtk.vtkGlyph3D()
    glyph.SetInputData(data)
    glyph.SetSourceConnection(ball.GetOutputPort())
    glyph.ScalingOff()
    glyph.SetColorModeToColorByScalar()
    glyph.Update()
    scene.add(glyph.GetOutput(), points=True)
    wall = scene.read(folder + "/drum.vtp")
    scene.add(wall, (0.5, 0.6, 0.7), 0.13)
    scene.edges(wall, 60, (0.5, 0.53, 0.56), 1.2)
    scene.add(scene.read(folder + "/helices.vtp"), (0.55, 0.57, 0.6))
    scene.look((1.15, -0.55, 0.5), (0, 0, -0.005), 21)
    return 0.02


def packing(scene, folder, frame, color):
    data = scene.read(f"{folder}/rocks-{frame}.vtp")
    bodies = scene.select(data, "body", 0, 1e9)
    scene.paint(bodies, *color)
    scene.add(scene.normals(bodies, 50))
    return bodies, scene.select(data, "body", -1, -0.5)


def mill(scene, folder):
    _, wall = packing(scene, folder, 0, ("speed", by_speed(4.0)))
    scene.add(wall, WALL)
    scene.look((12, -62, 14), (0, 0, -0.6), 29.5)
    return 1.5


def fruit(scene, folder):
    from vtk.util.numpy_support import vtk_to_numpy

    data = scene.read(folder + "/rocks-0.vtp")
    # Pears and bananas have different numbers of triangles.
    ids = vtk_to_numpy(data.GetCellData().GetArray("body"))
    counts = [0] * (int(ids.max()) + 1)
    for i in ids:
        counts[i] += i >= 0
    most = max(counts)

    def color(body):
        green = counts[int(body)] == most
        ripe = int(body) * 7 % 5 / 4
        return blend([(0.50, 0.62, 0.24), (0.74, 0.72, 0.32)] if green else [(0.95, 0.82, 0.30), (0.84, 0.62, 0.20)], ripe)

    bodies = scene.select(data, "body", 0, 1e9)
    scene.paint(bodies, "body", color)
    scene.add(scene.normals(bodies, 50))
    scene.look((38, -34, 33), (13.2, 11.8, 1.3), 23)
    return 1.2


def terrain(scene, folder):
    _, wall = packing(scene, folder, 2, ("speed", by_speed(8.0)))
    scene.add(wall, (0.74, 0.72, 0.66))
    scene.look((-32, -38, 52), (19.5, 20, 9.5), 40)
    return 2.0


def main():
    if len(sys.argv) == 1:
        print(__doc__)
        print("\n".join(COMMANDS.values()))
        return
    folder, names = sys.argv[1], sys.argv[2:] or list(COMMANDS)
    figures = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../figures")
    for name in names:
        scene = Scene()
        radius = globals()[name](scene, os.path.join(folder, name))
        scene.write(os.path.normpath(f"{figures}/gallery-{name}.png"), radius)


if __name__ == "__main__":
    main()
