#!/bin/sh
# Makes deploy/secrets with everything that can be made up: run it once. What exists is left alone, so that no key is ever
# replaced. The directory is for its owner only; the files in it are readable because containers run as other users.
set -eu
umask 077
cd "$(dirname "$0")"
mkdir -p secrets
cd secrets

keep() { # NAME: standard input, unless the file is there
    if [ -e "$1" ]; then cat >/dev/null; else cat >"$1"; chmod 0444 "$1"; fi
}

for name in email_enc_key hash_key mail_hash_key; do openssl rand -base64 32 | keep "$name"; done
for name in postgres_password worker_db_password mail_db_password dagster_db_password mail_token; do
    openssl rand -hex 32 | keep "$name"
done
printf 'postgresql://worker:%s@postgres/worker\n' "$(cat worker_db_password)" | keep database_url
printf 'postgresql://mail_service:%s@postgres/mail_service\n' "$(cat mail_db_password)" | keep mail_database_url
printf 'postgresql+psycopg2://dagster:%s@postgres/dagster\n' "$(cat dagster_db_password)" | keep dagster_pg_url

for name in rpc_urls smtp_password tls_certificate tls_key dagster_viewers dagster_operators; do
    [ -s "$name" ] || echo "still to be written by you: deploy/secrets/$name"
done
