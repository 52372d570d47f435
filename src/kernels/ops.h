// The operations that forward and sampling call: the whole public face of this room. Another device
// implements the same list.
#pragma once

#include "kernels/attention.h"   // IWYU pragma: export
#include "kernels/isa.h"         // IWYU pragma: export
#include "kernels/math.h"        // IWYU pragma: export
#include "kernels/matrix.h"      // IWYU pragma: export
#include "kernels/rope.h"        // IWYU pragma: export
#include "kernels/rows.h"        // IWYU pragma: export
#include "kernels/vector_ops.h"  // IWYU pragma: export
#include "kernels/vocabulary.h"  // IWYU pragma: export
