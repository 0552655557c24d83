#include "deep/net/parameters.h"

#include <cassert>
#include <cmath>
#include <functional>

#include "mmo/core/random.h"

namespace mmo::deep {
namespace {

// FNV-1a: a name has the same number everywhere.
std::uint64_t number_of(const std::string& name) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

Tensor start_values(const TensorSpec& spec, std::uint64_t seed) {
  if (spec.start == Start::zeros) return at::zeros(spec.shape);
  if (spec.start == Start::ones) return at::ones(spec.shape);
  Tensor values = at::empty(spec.shape);
  double deviation = 0.02;
  if (spec.start == Start::he) {
    const double fan_out = static_cast<double>(values.numel()) / static_cast<double>(spec.shape[1]);
    deviation = std::sqrt(2 / fan_out);
  }
  Random random(seed ^ number_of(spec.name));
  auto* data = values.data_ptr<float>();
  for (std::int64_t i = 0; i < values.numel(); ++i) data[i] = static_cast<float>(deviation * random.normal());
  return values;
}

}  // namespace

void add_linear(Specs& specs, const std::string& name, std::int64_t in, std::int64_t out) {
  specs.push_back({name + ".weight", {out, in}, Role::weight, Start::normal});
  specs.push_back({name + ".bias", {out}, Role::bias_or_norm, Start::zeros});
}

void add_norm(Specs& specs, const std::string& name, std::int64_t width) {
  specs.push_back({name + ".weight", {width}, Role::bias_or_norm, Start::ones});
  specs.push_back({name + ".bias", {width}, Role::bias_or_norm, Start::zeros});
}

void add_batch_norm(Specs& specs, const std::string& name, std::int64_t channels) {
  add_norm(specs, name, channels);
  specs.push_back({name + ".running_mean", {channels}, Role::buffer, Start::zeros});
  specs.push_back({name + ".running_var", {channels}, Role::buffer, Start::ones});
}

void add_convolution(Specs& specs, const std::string& name, std::vector<std::int64_t> shape) {
  specs.push_back({name + ".weight", std::move(shape), Role::weight, Start::he});
}

Parameters::Parameters(const Specs& specs, std::uint64_t seed) {
  for (const TensorSpec& spec : specs) set(spec.name, start_values(spec, seed), spec.role);
}

const Tensor& Parameters::operator[](const std::string& name) const {
  const auto found = all_.find(name);
  assert(found != all_.end());
  return found->second.tensor;
}

void Parameters::set(const std::string& name, Tensor tensor, Role role) {
  all_[name] = {std::move(tensor), role};
}

void Parameters::add(const Parameters& other) {
  for (const auto& [name, parameter] : other.all()) all_[name] = parameter;
}

Tensor linear(const Parameters& p, const std::string& name, const Tensor& x) {
  return at::linear(x, p[name + ".weight"], p[name + ".bias"]);
}

Tensor layer_norm(const Parameters& p, const std::string& name, const Tensor& x, double epsilon) {
  return at::layer_norm(x, {x.size(-1)}, p[name + ".weight"], p[name + ".bias"], epsilon);
}

Tensor batch_norm(const Parameters& p, const std::string& name, const Tensor& x_NCHW, const BatchNorm& how) {
  return at::batch_norm(x_NCHW, p[name + ".weight"], p[name + ".bias"], p[name + ".running_mean"],
                        p[name + ".running_var"], how.training, how.momentum, how.epsilon,
                        /*cudnn_enabled=*/false);
}

}  // namespace mmo::deep
