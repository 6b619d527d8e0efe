-- name: without_a_key
select (select count(*) from worker.recipient where key_id <> all(:ids))
    + (select count(*) from worker.gift_notification where key_id <> all(:ids))
    + (
        select count(*) from worker.relay_request where salt is not null and key_id <> all(:ids)
          and (
            wallet = any(:ours) and chain_id = any(:chains)
            or updated_at > now() - make_interval(secs => :followed)
          )
    );
