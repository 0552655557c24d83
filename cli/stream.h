// `mmo predict MODEL - --stream`: one row in, its labels out at once, so any server or pipe can drive it.
#pragma once

#include "cli/command.h"
#include "cli/data_flags.h"
#include "cli/predictions.h"
#include "cli/row_writer.h"

namespace mmo::cli {

// Reads flags.data to the end. Rows are lines of JSON, svmlight or plain text, or of CSV or TSV, whose first
// line names the columns. With JSON lines as output, a row that can't be read gets {"error": …} as its
// answer; otherwise it ends the stream.
void predict_stream(const Common& common, const DataFlags& flags, const Model& model, AtomicFile& out,
                    PredictionFormat format, RowWriter& rows);

}  // namespace mmo::cli
