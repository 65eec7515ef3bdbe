-- The functions as users call them: macros that give arguments names and defaults, over the functions of functions.go.
-- {fit} stands for such a function, {settings of fit} for its named arguments, {options of fit} for the struct made of them.

CREATE OR REPLACE TEMP MACRO cluster_fit(key, fields, options := NULL) AS CASE WHEN true THEN {fit}(key, fields, options) END;

CREATE OR REPLACE TEMP MACRO cluster_fit(relation, key, {settings of fit}) AS TABLE
SELECT unnest({fit}(struct_extract(__r, key), __r, {options of fit})) FROM query_table(relation) AS __r;

CREATE OR REPLACE TEMP MACRO cluster_check(relation, key, {settings of check}) AS TABLE
SELECT unnest((__v).columns, recursive := true)
FROM (SELECT {check}(struct_extract(__r, key), __r, {options of check}) AS __v FROM query_table(relation) AS __r);

CREATE OR REPLACE TEMP MACRO cluster_path(relation, key, {settings of path}) AS TABLE
SELECT unnest(__p), list_transform(list_filter((__v).features, lambda f: f.point = __p.point AND f.selected), lambda f: f.feature) AS features
FROM (
    SELECT __v, unnest((__v).points) AS __p
    FROM (SELECT {path}(struct_extract(__r, key), __r, {options of path}) AS __v FROM query_table(relation) AS __r)
);

CREATE OR REPLACE TEMP MACRO cluster_tune(relation, key, {settings of tune}) AS TABLE
SELECT unnest((__v).points, recursive := true)
FROM (SELECT {tune}(struct_extract(__r, key), __r, {options of tune}) AS __v FROM query_table(relation) AS __r);

CREATE OR REPLACE TEMP MACRO cluster_predict(model, fields, unseen := 'error') AS {predict}(model, fields, unseen);

CREATE OR REPLACE TEMP MACRO cluster_predict(m, relation, key, unseen := 'error') AS TABLE
SELECT __key AS key, unnest(__p)
FROM (
    SELECT struct_extract(__r, key) AS __key, {measure}(__m.model, __r, unseen) AS __p
    FROM query_table(relation) AS __r, query_table(m) AS __m
);
