// The filters: see the header.
#include "text/internal/jinja_filters.h"

namespace zhuzi::jinja {

const NamedFunction* find_filter(std::string_view name) {
  for (const auto table : {text_filters(), layout_filters(), value_filters(), row_filters(),
                           select_filters(), json_filters()}) {
    if (const NamedFunction* found = find_function(table, name)) return found;
  }
  return nullptr;
}

}  // namespace zhuzi::jinja
