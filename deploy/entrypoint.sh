#!/bin/sh
# The service reads a secret as NAME or as NAME_FILE by itself. Dagster takes its database's address from the environment
# alone: here it may be a file too.
set -eu
if [ -n "${DAGSTER_PG_URL_FILE:-}" ]; then
    DAGSTER_PG_URL="$(cat "$DAGSTER_PG_URL_FILE")"
    export DAGSTER_PG_URL
fi
exec "$@"
