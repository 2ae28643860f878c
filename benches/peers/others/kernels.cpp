// The peers in C++ for run.py: Embree's point query and coal's distance. Times are CPU seconds of this thread.

#include <coal/distance.h>
#include <coal/shape/convex.h>
#include <embree3/rtcore.h>
#include <time.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace {

double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

struct Box {
  double low[3], high[3];
};

struct Wall {
  RTCDevice device;
  RTCScene scene;
  std::vector<Box> boxes;
};

struct Search {
  const Wall *wall;
  const double *sphere;
  std::vector<unsigned> near;
};

// Keeps a triangle if its bounding box is within the radius.
bool visit(RTCPointQueryFunctionArguments *query) {
  auto &search = *static_cast<Search *>(query->userPtr);
  const Box &box = search.wall->boxes[query->primID];
  const double *s = search.sphere;
  double squared = 0;
  for (int k = 0; k < 3; k++) {
    double by = std::max({box.low[k] - s[k], s[k] - box.high[k], 0.0});
    squared += by * by;
  }
  if (squared <= s[3] * s[3]) search.near.push_back(query->primID);
  return false;
}

struct Pairs {
  std::vector<std::unique_ptr<coal::ConvexBase>> shapes;
  std::vector<std::array<coal::Transform3s, 2>> poses;
  // Those of a step; the pairs of the others have the same shapes.
  std::vector<coal::ComputeDistance> kernels;
};

coal::Transform3s pose(const double *m) {
  coal::Matrix3s turn;
  turn << m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10];
  return {turn, coal::Vec3s(m[3], m[7], m[11])};
}

}  // namespace

extern "C" {

const char *versions() { return "embree " RTC_VERSION_STRING "\ncoal " COAL_VERSION; }

Wall *wall_new(const double *vertices, size_t points, const double *triangles, size_t count) {
  auto *wall = new Wall;
  wall->device = rtcNewDevice("threads=1");
  wall->scene = rtcNewScene(wall->device);
  rtcSetSceneBuildQuality(wall->scene, RTC_BUILD_QUALITY_HIGH);
  RTCGeometry mesh = rtcNewGeometry(wall->device, RTC_GEOMETRY_TYPE_TRIANGLE);
  auto *corners = static_cast<float *>(rtcSetNewGeometryBuffer(
      mesh, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), points));
  auto *ids = static_cast<unsigned *>(rtcSetNewGeometryBuffer(
      mesh, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(unsigned), count));
  std::copy_n(vertices, 3 * points, corners);
  std::copy_n(triangles, 3 * count, ids);
  for (size_t i = 0; i < count; i++) {
    Box box;
    for (int k = 0; k < 3; k++) {
      auto at = [&](int corner) { return vertices[3 * ids[3 * i + corner] + k]; };
      box.low[k] = std::min({at(0), at(1), at(2)});
      box.high[k] = std::max({at(0), at(1), at(2)});
    }
    wall->boxes.push_back(box);
  }
  rtcSetGeometryPointQueryFunction(mesh, visit);
  rtcCommitGeometry(mesh);
  rtcAttachGeometry(wall->scene, mesh);
  rtcReleaseGeometry(mesh);
  rtcCommitScene(wall->scene);
  return wall;
}

// The sum over the spheres of the triangles near each.
double wall_round(const Wall *wall, const double *spheres, size_t count, double *found) {
  Search search{wall, nullptr, {}};
  RTCPointQueryContext context;
  double start = now(), sum = 0;
  for (size_t i = 0; i < count; i++) {
    search.sphere = spheres + 4 * i;
    search.near.clear();
    const double *s = search.sphere;
    // Embree has f32 only: the rounded bounds and center are up to this far off.
    float radius = s[3] * (1 + 1e-6) + 1e-4;
    RTCPointQuery query{float(s[0]), float(s[1]), float(s[2]), 0, radius};
    rtcInitPointQueryContext(&context);
    rtcPointQuery(wall->scene, &query, &context, nullptr, &search);
    sum += search.near.size();
  }
  double time = now() - start;
  *found = sum;
  return time;
}

void wall_free(Wall *wall) {
  rtcReleaseScene(wall->scene);
  rtcReleaseDevice(wall->device);
  delete wall;
}

// `each` vertices for a shape; a pair has a shape and the rows of a motion, twice.
Pairs *pairs_new(const double *shapes, const double *pairs, size_t count, size_t each, size_t all,
                 size_t step) {
  auto *made = new Pairs;
  for (size_t i = 0; i < count; i++) {
    auto points = std::make_shared<std::vector<coal::Vec3s>>();
    for (size_t k = 0; k < each; k++) {
      const double *p = shapes + 3 * (i * each + k);
      points->emplace_back(p[0], p[1], p[2]);
    }
    made->shapes.emplace_back(coal::ConvexBase::convexHull(points, each, true));
  }
  for (size_t i = 0; i < all; i++) {
    const double *a = pairs + 26 * i, *b = a + 13;
    made->poses.push_back({pose(a + 1), pose(b + 1)});
    if (i < step)
      made->kernels.emplace_back(made->shapes[size_t(*a)].get(), made->shapes[size_t(*b)].get());
  }
  return made;
}

// Signed distances; warm from the state of the step before.
double pairs_round(const Pairs *pairs, bool is_warm, double *gaps) {
  coal::DistanceRequest fresh(true, true);
  if (is_warm) fresh.gjk_initial_guess = coal::GJKInitialGuess::CachedGuess;
  std::vector<coal::DistanceRequest> requests(pairs->kernels.size(), fresh);
  coal::DistanceResult result;
  double start = now();
  for (size_t i = 0; i < pairs->poses.size(); i++) {
    size_t k = i % requests.size();
    const auto &[a, b] = pairs->poses[i];
    result.clear();
    gaps[i] = pairs->kernels[k](a, b, requests[k], result);
    if (is_warm) requests[k].updateGuess(result);
  }
  return now() - start;
}

void pairs_free(Pairs *pairs) { delete pairs; }

}
