package duckdb_test

import (
	"os"
	"testing"

	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/engine"
	"github.com/sqlcluster/sqlcluster/sql/engine/duckdb"
	"github.com/sqlcluster/sqlcluster/sql/engine/internal/enginetest"
)

func TestMain(m *testing.M) {
	if err := os.Chdir("../../.."); err != nil { // relations are files of examples
		panic(err)
	}
	os.Exit(m.Run())
}

// where is where the rows of a case are: in the database that they are read from.
func where(_ *testing.T, db *duck.DB, c enginetest.Case) (engine.Engine, string) {
	return duckdb.On(db), c.Here()
}

func TestRecipesAreThoseOfRowsHere(t *testing.T) { enginetest.Recipes(t, where) }

func TestFitsWhereTheRowsAreAreThoseOfRowsHere(t *testing.T) { enginetest.Fits(t, where) }

func TestAssignmentsAreThosePredictedHere(t *testing.T) { enginetest.Assignments(t, where) }

func TestAStartIsTheSameEachTimeAndItsCentersAreRows(t *testing.T) { enginetest.Starts(t, where) }

func TestASampleHasTheSameRowsInTheSameOrderInAnotherProcess(t *testing.T) {
	enginetest.Samples(t, where)
}

func TestEachStatementSaysWhatALoopOverTheRowsSays(t *testing.T) { enginetest.Statements(t, where) }
