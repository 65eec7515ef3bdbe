package summary

import (
	"encoding/json"
	"testing"
)

func FuzzRecordedParams(f *testing.F) {
	f.Add(`{"k":{"value":3,"origin":"flag"},"seed":{"value":18446744073709551615,"origin":"default"},
		"weight":{"value":"w"},"features":{"value":["a","b"]}}`)
	f.Add(`{}0`)
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := recorded(text)
		if err != nil {
			return
		}
		for _, row := range rows {
			if len(row) != 3 {
				t.Errorf("%v", row)
			}
		}
		if !json.Valid([]byte(text)) {
			t.Errorf("%q is no JSON", text)
		}
	})
}
