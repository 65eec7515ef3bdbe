//go:build !portable

package memory

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Available returns the bytes that this process can still get: what the machine
// has left, or what its control group or one above it allows, whichever is
// less. Copies of files that the kernel drops when memory is short count as
// free, and so does what is left of the stock.
func Available() int64 {
	least := available("/proc", "/sys/fs/cgroup")
	return least + min(Stocked(), math.MaxInt64-least)
}

func available(proc, mount string) int64 {
	least := int64(math.MaxInt64)
	machine, _ := os.ReadFile(filepath.Join(proc, "meminfo"))
	if free, ok := entry(machine, "MemAvailable:"); ok {
		least = free << 10
	}
	text, _ := os.ReadFile(filepath.Join(proc, "self", "cgroup")) // without one, there are no groups
	for line := range bytes.Lines(text) {
		// hierarchy:controllers:path; the unified hierarchy (version 2) is 0 and
		// names no controller.
		part := strings.SplitN(strings.TrimSpace(string(line)), ":", 3)
		if len(part) != 3 {
			continue
		}
		switch {
		case part[0] == "0" && part[1] == "":
			least = min(least, unified.room(mount, part[2]), unified.room(filepath.Join(mount, "unified"), part[2]))
		case strings.Contains(","+part[1]+",", ",memory,"):
			least = min(least, legacy.room(filepath.Join(mount, "memory"), part[2]))
		}
	}
	return least
}

// files names what a version of control groups keeps in a group's directory.
// The entries of stat include the groups below.
type files struct{ limit, used, stat, active, inactive string }

var (
	unified = files{"memory.max", "memory.current", "memory.stat", "active_file", "inactive_file"}
	legacy  = files{"memory.limit_in_bytes", "memory.usage_in_bytes", "memory.stat", "total_active_file", "total_inactive_file"}
)

// room returns what the group at path and those above it allow. A path that is
// not there is that of a group seen from outside of a container; its upper part,
// at least the mount itself, is.
func (f files) room(mount, path string) int64 {
	least := int64(math.MaxInt64)
	for path = filepath.Join("/", path); ; path = filepath.Dir(path) {
		dir := filepath.Join(mount, path)
		limit, limited := number(filepath.Join(dir, f.limit))
		used, known := number(filepath.Join(dir, f.used))
		if limited && known {
			stat, _ := os.ReadFile(filepath.Join(dir, f.stat)) // once: the kernel adds its numbers up for each reading
			for _, cache := range []string{f.active, f.inactive} {
				n, _ := entry(stat, cache)
				used -= n
			}
			least = min(least, max(0, limit-max(0, used)))
		}
		if path == "/" {
			return least
		}
	}
}

// entry returns the number that follows name on a line of its own.
func entry(text []byte, name string) (int64, bool) {
	for line := range bytes.Lines(text) {
		if !bytes.HasPrefix(line, []byte(name)) {
			continue
		}
		if words := strings.Fields(string(line)); len(words) > 1 && words[0] == name {
			n, err := strconv.ParseInt(words[1], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// number returns the number in a file, and false if there is another word ("max",
// no limit) or no file.
func number(path string) (int64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
	return n, err == nil
}
