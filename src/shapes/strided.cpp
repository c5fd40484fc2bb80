// Copies points and vertex numbers from the caller's arrays.

#include <cstring>
#include <limits>
#include <string>

#include <whisker/error.hpp>
#include <whisker/mesh_data.hpp>

namespace whisker {
namespace {

/// Calls `visit(row, numbers)` for each row. The numbers are copied, because they need not be aligned.
template <class Number, std::size_t width, class Visit>
void visit_rows(const detail::StridedRows& rows, const Visit& visit) {
  const auto* at = static_cast<const std::byte*>(rows.first);
  std::array<Number, width> numbers;
  for (std::size_t i = 0; i < rows.count; ++i) {
    std::memcpy(numbers.data(), at + i * rows.stride, sizeof numbers);
    visit(i, numbers);
  }
}

template <class Integer, std::size_t corners>
void copy_indices(const detail::StridedRows& rows, std::vector<std::array<std::uint32_t, corners>>& out) {
  visit_rows<Integer, corners>(rows, [&](std::size_t i, const std::array<Integer, corners>& numbers) {
    for (std::size_t k = 0; k < corners; ++k) {
      const Integer number = numbers[k];
      const auto refuse = [&](const char* why) {
        throw Error((corners == 3 ? "triangle " : "tetrahedron ") + std::to_string(i) + " refers to vertex " +
                    std::to_string(number) + why);
      };
      if (number < 0) refuse("; vertices are numbered from 0");
      if constexpr (sizeof(Integer) == 8)
        if (static_cast<std::uint64_t>(number) > std::numeric_limits<std::uint32_t>::max())
          refuse(", which is beyond the largest vertex number, 4294967295");
      out[i][k] = static_cast<std::uint32_t>(number);
    }
  });
}

}  // namespace

detail::StridedRows detail::checked_rows(const StridedRows& given, std::size_t row_bytes, const char* what,
                                         const char* rows) {
  if (given.count == 0) return {nullptr, 0, row_bytes, given.type};
  const std::string start = std::to_string(given.count) + " " + rows + " in an array: ";
  if (given.first == nullptr) throw Error(start + "the pointer to the first " + what + " is null");
  if (given.stride < row_bytes) {
    throw Error(start + "a stride of " + std::to_string(given.stride) + " bytes is less than the " +
                std::to_string(row_bytes) + " bytes of a " + what + "; give the bytes from one " + what +
                " to the next");
  }
  constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max();
  if (given.count - 1 > (most - row_bytes) / given.stride) {
    throw Error(start + "with a stride of " + std::to_string(given.stride) +
                " bytes this is more than memory can hold; strides are positive, and in bytes");
  }
  return given;
}

std::size_t detail::count_rows(std::size_t numbers, std::size_t width, const char* rows) {
  if (numbers % width != 0) {
    throw Error(std::to_string(numbers) + " numbers for " + rows + " of " + std::to_string(width) +
                " numbers each: the last one is incomplete");
  }
  return numbers / width;
}

std::vector<Vector3> to_points(const StridedPoints& points) {
  std::vector<Vector3> out(points.size());
  const auto copy = [&](std::size_t i, const auto& p) {
    out[i] = {static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2])};
  };
  if (points.rows().type == detail::NumberType::float32) {
    visit_rows<float, 3>(points.rows(), copy);
  } else {
    visit_rows<double, 3>(points.rows(), copy);
  }
  return out;
}

template <std::size_t corners>
std::vector<std::array<std::uint32_t, corners>> to_indices(const StridedIndices<corners>& indices) {
  std::vector<std::array<std::uint32_t, corners>> out(indices.size());
  switch (indices.rows().type) {
    case detail::NumberType::int16:
      copy_indices<std::int16_t>(indices.rows(), out);
      break;
    case detail::NumberType::uint16:
      copy_indices<std::uint16_t>(indices.rows(), out);
      break;
    case detail::NumberType::int32:
      copy_indices<std::int32_t>(indices.rows(), out);
      break;
    case detail::NumberType::uint32:
      copy_indices<std::uint32_t>(indices.rows(), out);
      break;
    case detail::NumberType::int64:
      copy_indices<std::int64_t>(indices.rows(), out);
      break;
    default:
      copy_indices<std::uint64_t>(indices.rows(), out);
      break;
  }
  return out;
}
template std::vector<std::array<std::uint32_t, 3>> to_indices(const StridedIndices<3>& indices);
template std::vector<std::array<std::uint32_t, 4>> to_indices(const StridedIndices<4>& indices);

MeshData mesh_data(const StridedPoints& vertices, const StridedIndices<3>& triangles) {
  return {to_points(vertices), to_indices(triangles)};
}

}  // namespace whisker
