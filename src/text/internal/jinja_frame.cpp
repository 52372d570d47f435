// Frame: see the header.
#include "text/internal/jinja_frame.h"

namespace zhuzi::jinja {

Frame* FrameStore::open(Frame* parent) {
  if (free_.empty()) {
    frames_.push_back({.parent = parent});
    return &frames_.back();
  }
  Frame* frame = free_.back();
  free_.pop_back();
  frame->parent = parent;
  return frame;
}

void FrameStore::close(Frame* frame) {
  if (frame->is_captured) return;
  frame->variables.clear();
  free_.push_back(frame);
}

void FrameStore::capture(Frame* frame) {
  for (; frame != nullptr && !frame->is_captured; frame = frame->parent) frame->is_captured = true;
}

}  // namespace zhuzi::jinja
