package job_test

import (
	"errors"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/job"
)

// Number 1 fails first; number 0 does only once that has.
func TestTheErrorOfWorkSideBySideIsThatOfTheLeastNumber(t *testing.T) {
	for range 200 {
		least, failed := errors.New("least"), make(chan struct{})
		err := job.SideBySide(8, 4, func(i int) error {
			switch i {
			case 0:
				<-failed
				return least
			case 1:
				close(failed)
			}
			return errors.New("another")
		})
		must.Equal(t, true, errors.Is(err, least))
	}
}
