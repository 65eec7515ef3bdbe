-- The clusters of run "m" (skm), for ClickHouse.
-- A row gets the number of its nearest center, or NULL where it lacks the columns that count.
SELECT t.*,
  CASE WHEN (toFloat64(t.`a`) IS NOT NULL OR toFloat64(t.`say "hi"`) IS NOT NULL OR toFloat64(t.`C\'1`) IS NOT NULL) THEN arrayMap(d -> toInt32(indexOf(d, arrayMin(d)) - 1), [arrayMap(c ->
      coalesce(0.6755950596346718e0 * ((toFloat64(t.`a`) - 4.581843191196699e0) / 2.409485482302544e0 - c[1]) * ((toFloat64(t.`a`) - 4.581843191196699e0) / 2.409485482302544e0 - c[1]), 0) +
      coalesce(0.7313807609136003e0 * ((toFloat64(t.`say "hi"`) - 0.8594890510948905e0) / 0.5695916783714491e0 - c[2]) * ((toFloat64(t.`say "hi"`) - 0.8594890510948905e0) / 0.5695916783714491e0 - c[2]), 0) +
      coalesce(0.09302417945172792e0 * ((toFloat64(t.`C\'1`) - 16.39101620029455e0) / 8.303421677941982e0 - c[3]) * ((toFloat64(t.`C\'1`) - 16.39101620029455e0) / 8.303421677941982e0 - c[3]), 0),
    [[-1.0810958127715324e0, 0.3649429402704856e0, -0.7336136173191863e0],
     [0.13082279791596335e0, -0.9728697216464315e0, 0.14821771430308067e0],
     [0.8361932367154645e0, 0.8742701678460599e0, 0.5054177383503656e0]])])[1] END AS cluster
  , CASE WHEN (toFloat64(t.`a`) IS NOT NULL OR toFloat64(t.`say "hi"`) IS NOT NULL OR toFloat64(t.`C\'1`) IS NOT NULL) THEN arrayMap(d -> sqrt(arrayMin(d)), [arrayMap(c ->
      coalesce(0.6755950596346718e0 * ((toFloat64(t.`a`) - 4.581843191196699e0) / 2.409485482302544e0 - c[1]) * ((toFloat64(t.`a`) - 4.581843191196699e0) / 2.409485482302544e0 - c[1]), 0) +
      coalesce(0.7313807609136003e0 * ((toFloat64(t.`say "hi"`) - 0.8594890510948905e0) / 0.5695916783714491e0 - c[2]) * ((toFloat64(t.`say "hi"`) - 0.8594890510948905e0) / 0.5695916783714491e0 - c[2]), 0) +
      coalesce(0.09302417945172792e0 * ((toFloat64(t.`C\'1`) - 16.39101620029455e0) / 8.303421677941982e0 - c[3]) * ((toFloat64(t.`C\'1`) - 16.39101620029455e0) / 8.303421677941982e0 - c[3]), 0),
    [[-1.0810958127715324e0, 0.3649429402704856e0, -0.7336136173191863e0],
     [0.13082279791596335e0, -0.9728697216464315e0, 0.14821771430308067e0],
     [0.8361932367154645e0, 0.8742701678460599e0, 0.5054177383503656e0]])])[1] END AS distance
FROM guests AS t;
