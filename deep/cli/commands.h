// The commands of mmo-deep.
#pragma once

#include "cli/command.h"

namespace mmo::deep::cli {

using mmo::cli::Common;
using mmo::cli::Session;

void add_features(CLI::App& app, Session& session);
void add_train(CLI::App& app, Session& session);
void add_predict(CLI::App& app, Session& session);
void add_evaluate(CLI::App& app, Session& session);
void add_export(CLI::App& app, Session& session);
void add_paper(CLI::App& app, Session& session);

}  // namespace mmo::deep::cli
