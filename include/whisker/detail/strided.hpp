#pragma once

/// \file
/// What the views of a caller's arrays consist of (mesh_data.hpp): where the rows are, and the type of their numbers.

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace whisker::detail {

/// The type of the numbers in an array.
enum class NumberType : unsigned char { float32, float64, int16, uint16, int32, uint32, int64, uint64 };

template <class T>
concept StridedReal = std::same_as<T, float> || std::same_as<T, double>;
template <class T>
concept StridedInteger = std::integral<T> && !std::same_as<T, bool> && sizeof(T) >= 2 && sizeof(T) <= 8;

template <class Number>
constexpr NumberType number_type() {
  if constexpr (StridedReal<Number>) return sizeof(Number) == 4 ? NumberType::float32 : NumberType::float64;
  constexpr bool is_signed = std::is_signed_v<Number>;
  if constexpr (sizeof(Number) == 2) return is_signed ? NumberType::int16 : NumberType::uint16;
  if constexpr (sizeof(Number) == 4) return is_signed ? NumberType::int32 : NumberType::uint32;
  return is_signed ? NumberType::int64 : NumberType::uint64;
}

/// Rows of numbers in the caller's memory. A row begins every `stride` bytes, at any alignment.
struct StridedRows {
  const void* first = nullptr;
  std::size_t count = 0;
  std::size_t stride = 0;
  NumberType type = NumberType::float64;
};

/// The same after a check. Throws an Error that says what is wrong with it: rows that overlap or do not fit into
/// memory, or no memory at all. `what` and `rows` are what a row is, in singular and plural.
StridedRows checked_rows(const StridedRows& given, std::size_t row_bytes, const char* what, const char* rows);
/// The number of rows of `width` numbers each. Throws an Error if the last one is incomplete.
std::size_t count_rows(std::size_t numbers, std::size_t width, const char* rows);

/// The number type of an array of numbers, or of an array of rows: std::array, Eigen's vectors, and other classes that
/// consist of `width` numbers and name their type `value_type`.
template <class Element, std::size_t width>
struct RowOf {};
template <class Number, std::size_t width>
requires std::is_arithmetic_v<Number>
struct RowOf<Number, width> {
  using Type = Number;
};
template <class Row, std::size_t width>
requires(!std::is_arithmetic_v<Row> && std::is_trivially_destructible_v<Row> &&
         sizeof(Row) == width * sizeof(typename Row::value_type)) struct RowOf<Row, width> {
  using Type = typename Row::value_type;
};

template <class Range>
using ElementOf = std::remove_cv_t<typename decltype(std::span(std::declval<const Range&>()))::element_type>;
template <class Range, std::size_t width>
using NumberOf = typename RowOf<ElementOf<Range>, width>::Type;

template <std::size_t width, class Range>
StridedRows rows_of(const Range& range, const char* what, const char* rows) {
  const std::span items(range);
  using Number = NumberOf<Range, width>;
  constexpr bool is_flat = std::is_arithmetic_v<ElementOf<Range>>;
  const std::size_t count = is_flat ? count_rows(items.size(), width, rows) : items.size();
  constexpr std::size_t bytes = width * sizeof(Number);
  return checked_rows({items.data(), count, bytes, number_type<Number>()}, bytes, what, rows);
}

}  // namespace whisker::detail
