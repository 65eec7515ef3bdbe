package cli

import "github.com/sqlcluster/sqlcluster/framework"

// shellWord writes a text so that a POSIX shell reads it as one word.
func shellWord(text string) string { return framework.ShellWord(text) }
