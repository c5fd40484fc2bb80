// Cuts a gear into layers: the outline of each, with holes, and its area.
#include <cstdio>

#include <whisker/whisker.hpp>

namespace wk = whisker;

int main() {
  const wk::Shape gear = wk::Mesh(wk::make::gear({.teeth = 24, .bore = 4})).solid();
  const wk::Aabb box = gear.bounds();
  std::printf("a gear of volume %.4f\n", gear.volume());

  // Outlines have positive areas and holes negative ones, so their sum is the area of the layer.
  constexpr int layers = 8;
  const double thick = (box.upper.z() - box.lower.z()) / layers;
  double volume = 0;
  for (int layer = 0; layer < layers; ++layer) {
    const double height = box.lower.z() + (layer + 0.5) * thick;
    const std::vector<wk::Polyline> curves = wk::section(gear, wk::Plane{.normal = {0, 0, 1}, .offset = height});
    double area = 0;
    for (const wk::Polyline& curve : curves) {
      for (std::size_t i = 0; i < curve.points.size(); ++i) {
        const wk::Vector3 &p = curve.points[i], &q = curve.points[(i + 1) % curve.points.size()];
        area += (p.x() * q.y() - p.y() * q.x()) / 2;
      }
    }
    std::printf("at z = %6.3f: %zu curves around an area of %.4f\n", height, curves.size(), area);
    volume += area * thick;
  }
  std::printf("all layers together: %.4f\n", volume);

  // Where the gear lies in the plane, the section is the outline of its face, once.
  const auto face = wk::section(gear, wk::Plane{.normal = {0, 0, 1}, .offset = box.upper.z()});
  std::printf("through the upper face: %zu curves, the first %s\n", face.size(), face[0].closed ? "closed" : "open");
}
