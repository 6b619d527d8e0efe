#!/bin/sh
# Runs once, with an empty volume of PostgreSQL: a database and an owner for each part, so no part reads another's data.
set -eu
for part in worker mail_service dagster; do
    case "$part" in
        mail_service) secret=mail_db_password ;;
        *) secret="${part}_db_password" ;;
    esac
    psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" \
         --set=part="$part" --set=password="$(cat "${SECRETS:-/run/secrets}/$secret")" <<'SQL'
create role :"part" login password :'password';
create database :"part" owner :"part";
-- Dagster stores the time of the database's zone and reads it as UTC.
alter database :"part" set timezone to 'UTC';
revoke connect, temporary on database :"part" from public;
SQL
done
