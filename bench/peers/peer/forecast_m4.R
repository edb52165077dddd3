# The eight benchmarks of the M4 competition as its organisers computed them, by the R package forecast, on series in a long
# CSV (id,t,value). Holt and damped trends without intervals, as there.
suppressPackageStartupMessages(library(forecast))
args <- commandArgs(TRUE)
data <- read.csv(args[1]); h <- as.integer(args[2])
series <- split(data$value, factor(data$id, unique(data$id)))
before <- proc.time()
out <- lapply(series, function(v) {
  y <- ts(v)
  ses <- ses(y, h = h)$mean; holt <- holt(y, h = h, damped = FALSE)$mean; damped <- holt(y, h = h, damped = TRUE)$mean
  list(naive = naive(y, h = h)$mean, snaive = snaive(y, h = h)$mean, naive2 = naive(y, h = h)$mean, ses = ses, holt = holt,
       damped = damped, theta = thetaf(y, h = h)$mean)
})
used <- proc.time() - before
numbers <- function(v) paste0("[", paste(format(as.numeric(v), digits = 12), collapse = ","), "]")
text <- paste(vapply(names(out), function(id) paste0('"', id, '":{', paste(vapply(names(out[[id]]), function(m)
  paste0('"', m, '":', numbers(out[[id]][[m]])), ""), collapse = ","), "}"), ""), collapse = ",")
cat(sprintf('{"versions":{"R":"%s","forecast":"%s"},"work":{"wall":%f,"cpu":%f},"series":{%s}}\n',
            paste(R.version$major, R.version$minor, sep = "."), packageVersion("forecast"), used[["elapsed"]],
            used[["user.self"]] + used[["sys.self"]], text))
