{{- /* One iteration of k-means as a person would write it for ClickHouse: each distance written out, no count of the rows that move, sums as they come. */ -}}
SELECT _j, count(){{range $l, $f := .Features}}, sum(_x{{$l}}){{end}}
FROM (
  SELECT {{range $l, $f := .Features}}_x{{$l}}, {{end}}indexOf([{{range $j, $c := .Centers}}{{if $j}}, {{end}}_d{{$j}}{{end}}], _m) - 1 AS _j
  FROM (
    SELECT *, arrayReduce('min', [{{range $j, $c := .Centers}}{{if $j}}, {{end}}_d{{$j}}{{end}}]) AS _m
    FROM (
      SELECT *{{range $j, $c := .Centers}},
        {{range $l, $x := $c}}{{if $l}} + {{end}}(_x{{$l}} - ({{$x}})) * (_x{{$l}} - ({{$x}})){{end}} AS _d{{$j}}{{end}}
      FROM (
        SELECT {{range $l, $f := .Features}}{{if $l}}, {{end}}(toFloat64(`{{$f.Name}}`) - ({{$f.Location}})) / {{$f.Scale}} AS _x{{$l}}{{end}}
        FROM {{.Relation}}))))
GROUP BY _j ORDER BY _j
