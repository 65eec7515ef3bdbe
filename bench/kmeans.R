# R's k-means beside compare.py: reads "DATA START REPEAT" lines, and answers
# with the seconds of each fit, the iterations, and a file of labels.
#
# The algorithm is Lloyd's, in C, from the given centers.

numbers <- function(path) {
  f <- file(path, "rb")
  on.exit(close(f))
  readBin(f, "raw", 8)
  size <- readBin(f, "integer", 1, 2, signed = FALSE, endian = "little")
  header <- rawToChar(readBin(f, "raw", size))
  size <- sub(".*shape", "", header)
  shape <- as.numeric(regmatches(size, gregexpr("[0-9]+", size))[[1]])
  matrix(readBin(f, "double", prod(shape), endian = "little"), shape[1], shape[2], byrow = TRUE)
}

input <- file("stdin", "r")
loaded <- ""
while (length(line <- readLines(input, 1)) > 0) {
  word <- strsplit(line, "\t")[[1]]
  if (word[1] != loaded) {
    x <- numbers(word[1])
    start <- numbers(word[2])
    loaded <- word[1]
  }
  seconds <- sapply(seq_len(as.integer(word[3])), function(i) {
    fits <- if (length(x) < 1e6) 20 else 1
    repeat {
      began <- proc.time()[["elapsed"]]
      for (r in seq_len(fits)) fit <<- suppressWarnings(kmeans(x, start, iter.max = 1000, algorithm = "Lloyd"))
      passed <- proc.time()[["elapsed"]] - began
      if (length(x) >= 1e6 || passed >= 0.2) return(passed / fits) # the clock has milliseconds
      fits <- 4 * fits
    }
  })
  writeLines(as.character(fit$cluster - 1), word[4])
  cat(paste(c(fit$iter, seconds), collapse = "\t"), "\n", sep = "")
  flush(stdout())
}
