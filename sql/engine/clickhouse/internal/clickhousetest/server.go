package clickhousetest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// ready is how long a server may take to start, or to end.
const ready = 30 * time.Second

// A Server is one process, whose directory outlives it.
type Server struct {
	Address string // of HTTP: host:port
	Native  string // of clickhouse-client

	tb      testing.TB
	command func() *exec.Cmd
	process *exec.Cmd
	ended   chan struct{}
	log     string // a file
}

// User and Password are the credentials of a user of the servers. The others have no
// password: reader may only read, and give no settings; held may only read; limits of
// sloppy cut answers off; cramped has 20 MB of memory, hurried a second for a statement, and
// single one statement at a time; confined may use the database elsewhere.
const (
	User     = "anna"
	Password = "correct-horse"
)

// Cluster is the name of the cluster that the servers of Start are.
const Cluster = "shards"

// Start starts servers that are one cluster, with a shard each. They end with the test.
func Start(tb testing.TB, count int) []*Server {
	tb.Helper()
	servers, _ := start(tb, count, false, "")
	return servers
}

// StartApart is Start, with a Proxy before each server, through which others reach it.
func StartApart(tb testing.TB, count int) ([]*Server, []*Proxy) {
	tb.Helper()
	return start(tb, count, true, "")
}

// StartSecure starts one that speaks TLS, too, at the address that it returns: with a
// certificate and its key, which are files.
func StartSecure(tb testing.TB, certificate, key string) (s *Server, address string) {
	tb.Helper()
	port := freePorts(tb, 1)[0]
	servers, _ := start(tb, 1, false, fmt.Sprintf("<https_port>%d</https_port><openSSL><server><certificateFile>%s</certificateFile>"+
		"<privateKeyFile>%s</privateKeyFile><verificationMode>none</verificationMode></server></openSSL>", port, certificate, key))
	return servers[0], fmt.Sprintf("127.0.0.1:%d", port)
}

func start(tb testing.TB, count int, apart bool, more string) ([]*Server, []*Proxy) {
	tb.Helper()
	ports := freePorts(tb, 3*count)
	var proxies []*Proxy
	for i := range count {
		if apart {
			proxies = append(proxies, NewProxy(tb, fmt.Sprintf("127.0.0.1:%d", ports[3*i+1])))
		}
	}
	shards := func(of int) string {
		var list strings.Builder
		for i := range count {
			port := fmt.Sprint(ports[3*i+1])
			if apart && i != of {
				_, port, _ = net.SplitHostPort(proxies[i].Address)
			}
			list.WriteString("<shard><replica><host>127.0.0.1</host><port>" + port + "</port></replica></shard>")
		}
		return list.String()
	}
	servers := make([]*Server, count)
	for i := range servers {
		dir := tb.TempDir()
		config := filepath.Join(dir, "config.xml")
		write(tb, filepath.Join(dir, "users.xml"), users)
		write(tb, config, fmt.Sprintf(configuration, dir, ports[3*i], ports[3*i+1], ports[3*i+2], shards(i), more))
		servers[i] = &Server{tb: tb, Address: fmt.Sprintf("127.0.0.1:%d", ports[3*i]), Native: fmt.Sprintf("127.0.0.1:%d", ports[3*i+1]),
			log: filepath.Join(dir, "errors"), command: func() *exec.Cmd {
				c := exec.Command("clickhouse-server", "--config-file="+config)
				c.Dir = dir
				return c
			}}
		servers[i].start()
	}
	for _, s := range servers {
		s.wait()
	}
	return servers, proxies
}

// configuration is that of a server: its directory, three ports, and the shards.
const configuration = `<yandex>
<logger><level>warning</level><log>%[1]s/log</log><errorlog>%[1]s/errors</errorlog></logger>
<http_port>%[2]d</http_port><tcp_port>%[3]d</tcp_port>
<interserver_http_port>%[4]d</interserver_http_port><interserver_http_host>127.0.0.1</interserver_http_host>
<listen_host>127.0.0.1</listen_host><max_concurrent_queries>20</max_concurrent_queries><keep_alive_timeout>10</keep_alive_timeout>
<uncompressed_cache_size>0</uncompressed_cache_size><mark_cache_size>67108864</mark_cache_size>
<path>%[1]s/data/</path><tmp_path>%[1]s/tmp/</tmp_path><users_config>%[1]s/users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database><timezone>UTC</timezone>
<remote_servers><` + Cluster + `>%[5]s</` + Cluster + `></remote_servers>
<query_log><database>system</database><table>query_log</table><flush_interval_milliseconds>200</flush_interval_milliseconds></query_log>
%[6]s</yandex>`

const users = `<yandex>
<profiles><default><log_queries>1</log_queries><max_memory_usage>2000000000</max_memory_usage></default>
<reader><readonly>1</readonly></reader><held><readonly>2</readonly></held>
<sloppy><max_rows_to_group_by>10</max_rows_to_group_by><group_by_overflow_mode>any</group_by_overflow_mode>
<max_result_rows>1000</max_result_rows><result_overflow_mode>break</result_overflow_mode></sloppy>
<cramped><max_memory_usage>20000000</max_memory_usage></cramped><hurried><max_execution_time>1</max_execution_time></hurried>
<single><max_concurrent_queries_for_user>1</max_concurrent_queries_for_user></single></profiles>
<users>
<default>` + localUser + `<password></password><profile>default</profile></default>
<` + User + `>` + localUser + `<password>` + Password + `</password><profile>default</profile></` + User + `>
<reader>` + localUser + `<password></password><profile>reader</profile></reader>
<held>` + localUser + `<password></password><profile>held</profile></held>
<sloppy>` + localUser + `<password></password><profile>sloppy</profile></sloppy>
<cramped>` + localUser + `<password></password><profile>cramped</profile></cramped>
<hurried>` + localUser + `<password></password><profile>hurried</profile></hurried>
<single>` + localUser + `<password></password><profile>single</profile></single>
<confined>` + localUser + `<password></password><profile>default</profile>
<allow_databases><database>elsewhere</database></allow_databases></confined>
</users><quotas><default></default></quotas></yandex>`

// localUser is what all users have.
const localUser = `<networks><ip>127.0.0.1</ip></networks><quota>default</quota>`

// URL returns the address that Open takes, with what is to follow the database.
func (s *Server) URL(rest string) string { return "clickhouse://" + s.Address + "/default" + rest }

// start starts the process.
func (s *Server) start() {
	s.tb.Helper()
	s.process, s.ended = s.command(), make(chan struct{})
	s.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := s.process.Start(); err != nil {
		s.tb.Fatal(err)
	}
	process, ended := s.process, s.ended
	go func() { _ = process.Wait(); close(ended) }()
	s.tb.Cleanup(func() {
		_ = process.Process.Kill()
		<-ended
	})
}

// wait waits until the server answers.
func (s *Server) wait() {
	s.tb.Helper()
	until := time.Now().Add(ready)
	for {
		if text, err := s.say("SELECT 1"); err == nil && strings.TrimSpace(text) == "1" {
			return
		}
		select {
		case <-s.ended:
		case <-time.After(20 * time.Millisecond):
			if time.Now().Before(until) {
				continue
			}
		}
		log, _ := os.ReadFile(s.log)
		s.tb.Fatalf("%s does not start:\n%s", s.Address, log)
	}
}

// Kill ends the server as kill -9 does.
func (s *Server) Kill() {
	_ = s.process.Process.Kill()
	<-s.ended
}

// Restart starts a server that has been killed, and waits until it answers.
func (s *Server) Restart() {
	s.tb.Helper()
	s.start()
	s.wait()
}

// Log returns what the server has noted.
func (s *Server) Log() string {
	s.tb.Helper()
	var all strings.Builder
	for _, name := range []string{"log", "errors"} {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(s.log), name))
		if err != nil {
			s.tb.Error(err)
		}
		all.Write(text)
	}
	return all.String()
}

// Do runs a statement past the client under test, and returns the answer as it is.
func (s *Server) Do(statement string) string {
	s.tb.Helper()
	text, err := s.say(statement)
	if err != nil {
		s.tb.Fatalf("%s\n%v", statement, err)
	}
	return strings.TrimSpace(text)
}

func (s *Server) say(statement string) (string, error) {
	ctx, end := context.WithTimeout(context.Background(), ready)
	defer end()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.Address+"/", bytes.NewBufferString(statement))
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", response.Status, text)
	}
	return string(text), err
}

// Until waits until a statement has this answer.
func (s *Server) Until(statement, answer string, limit time.Duration) {
	s.tb.Helper()
	until := time.Now().Add(limit)
	for s.Do(statement) != answer {
		if time.Now().After(until) {
			s.tb.Fatalf("%s is not %s after %v, but %s", statement, answer, limit, s.Do(statement))
		}
		<-time.After(10 * time.Millisecond)
	}
}

// freePorts returns ports that nobody listens on, each of them once. They are none of those that a system gives to
// connections (on Linux, from 32768): one of these might take a port before its server does, or while it is restarted.
func freePorts(tb testing.TB, count int) []int {
	tb.Helper()
	given.Lock()
	defer given.Unlock()
	ports := make([]int, 0, count)
	for range lastPort - firstPort {
		if given.next++; given.next > lastPort {
			given.next = firstPort
		}
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", given.next))
		if err != nil {
			continue // of somebody else
		}
		_ = l.Close()
		if ports = append(ports, given.next); len(ports) == count {
			return ports
		}
	}
	tb.Fatalf("no %d ports between %d and %d are free", count, firstPort, lastPort)
	return nil
}

// The ports of servers. Tests of several packages run at a time: each process begins somewhere else.
const firstPort, lastPort = 12000, 32000

var given = struct {
	sync.Mutex
	next int
}{next: firstPort + rand.IntN(lastPort-firstPort)}

func write(tb testing.TB, path, text string) {
	tb.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
}
