-- The functions as users call them: macros that give arguments names and defaults, over the functions of functions.go.
-- {fit} and others stand for these functions, {settings} for the named arguments, {options} for the struct made of them.

-- for relations that are not given
CREATE OR REPLACE TEMP VIEW __sqlcluster_none AS SELECT 1 AS __absent WHERE false;

CREATE OR REPLACE TEMP MACRO cluster_fit(key, fields, options := NULL) AS CASE WHEN true THEN {fit}(key, fields, options) END;

CREATE OR REPLACE TEMP MACRO cluster_fit(relation, key, {settings}) AS TABLE
SELECT unnest({fit}(struct_extract(__r, key), __r, {options})) FROM query_table(relation) AS __r;
