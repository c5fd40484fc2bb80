// contacts: all contacts of two placed shapes.

#include "queries/table.hpp"

namespace whisker {

void contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
  const queries::PairAlgorithms& pair = queries::algorithms(a.shape, b.shape);
  if (pair.contacts == nullptr) queries::refuse("contacts", a, b);
  result.pairs.clear();
  result.stop = Stop::exact;
  result.cost = {};
  pair.contacts(a, b, options, result);
}

Contacts contacts(const Placed& a, const Placed& b, const ContactOptions& options) {
  Contacts result;
  contacts(a, b, options, result);
  return result;
}

}  // namespace whisker
