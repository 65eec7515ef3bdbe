package scratch_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/sqlcluster/sqlcluster/framework/scratch"
)

// A directory for temporary files goes when it is released. Had the process been
// killed, the next New would have removed it.
func Example() {
	dir, err := scratch.New(os.TempDir())
	if err != nil {
		log.Fatal(err)
	}
	file := filepath.Join(dir.Path(), "rows")
	if err := os.WriteFile(file, []byte("for a while"), 0o600); err != nil {
		log.Fatal(err)
	}
	err = dir.Release()
	_, gone := os.Stat(file)
	fmt.Println(err, os.IsNotExist(gone))
	// Output: <nil> true
}
