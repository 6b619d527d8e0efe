#!/bin/sh
# Create deploy/secrets with every secret that can be generated: run it once. Existing files stay, so no key is ever
# replaced. Only its owner can open the directory; the files are readable because containers run as other users.
set -eu
umask 077
cd "$(dirname "$0")"
mkdir -p secrets
cd secrets

keep() { # NAME VALUE, unless the file exists; a complete file gets its name last, since it is never created again
    if [ -e "$1" ]; then return; fi
    rm -f .unfinished
    printf '%s\n' "$2" >.unfinished
    chmod 0444 .unfinished
    mv .unfinished "$1"
}

for name in email_enc_key hash_key mail_hash_key; do
    made=$(openssl rand -base64 32) # a pipe would hide a failure
    keep "$name" "$made"
done
for name in postgres_password worker_db_password mail_db_password mail_reports_db_password dagster_db_password \
    mail_token grafana_password; do
    made=$(openssl rand -hex 32)
    keep "$name" "$made"
done
keep database_url "postgresql://worker:$(cat worker_db_password)@postgres/worker"
keep mail_database_url "postgresql://mail_service:$(cat mail_db_password)@postgres/mail_service"
keep reports_database_url "postgresql://mail_reports:$(cat mail_reports_db_password)@postgres/mail_service"
keep dagster_pg_url "postgresql+psycopg2://dagster:$(cat dagster_db_password)@postgres/dagster"

for name in rpc_urls smtp_password tls_certificate tls_key dagster_viewers dagster_operators; do
    [ -s "$name" ] || echo "still to be written by you: deploy/secrets/$name"
done
[ -s report_imap_password ] || echo "with a mailbox of delivery reports, too: deploy/secrets/report_imap_password"
