#include "study/paper_table.h"

namespace mmo::study {

std::span<const PaperCell> paper_table() {
  static constexpr PaperCell cells[] = {
      // BR, Algorithm 1, Macro-Thres, MMO
      {"scene", "micro-f1", .6559, .6847, .6631, .6978},
      {"birds", "micro-f1", .4040, .4088, .2871, .4241},
      {"emotions", "micro-f1", .5815, .6554, .6419, .6689},
      {"cal500", "micro-f1", .3647, .4891, .4160, .5019},
      {"scene", "micro-jaccard", .4878, .5151, .5010, .5258},
      {"birds", "micro-jaccard", .2495, .2648, .1942, .2834},
      {"emotions", "micro-jaccard", .3982, .4908, .4790, .5037},
      {"cal500", "micro-jaccard", .2229, .3225, .2608, .3349},
      {"scene", "samples-f1", .5695, .6422, .6303, .6548},
      {"birds", "samples-f1", .1209, .1390, .1390, .1423},
      {"emotions", "samples-f1", .4787, .6241, .6156, .6323},
      {"cal500", "samples-f1", .3632, .4855, .4135, .5021},
      {"scene", "samples-jaccard", .5466, .5976, .5902, .6039},
      {"birds", "samples-jaccard", .1058, .1239, .1195, .1329},
      {"emotions", "samples-jaccard", .4078, .5340, .5173, .5408},
      {"cal500", "samples-jaccard", .2268, .3252, .2623, .3341},
      {"scene", "macro-f1", .6601, .6941, .6737, .7039},
      {"birds", "macro-f1", .3366, .3448, .2971, .3587},
      {"emotions", "macro-f1", .3366, .6450, .6440, .6540},
      {"cal500", "macro-f1", .1293, .2687, .3226, .3266},
      {"scene", "macro-jaccard", .5046, .5373, .5260, .5446},
      {"birds", "macro-jaccard", .2178, .2341, .2051, .2352},
      {"emotions", "macro-jaccard", .3982, .4912, .4900, .5029},
      {"cal500", "macro-jaccard", .0880, .1834, .2146, .2189},
  };
  return cells;
}

}  // namespace mmo::study
