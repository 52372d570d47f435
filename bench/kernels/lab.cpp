// The kernel laboratory: checks each format's product against the scalar reference, then times it
// next to what the machine can do.
//
//   kernel_lab [decode] [step] [batch] [prefill] [quantize] [pack] [call]      all, if none is
//   named
//              [--format Q4_1] [--set avx2] [--threads 2] [--rounds 9] [--mib 256]
//
// Every row is measured once in each round, right after its limit (a plain read of the same memory,
// a loop on registers only), because machines are shared and their speed moves by the second.
// Printed are the best round and, in brackets, the median; "share" is best by best. To try a
// variant, change the format's file: a product whose bits differ from the reference is not timed.
//
// Longer than 400 lines because reference, check and all tables of one laboratory stand together.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/check.h"
#include "base/threads.h"
#include "kernels/internal/peak_loops.h"
#include "kernels/matrix.h"
#include "tensor/buffer.h"

using namespace zhuzi;
using namespace zhuzi::kernels;

namespace {

struct Options {
  std::vector<std::string_view> sections;
  std::optional<std::string_view> format;
  InstructionSet set = best_supported();
  std::size_t threads = usable_threads();
  std::size_t rounds = 9;
  std::size_t mib = 256;
};

/// Rates of one row of a table, one for each round.
struct Rates {
  std::vector<double> each;
  [[nodiscard]] double best() const { return std::ranges::max(each); }
  [[nodiscard]] double median() const {
    std::vector<double> sorted = each;
    std::ranges::sort(sorted);
    return sorted[sorted.size() / 2];
  }
};

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Buffer memory_of(std::size_t bytes) {
  auto buffer = Buffer::make(bytes);
  check(buffer.has_value(), "memory for the laboratory");
  return *std::move(buffer);
}

// ---------------------------------------------------------------------------------- the product

/// A packed matrix: a few random panels, repeated.
class Weights {
 public:
  Weights(const OpContext& context, const Format& format, std::size_t rows, std::size_t columns)
      : format_(format), rows_(rows), columns_(columns) {
    const std::size_t bytes = panel_bytes(format, columns);
    const std::size_t panels = panel_count(rows);
    const std::size_t distinct = std::min<std::size_t>(panels, 8);
    const ElementInfo& element = info(element_of(format));
    std::vector<std::byte> source(distinct * panel_rows * columns / element.block_elements *
                                  element.block_bytes);
    std::uint32_t state = 1;
    for (std::byte& byte : source) {
      state = state * 1664525 + 1013904223;
      byte = static_cast<std::byte>(state >> 24 & 0x3b);  // Halves and bfloat16 stay moderate.
    }
    panels_ = memory_of(panels * bytes);
    const bool is_finite = pack(context, format,
                                {.data = source.data(),
                                 .row_bytes = source.size() / (distinct * panel_rows),
                                 .rows = distinct * panel_rows,
                                 .columns = columns,
                                 .order = {}},
                                panels_.bytes().first(distinct * bytes));
    check(is_finite, "the laboratory's weights are finite");
    for (std::size_t p = distinct; p < panels; ++p) {
      std::memcpy(panels_.data() + p * bytes, panels_.data() + p % distinct * bytes, bytes);
    }
  }
  [[nodiscard]] PanelMatrix matrix() const { return {&format_, panels_.data(), rows_, columns_}; }
  [[nodiscard]] const Buffer& memory() const { return panels_; }

  static ElementType element_of(const Format& format) {
    for (const ElementType type : computable_types()) {
      if (format_for(type) == &format) return type;
    }
    check(false, "a format of the table");
    return ElementType::f32;
  }

 private:
  const Format& format_;
  std::size_t rows_;
  std::size_t columns_;
  Buffer panels_;
};

/// Rows of activations in both forms.
class Inputs {
 public:
  Inputs(const OpContext& context, std::size_t rows, std::size_t columns)
      : rows_(rows),
        columns_(columns),
        values_(memory_of(rows * columns * sizeof(float))),
        groups_(memory_of(quantized_bytes(rows, columns))),
        faults_(rows) {
    for (std::size_t i = 0; i < rows * columns; ++i) {
      values_.floats()[i] = std::sin(static_cast<float>(i) * 0.7f);
    }
    (void)quantize(context);
  }
  ConstRows view() { return {values_.floats().data(), columns_, rows_, columns_}; }
  Activations quantize(const OpContext& context) {
    return quantize_rows(context, view(), groups_.bytes(), faults_);
  }
  Activations as(const OpContext& context, const Format& format) {
    return activation_kind(format) == ActivationKind::float_values ? float_rows(view())
                                                                   : quantize(context);
  }

 private:
  std::size_t rows_;
  std::size_t columns_;
  Buffer values_;
  Buffer groups_;
  std::vector<RowFault> faults_;
};

class Outputs {
 public:
  Outputs(std::size_t rows, std::size_t columns)
      : rows_(rows), stride_(panel_count(columns) * panel_rows), columns_(columns) {
    values_ = memory_of(rows * stride_ * sizeof(float));
  }
  Rows view() { return {values_.floats().data(), stride_, rows_, columns_}; }
  [[nodiscard]] const Buffer& memory() const { return values_; }

 private:
  std::size_t rows_;
  std::size_t stride_;
  std::size_t columns_;
  Buffer values_;
};

/// The same bits as the scalar reference, on the matrix's first panels.
void check_bits(const OpContext& context, const Weights& weights, Activations x) {
  PanelMatrix matrix = weights.matrix();
  matrix.rows = std::min<std::size_t>(matrix.rows, 48);
  x.rows = std::min<std::size_t>(x.rows, 9);
  Outputs fast(x.rows, matrix.rows);
  Outputs reference(x.rows, matrix.rows);
  multiply(context, matrix, x, fast.view());
  multiply({.threads = nullptr, .set = InstructionSet::scalar}, matrix, x, reference.view());
  check(std::memcmp(fast.memory().data(), reference.memory().data(), fast.memory().size()) == 0,
        "the product has the bits of the scalar reference");
}

// --------------------------------------------------------------------------------------- limits

double read_seconds(const OpContext& context, const Buffer& memory) {
  constexpr std::size_t part = std::size_t{1} << 20;
  const PeakLoops& loops = peak_loops(context.set);
  return seconds_of([&] {
    context.threads->run(memory.size() / part, [&](std::size_t i, std::size_t) {
      loops.read(memory.data() + i * part, part);
    });
  });
}

/// Operations per second of a loop on registers only.
double arithmetic_rate(const OpContext& context, bool is_float) {
  constexpr std::size_t steps = 20'000;
  const PeakLoops& loops = peak_loops(context.set);
  const std::size_t parts = 4 * context.threads->threads();
  const double seconds = seconds_of([&] {
    context.threads->run(
        parts, [&](std::size_t, std::size_t) { is_float ? loops.f32(steps) : loops.int8(steps); });
  });
  return static_cast<double>(parts * steps) *
         (is_float ? loops.f32_operations : loops.int8_operations) / seconds;
}

// --------------------------------------------------------------------------------------- tables

void print_row(std::string_view what, std::size_t rows, const Rates& limit, const Rates& product,
               std::string_view unit) {
  fmt::print("{:<28} M {:<4} limit {:7.1f} ({:7.1f})  product {:7.1f} ({:7.1f}) {}  share {:.2f}\n",
             what, rows, limit.best() / 1e9, limit.median() / 1e9, product.best() / 1e9,
             product.median() / 1e9, unit, product.best() / limit.best());
}

std::string name_of_shape(const Format& format, std::size_t rows, std::size_t columns) {
  return fmt::format("{:<5} {} x {}", name_of(format), rows, columns);
}

/// Weights far larger than the caches against a few rows: bytes per second.
void stream_table(const OpContext& context, const Options& options,
                  const std::vector<const Format*>& formats, std::span<const std::size_t> batches) {
  constexpr std::size_t columns = 1024;
  for (const Format* format : formats) {
    const std::size_t panels = (options.mib << 20) / panel_bytes(*format, columns);
    const Weights weights(context, *format, panels * panel_rows, columns);
    for (const std::size_t batch : batches) {
      Inputs inputs(context, batch, columns);
      Outputs y(batch, panels * panel_rows);
      const Activations x = inputs.as(context, *format);
      check_bits(context, weights, x);
      const auto bytes = static_cast<double>(weights.memory().size());
      Rates limit;
      Rates product;
      for (std::size_t round = 0; round < options.rounds; ++round) {
        limit.each.push_back(bytes / read_seconds(context, weights.memory()));
        product.each.push_back(
            bytes / seconds_of([&] { multiply(context, weights.matrix(), x, y.view()); }));
      }
      print_row(name_of_shape(*format, panels * panel_rows, columns), batch, limit, product,
                "GB/s");
    }
  }
}

struct Shape {
  std::size_t rows;
  std::size_t columns;
};

/// All products of one decoded token of a 135M model (30 layers and the head), in order.
void step_table(const OpContext& context, const Options& options, ElementType layer_type) {
  constexpr std::array shapes{Shape{1920, 576}, Shape{576, 576}, Shape{3072, 576},
                              Shape{576, 1536}};
  constexpr std::size_t layers = 30;
  std::vector<Weights> weights;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    for (const Shape& shape : shapes) {
      weights.emplace_back(context, *format_for(layer_type), shape.rows, shape.columns);
    }
  }
  weights.emplace_back(context, *format_for(ElementType::q8_0), 49'152, 576);
  Inputs narrow(context, 1, 576);
  Inputs wide(context, 1, 1536);
  Outputs y(1, 49'152);
  std::array<double, shapes.size() + 1> best{};
  for (std::size_t round = 0; round < 3 * options.rounds; ++round) {
    std::array<double, shapes.size() + 1> seconds{};
    std::array<double, shapes.size() + 1> bytes{};
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const std::size_t kind = i + 1 == weights.size() ? shapes.size() : i % shapes.size();
      const PanelMatrix matrix = weights[i].matrix();
      const Activations x = (matrix.columns == 576 ? narrow : wide).as(context, *matrix.format);
      seconds[kind] += seconds_of([&] { multiply(context, matrix, x, y.view()); });
      bytes[kind] += static_cast<double>(weights[i].memory().size());
    }
    for (std::size_t kind = 0; kind < best.size(); ++kind) {
      best[kind] = std::max(best[kind], bytes[kind] / seconds[kind]);
    }
  }
  for (std::size_t kind = 0; kind < best.size(); ++kind) {
    const PanelMatrix matrix = weights[kind < shapes.size() ? kind : weights.size() - 1].matrix();
    const auto bytes = static_cast<double>(
        weights[kind < shapes.size() ? kind : weights.size() - 1].memory().size());
    fmt::print("{:<28} M 1    {:6.1f} GB/s  {:7.1f} us a call\n",
               name_of_shape(*matrix.format, matrix.rows, matrix.columns), best[kind] / 1e9,
               bytes / best[kind] * 1e6);
  }
}

void prefill_table(const OpContext& context, const Options& options,
                   const std::vector<const Format*>& formats) {
  constexpr std::size_t batch = 512;
  for (const Format* format : formats) {
    for (const Shape shape : {Shape{3072, 1024}, Shape{1024, 3072}, Shape{1536, 768}}) {
      const Weights weights(context, *format, shape.rows, shape.columns);
      Inputs inputs(context, batch, shape.columns);
      Outputs y(batch, shape.rows);
      const Activations x = inputs.as(context, *format);
      check_bits(context, weights, x);
      const double operations = 2.0 * static_cast<double>(batch * shape.rows * shape.columns);
      const bool is_float = x.kind == ActivationKind::float_values;
      Rates limit;
      Rates product;
      for (std::size_t round = 0; round < options.rounds; ++round) {
        limit.each.push_back(arithmetic_rate(context, is_float));
        product.each.push_back(
            operations / seconds_of([&] { multiply(context, weights.matrix(), x, y.view()); }));
      }
      print_row(name_of_shape(*format, shape.rows, shape.columns), batch, limit, product, "GOP/s");
    }
  }
}

void quantize_table(const OpContext& context, const Options& options) {
  for (const std::size_t rows : {1, 512}) {
    Inputs inputs(context, rows, 1536);
    double best = 1;
    for (std::size_t round = 0; round < 100 * options.rounds; ++round) {
      best = std::min(best, seconds_of([&] { (void)inputs.quantize(context); }));
    }
    fmt::print("quantizing {} rows of 1536: {:.2f} us, {:.3f} ns a value\n", rows, best * 1e6,
               best * 1e9 / static_cast<double>(rows * 1536));
  }
}

void pack_table(const OpContext& context, const Options& options,
                const std::vector<const Format*>& formats) {
  constexpr Shape shape{49'152, 768};
  for (const Format* format : formats) {
    const ElementInfo& element = info(Weights::element_of(*format));
    const std::size_t row_bytes = shape.columns / element.block_elements * element.block_bytes;
    const Buffer source = memory_of(shape.rows * row_bytes);
    Rates rates;
    for (std::size_t round = 0; round < options.rounds; ++round) {
      Buffer panels = memory_of(panel_count(shape.rows) * panel_bytes(*format, shape.columns));
      rates.each.push_back(static_cast<double>(source.size()) / seconds_of([&] {
                             (void)pack(context, *format,
                                        {.data = source.data(),
                                         .row_bytes = row_bytes,
                                         .rows = shape.rows,
                                         .columns = shape.columns,
                                         .order = {}},
                                        panels.bytes());
                           }));
    }
    fmt::print("packing {:<5} into new memory: {:5.2f} ({:5.2f}) GB/s\n", name_of(*format),
               rates.best() / 1e9, rates.median() / 1e9);
  }
}

/// The smallest product that is split: what a call costs beside its arithmetic.
void call_table(const OpContext& context, const Options& options) {
  for (const std::size_t rows : {16, 192, 576}) {
    const Weights weights(context, *format_for(ElementType::q4_1), rows, 576);
    Inputs inputs(context, 1, 576);
    Outputs y(1, rows);
    const Activations x = inputs.quantize(context);
    constexpr std::size_t calls = 200;
    double best = 1;
    for (std::size_t round = 0; round < 20 * options.rounds; ++round) {
      best = std::min(best, seconds_of([&] {
                              for (std::size_t i = 0; i < calls; ++i) {
                                multiply(context, weights.matrix(), x, y.view());
                              }
                            }) / calls);
    }
    fmt::print("Q4_1  {} x 576 in cache: {:.2f} us a call\n", rows, best * 1e6);
  }
}

Options parse(std::span<char*> arguments) {
  Options options;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    const bool has_value = i + 1 < arguments.size();
    if (argument == "--format" && has_value) {
      options.format = arguments[++i];
    } else if (argument == "--set" && has_value) {
      const auto set = instruction_set_named(arguments[++i]);
      check(set && is_supported(*set), "an instruction set of this machine");
      options.set = *set;
    } else if (argument == "--threads" && has_value) {
      options.threads = std::strtoul(arguments[++i], nullptr, 10);
    } else if (argument == "--rounds" && has_value) {
      options.rounds = std::strtoul(arguments[++i], nullptr, 10);
    } else if (argument == "--mib" && has_value) {
      options.mib = std::strtoul(arguments[++i], nullptr, 10);
    } else {
      options.sections.push_back(argument);
    }
  }
  return options;
}

}  // namespace

int main(int count, char** arguments) {
  const Options options = parse({arguments, static_cast<std::size_t>(count)});
  const auto is_wanted = [&](std::string_view section) {
    return options.sections.empty() || std::ranges::count(options.sections, section) > 0;
  };
  std::vector<const Format*> formats;
  for (const ElementType type : computable_types()) {
    if (!options.format || info(type).name == *options.format) formats.push_back(format_for(type));
  }
  ThreadPool threads(options.threads);
  const OpContext context{.threads = &threads, .set = options.set};
  fmt::print("{} on {} threads\n", name_of(options.set), options.threads);
  if (is_wanted("decode")) stream_table(context, options, formats, std::array<std::size_t, 1>{1});
  if (is_wanted("step")) step_table(context, options, ElementType::q4_1);
  if (is_wanted("batch")) {
    stream_table(context, options, formats, std::array<std::size_t, 5>{2, 4, 8, 16, 32});
  }
  if (is_wanted("prefill")) prefill_table(context, options, formats);
  if (is_wanted("quantize")) quantize_table(context, options);
  if (is_wanted("pack")) pack_table(context, options, formats);
  if (is_wanted("call")) call_table(context, options);
  return 0;
}
