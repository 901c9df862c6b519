# The environment in which a page's shell blocks run in sequence, with bash. Requires NODE, PACKAGE (the built package) and LOGS
# (a folder for processes that stay open). Ports that a page names may be in use, so free ones replace them. Packages are links
# to the repository's own, as the registry is out of reach. Everything else runs as written.
set -euo pipefail

# The package also runs in a clone, whose sources would take twice as long to start.
main=$PACKAGE/src/cli/main.js

venues=()

sluice() {
  case "$1" in
    venue) open_venue "$@" ;;
    *) "$NODE" "$main" "$@" ;;
  esac
}

npx() { "$@"; }
node() { "$NODE" "$@"; }

npm() {
  case "$1" in
    ci | install)
      [ -e node_modules ] || { mkdir -p node_modules/@sluice-trading && ln -s "$PACKAGE" node_modules/@sluice-trading/sluice; }
      ;;
    *) command npm "$@" ;;
  esac
}

# Continues once the venue is open, as a reader does in a second terminal, with its credentials exported.
open_venue() {
  local said="$LOGS/venue-${#venues[@]}" line='' name value last='without a word' port=(--port 0)
  case " $* " in *' --port '*) port=() ;; esac
  mkfifo "$said"
  "$NODE" "$main" "${@//707[01]/0}" "${port[@]}" >"$said" 2>&1 &
  venues+=($!)
  exec {heard}<"$said"
  while read -r -u "$heard" line; do
    read -r name value <<<"$line"
    case "$name" in
      http) export SLUICE_HTTP_URL=$value ;;
      quoteWs) export SLUICE_QUOTE_WS_URL=$value ;;
      tradeWs) export SLUICE_TRADE_WS_URL=$value ;;
      admin) admin=${value#http://127.0.0.1:} ;;
      adminToken) export SLUICE_ADMIN_TOKEN=$value ;;
      appKey) export SLUICE_APP_KEY=$value ;;
      appSecret) export SLUICE_APP_SECRET=$value ;;
      accessToken) export SLUICE_ACCESS_TOKEN=$value ;;
      Ctrl-C) return 0 ;;
    esac
    last=$line
  done
  echo "The venue ended: $last" >&2
  return 1
}

curl() { command curl --fail-with-body "${@//7071/${admin:-7071}}"; }

# Ends the venues and checks that they end normally.
close_venues() {
  local pid
  for pid in "${venues[@]}"; do kill -INT "$pid" 2>/dev/null || true; done
  for pid in "${venues[@]}"; do
    wait "$pid" || [ $? -eq 130 ] || echo "A venue ended with $?" >&2
  done
}
trap close_venues EXIT
