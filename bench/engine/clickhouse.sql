{{- /* One iteration of k-means as a person would write it for ClickHouse: each distance written out, no count of the rows that move, sums as they come. */ -}}
SELECT j, count(){{range $l, $f := .Features}}, sum(x{{$l}}){{end}}
FROM (
  SELECT {{range $l, $f := .Features}}x{{$l}}, {{end}}indexOf([{{range $j, $c := .Centers}}{{if $j}}, {{end}}d{{$j}}{{end}}], m) - 1 AS j
  FROM (
    SELECT *, arrayReduce('min', [{{range $j, $c := .Centers}}{{if $j}}, {{end}}d{{$j}}{{end}}]) AS m
    FROM (
      SELECT *{{range $j, $c := .Centers}},
        {{range $l, $x := $c}}{{if $l}} + {{end}}(x{{$l}} - ({{$x}})) * (x{{$l}} - ({{$x}})){{end}} AS d{{$j}}{{end}}
      FROM (
        SELECT {{range $l, $f := .Features}}{{if $l}}, {{end}}(toFloat64(`{{$f.Name}}`) - ({{$f.Location}})) / {{$f.Scale}} AS x{{$l}}{{end}}
        FROM {{.Relation}}))))
GROUP BY j ORDER BY j
