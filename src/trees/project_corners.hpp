#pragma once

// Computes how far the corners of many triangles reach along three axes.

namespace whisker::trees {

/// Corners in double, leaf by leaf, 12 each as in TriangleLeaf.
struct LeafCorners {
  double x[12];
  double y[12];
  double z[12];
};

struct Reaches {
  double lower[3];
  double upper[3];
};

/// The least and the largest axis[i] · (p - from), in double, over all corners p of the leaves from `begin` to `end`.
Reaches project_corners(const LeafCorners* begin, const LeafCorners* end, const double (&axis)[3][3],
                        const double (&from)[3]);

}  // namespace whisker::trees
