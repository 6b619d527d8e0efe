#!/bin/sh
# Runs once, with an empty volume of PostgreSQL: a database and an owner for each part, so no part reads another's data.
set -eu

run() { # PASSWORD_FILE ARGUMENTS: psql with the statements of standard input
    password="$(cat "${SECRETS:-/run/secrets}/$1")"
    shift
    psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" \
         --set=password="$password" "$@"
}

for part in worker mail_service dagster; do
    case "$part" in
        mail_service) secret=mail_db_password ;;
        *) secret="${part}_db_password" ;;
    esac
    run "$secret" --set=part="$part" <<'SQL'
create role :"part" login password :'password';
create database :"part" owner :"part";
-- Dagster stores the time of the database's zone and reads it as UTC.
alter database :"part" set timezone to 'UTC';
revoke connect, temporary on database :"part" from public;
SQL
done

# The reader of delivery reports may open the mail service's database. The mail service grants at each start which rows
# this role may write.
run mail_reports_db_password <<'SQL'
create role mail_reports login password :'password';
grant connect on database mail_service to mail_reports;
SQL
