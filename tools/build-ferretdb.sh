#!/usr/bin/env bash
# Builds FerretDB 1.24, which speaks the MongoDB protocol and keeps its data in SQLite, into a folder: the server that
# suites use where no mongod is. Its sources come from the Go module proxy; Go 1.22 or later is needed.
set -euo pipefail
version=v1.24.0

if [ $# -ne 1 ]; then
  echo "usage: $0 FOLDER-ON-THE-PATH" >&2
  exit 2
fi
mkdir -p "$1"
folder=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'chmod -R u+w "$work" && rm -rf "$work"' EXIT

cd "$work"
source=$(go mod download -json "github.com/FerretDB/FerretDB@$version" | sed -n 's/^\t*"Dir": "\(.*\)",\{0,1\}$/\1/p')
cp -r "$source" ferretdb
chmod -R u+w ferretdb
cd ferretdb
# Made by its own build from git, which a module has not; without it the program ends at its start.
echo "$version" >build/version/version.txt
go build -tags ferretdb_no_postgresql -o "$folder/ferretdb" ./cmd/ferretdb
