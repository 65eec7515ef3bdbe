package clickhouse

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// always are the settings of each statement, as far as a server knows them.
var always = map[string]string{
	// An answer is that of all rows, each of them once.
	"skip_unavailable_shards": "0", "max_parallel_replicas": "1", "distributed_group_by_no_merge": "0",
	"optimize_skip_unused_shards": "0", "optimize_distributed_group_by_sharding_key": "0",
	"distributed_product_mode": "deny", "use_query_cache": "0", "limit": "0", "offset": "0", "extremes": "0",
	"read_overflow_mode": throw, "read_overflow_mode_leaf": throw, "group_by_overflow_mode": throw, "sort_overflow_mode": throw,
	"result_overflow_mode": throw, "timeout_overflow_mode": throw, "timeout_overflow_mode_leaf": throw, "set_overflow_mode": throw,
	"join_overflow_mode": throw, "distinct_overflow_mode": throw, "transfer_overflow_mode": throw,
	"partial_result_on_first_cancel": "0",

	// Statements have centers in them, and so are long.
	"max_query_size": "1000000000", "max_ast_depth": "100000", "max_ast_elements": "100000000",
	"max_expanded_ast_elements": "100000000", "max_parser_depth": "100000", "max_parser_backtracks": "0",

	// The text of answers.
	"format_tsv_null_representation": `\N`, "output_format_tsv_crlf_end_of_line": "0", "bool_true_representation": "true",
	"bool_false_representation": "false", "date_time_output_format": "simple", "output_format_decimal_trailing_zeros": "0",
	"http_write_exception_in_output_format": "0", "enable_http_compression": "0", "send_progress_in_http_headers": "0",
	"aggregate_functions_null_for_empty": "0", "join_use_nulls": "0",

	// A client that has gone waits for no answer.
	"cancel_http_readonly_queries_on_client_close": "1", "replace_running_query": "0",
}

// throw is what a server does at a limit of its own.
const throw = "throw"

// parameters are those of a request, which are no settings.
var parameters = []string{"query", "query_id", "database", "default_format", "wait_end_of_query", "buffer_size", "compress",
	"decompress", "session_id", "session_timeout", "session_check", "quota_key", "stacktrace", "readonly", "role"}

// reserved says whether an address cannot set this.
func reserved(name string) bool {
	_, set := always[name]
	return set || slices.Contains(parameters, name) || strings.HasPrefix(name, "param_")
}

// seconds returns max_execution_time for a statement that must end by a deadline: whole
// seconds, with one to spare for the statement that cancels it.
func seconds(left time.Duration) string {
	return strconv.Itoa(int(math.Ceil(max(left.Seconds(), 0))) + 1)
}
