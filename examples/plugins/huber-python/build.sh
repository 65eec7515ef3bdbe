#!/bin/sh
# Makes the plugin: one file with everything but Python and its packages, so that the
# hash that `sqlcluster plugin add` records covers the rest.
#
#	[PYTHON=…] ./build.sh [FILE]
set -eu
out=${1:-sqlcluster-plugin-huber}
python=${PYTHON:-/usr/bin/python3}
here=$(dirname "$0")
made=$(mktemp -d)
trap 'rm -r "$made"' EXIT
cp "$here"/src/*.py "$made"
protoc -I "$here" -I "$here/src" --python_out="$made" --grpc_python_out="$made" \
  --plugin=protoc-gen-grpc_python="$(command -v grpc_python_plugin)" protocol.proto controller.proto status.proto
"$python" -m zipapp --python "$python" --output "$out" "$made"
