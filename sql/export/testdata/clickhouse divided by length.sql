-- The clusters of run "m" (kmeans), for ClickHouse.
-- A row gets the number of its nearest center, or NULL where it lacks the columns that count.
CREATE OR REPLACE FUNCTION `m_cluster` AS (`a`, `say "hi"`, `C\'1`, `constant`) ->
  arrayMap(x -> CASE WHEN (x[1] IS NOT NULL OR x[2] IS NOT NULL OR x[3] IS NOT NULL OR x[4] IS NOT NULL) THEN arrayMap(d -> toInt32(indexOf(d, arrayMin(d)) - 1), [arrayMap(c ->
      coalesce(((x[1] - 0.34769940631443846e0) / 0.22897057499297835e0 - c[1]) * ((x[1] - 0.34769940631443846e0) / 0.22897057499297835e0 - c[1]), 0) +
      coalesce(((x[2] - 0.08665970187307222e0) / 0.08571336588474351e0 - c[2]) * ((x[2] - 0.08665970187307222e0) / 0.08571336588474351e0 - c[2]), 0) +
      coalesce(((x[3] - 0.8670007872141093e0) / 0.17216644468101758e0 - c[3]) * ((x[3] - 0.8670007872141093e0) / 0.17216644468101758e0 - c[3]), 0) +
      coalesce(((x[4] - 0.42409244270769303e0) / 0.28585480018109366e0 - c[4]) * ((x[4] - 0.42409244270769303e0) / 0.28585480018109366e0 - c[4]), 0),
    [[-0.5031155468698775e0, 2.0402308873114388e0, -2.81016080688023e0, 1.6943880724859663e0],
     [-0.01938204831071029e0, 0.10337020760012185e0, -0.21664556027727958e0, -0.1386804366527309e0],
     [1.704693584585599e0, 0.12615890713072697e0, -2.644273056462619e0, 0.9019661252951562e0],
     [-0.5270921278332524e0, -0.5693478067791404e0, 0.45018433789982254e0, -0.7794835655031827e0]])])[1] END, [arrayMap(y -> arrayMap((v, d) -> v / d, y, arrayWithConstant(length(y), coalesce(nullif(sqrt(arraySum(arrayMap(v -> coalesce(v * v, 0), y))), 0), 1e0))), [arrayMap(y -> arrayMap((v, d) -> v / d, y, arrayWithConstant(length(y), coalesce(nullif(arrayMax(arrayMap(v -> abs(coalesce(v, 0)), y)), 0), 1e0))), [[toFloat64(`a`), toFloat64(`say "hi"`), toFloat64(`C\'1`), toFloat64(`constant`)]])[1]])[1]])[1];
CREATE OR REPLACE FUNCTION `m_distance` AS (`a`, `say "hi"`, `C\'1`, `constant`) ->
  arrayMap(x -> CASE WHEN (x[1] IS NOT NULL OR x[2] IS NOT NULL OR x[3] IS NOT NULL OR x[4] IS NOT NULL) THEN arrayMap(d -> sqrt(arrayMin(d)), [arrayMap(c ->
      coalesce(((x[1] - 0.34769940631443846e0) / 0.22897057499297835e0 - c[1]) * ((x[1] - 0.34769940631443846e0) / 0.22897057499297835e0 - c[1]), 0) +
      coalesce(((x[2] - 0.08665970187307222e0) / 0.08571336588474351e0 - c[2]) * ((x[2] - 0.08665970187307222e0) / 0.08571336588474351e0 - c[2]), 0) +
      coalesce(((x[3] - 0.8670007872141093e0) / 0.17216644468101758e0 - c[3]) * ((x[3] - 0.8670007872141093e0) / 0.17216644468101758e0 - c[3]), 0) +
      coalesce(((x[4] - 0.42409244270769303e0) / 0.28585480018109366e0 - c[4]) * ((x[4] - 0.42409244270769303e0) / 0.28585480018109366e0 - c[4]), 0),
    [[-0.5031155468698775e0, 2.0402308873114388e0, -2.81016080688023e0, 1.6943880724859663e0],
     [-0.01938204831071029e0, 0.10337020760012185e0, -0.21664556027727958e0, -0.1386804366527309e0],
     [1.704693584585599e0, 0.12615890713072697e0, -2.644273056462619e0, 0.9019661252951562e0],
     [-0.5270921278332524e0, -0.5693478067791404e0, 0.45018433789982254e0, -0.7794835655031827e0]])])[1] END, [arrayMap(y -> arrayMap((v, d) -> v / d, y, arrayWithConstant(length(y), coalesce(nullif(sqrt(arraySum(arrayMap(v -> coalesce(v * v, 0), y))), 0), 1e0))), [arrayMap(y -> arrayMap((v, d) -> v / d, y, arrayWithConstant(length(y), coalesce(nullif(arrayMax(arrayMap(v -> abs(coalesce(v, 0)), y)), 0), 1e0))), [[toFloat64(`a`), toFloat64(`say "hi"`), toFloat64(`C\'1`), toFloat64(`constant`)]])[1]])[1]])[1];
