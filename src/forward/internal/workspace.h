// How a Workspace is made: what its sizes follow from.
#pragma once

#include "forward/forward.h"

namespace zhuzi {

struct WorkspacePlan {
  const ModelSpec* spec = nullptr;
  const PackedModel* weights = nullptr;
  const ForwardLimits* limits = nullptr;
  const kernels::KvLayout* layout = nullptr;
  std::size_t threads = 1;
};

/// Error: out_of_memory.
[[nodiscard]] Result<Workspace> make_workspace(const WorkspacePlan& plan);

}  // namespace zhuzi
