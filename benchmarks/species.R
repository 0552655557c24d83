# Which species live at a site? Real multi-label sets from the R package ade4, as CSV files:
#   Rscript species.R FOLDER
# Columns x1 … of the site (categories as 0/1 columns), then y1 … of the species: is it there? Species of fewer
# than 5 sites, or missing at fewer than 5, are left out.
library(ade4)
folder <- commandArgs(trailingOnly = TRUE)[1]

write_set <- function(name, sites, counts) {
  x <- model.matrix(~ . - 1, data = as.data.frame(sites))
  y <- 1 * (as.matrix(counts) > 0)
  sums <- colSums(y)
  y <- y[, sums >= 5 & sums <= nrow(y) - 5]
  colnames(x) <- paste0("x", seq_len(ncol(x)))
  colnames(y) <- paste0("y", seq_len(ncol(y)))
  write.csv(cbind(x, y), file.path(folder, paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
}

data(aravo); write_set("aravo", aravo$env, aravo$spe)
data(avimedi); write_set("avimedi", avimedi$plan, avimedi$fau)
data(mafragh); write_set("mafragh", mafragh$env, mafragh$flo)
data(mollusc); write_set("mollusc", mollusc$plan, mollusc$fau)
data(oribatid); write_set("oribatid", oribatid$envir, oribatid$fau)
data(piosphere); write_set("piosphere", piosphere$env, piosphere$veg)
data(rpjdl); write_set("rpjdl", rpjdl$mil, rpjdl$fau)
data(tarentaise); write_set("tarentaise", tarentaise$envir, tarentaise$ecol)
data(vegtf); write_set("vegtf", vegtf$xy, vegtf$veg)
