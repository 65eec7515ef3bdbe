-- The clusters of run "m" (groupskm), for ClickHouse.
-- A row gets the number of its nearest center, or NULL where it lacks the columns that count.
CREATE OR REPLACE FUNCTION `the "m"_cluster` AS (`a`, `C\'1`, `plan`, `Select`) ->
  CASE WHEN (toString(`plan`) IS NULL OR toString(`plan`) = 'a\\b' OR toString(`plan`) = 'it\'s' OR toString(`plan`) = 'x') AND (toString(`Select`) IS NULL OR toString(`Select`) = 'false' OR toString(`Select`) = 'true') THEN arrayMap(d -> toInt32(indexOf(d, arrayMin(d)) - 1), [arrayMap(c ->
      coalesce(0.006872068390737296e0 * ((toFloat64(`a`) - 4.581843191196699e0) / 2.40782776935619e0 - c[1]) * ((toFloat64(`a`) - 4.581843191196699e0) / 2.40782776935619e0 - c[1]), 0) +
      coalesce(0.0025034443305711673e0 * ((toFloat64(`C\'1`) - 16.39101620029455e0) / 8.296285087299925e0 - c[2]) * ((toFloat64(`C\'1`) - 16.39101620029455e0) / 8.296285087299925e0 - c[2]), 0) +
      CASE WHEN toString(`plan`) IS NULL THEN c[6] WHEN toString(`plan`) = 'a\\b' THEN c[3] WHEN toString(`plan`) = 'it\'s' THEN c[4] WHEN toString(`plan`) = 'x' THEN c[5] ELSE 0 END +
      CASE WHEN toString(`Select`) IS NULL THEN 0 WHEN toString(`Select`) = 'false' THEN c[7] WHEN toString(`Select`) = 'true' THEN c[8] ELSE 0 END,
    [[-0.12107203607402729e0, -0.016076820341787004e0, 1.885703406796835e0, 0.32839793919195454e0, 0.2631497794474552e0, 9.82828370618186e0, 0e0, 0.9393465992902053e0],
     [-0.04081484453749144e0, -0.023688186157220452e0, 1.8984958125625084e0, 0.1768641606691321e0, 0.4428758888582445e0, 9.841076111947533e0, 0.9393465992902053e0, 0e0],
     [0.11679711971159121e0, 0.08036173424730865e0, 0e0, 2.1747735540222592e0, 2.184057903246588e0, 11.12192579204177e0, 0.2348366498225513e0, 0.2348366498225513e0],
     [0.12175156900100303e0, -0.20440210132754214e0, 11.12192579204177e0, 10.117353853407284e0, 10.126638202631613e0, 0e0, 0.2348366498225513e0, 0.2348366498225513e0]])])[1] END;
