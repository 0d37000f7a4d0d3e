-- The second that an attempt named in its delivery metadata, so that the request can be shown exactly as it was sent.
-- Null: it carried no metadata.
alter table attempts add column metadata_at timestamptz;

-- Pages that look on ask twice a second which notes are new.
create index order_history_by_id on order_history (id);

-- What failed is looked for among millions that did not.
create index attempts_undelivered on attempts (restaurant_id, id) where outcome <> 'delivered';
