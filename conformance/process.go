package conformance

var processLaws []law[struct{}]
