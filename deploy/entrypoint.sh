#!/bin/sh
# The service itself reads a secret as NAME or as NAME_FILE. Dagster reads its database's address from the environment
# only; this script also accepts a file.
set -eu
if [ -n "${DAGSTER_PG_URL_FILE:-}" ]; then
    DAGSTER_PG_URL="$(cat "$DAGSTER_PG_URL_FILE")"
    export DAGSTER_PG_URL
fi
exec "$@"
