{{- /* One iteration of k-means as a person would write it for DuckDB: each distance written out, no count of the rows that move, sums as they come. */ -}}
SELECT j, count(*){{range $l, $f := .Features}}, sum(x{{$l}}){{end}}
FROM (
  SELECT {{range $l, $f := .Features}}x{{$l}}, {{end}}CASE{{range $j, $c := .Centers}} WHEN d{{$j}} <= m THEN {{$j}}{{end}} END AS j
  FROM (
    SELECT *, least({{range $j, $c := .Centers}}{{if $j}}, {{end}}d{{$j}}{{end}}) AS m
    FROM (
      SELECT *{{range $j, $c := .Centers}},
        {{range $l, $x := $c}}{{if $l}} + {{end}}(x{{$l}} - ({{$x}})) * (x{{$l}} - ({{$x}})){{end}} AS d{{$j}}{{end}}
      FROM (
        SELECT {{range $l, $f := .Features}}{{if $l}}, {{end}}("{{$f.Name}}"::DOUBLE - ({{$f.Location}})) / {{$f.Scale}} AS x{{$l}}{{end}}
        FROM {{.Relation}}))))
GROUP BY j ORDER BY j
