// whisker make NAME [options] -o FILE

#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <whisker/io.hpp>
#include <whisker/make/make.hpp>

#include "commands.hpp"

namespace whisker::apps {
namespace {

void run_make(const make::Model& model, const std::vector<double>& values, const std::string& path, bool binary) {
  const MeshData mesh = model.build(values);
  write_mesh(path, mesh, {.format = {}, .binary = binary});
  fmt::print("{}: {} triangles, {} vertices\n", path, mesh.triangles.size(), mesh.vertices.size());
}

}  // namespace

void add_make_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("make", "Generate a model and write it to a file.");
  command->require_subcommand(1);
  for (const make::Model& model : make::models()) {
    CLI::App* sub = command->add_subcommand(std::string(model.name), std::string(model.summary));
    auto values = std::make_shared<std::vector<double>>();
    for (const make::Parameter& parameter : model.parameters)
      values->push_back(parameter.initial);
    for (std::size_t i = 0; i < model.parameters.size(); ++i) {
      const make::Parameter& parameter = model.parameters[i];
      sub->add_option("--" + std::string(parameter.name), (*values)[i],
                      fmt::format("{} [{}]", parameter.summary, parameter.initial));
    }
    auto path = std::make_shared<std::string>();
    auto binary = std::make_shared<bool>(false);
    sub->add_option("-o,--output", *path, "the file to write: .stl, .obj, .ply or .off")->required();
    sub->add_flag("--binary", *binary, "write STL or PLY in binary");
    sub->callback([&model, values, path, binary] { run_make(model, *values, *path, *binary); });
  }
}

}  // namespace whisker::apps
