-- Orders whose texts were erased while something could still be added to them: they were not finished, or a webhook of
-- them was still on its way and has to be sent with the bytes that were committed. They are erased once more later.
create table erasures_left (
  order_id uuid primary key,
  looked_at timestamptz not null
);
create index erasures_left_by_look on erasures_left (looked_at);

-- What earlier versions have erased they have erased in part: no texts besides the content.
insert into erasures_left (order_id, looked_at) select id, '-infinity' from orders where erased_at is not null;

-- And a node of the previous version that runs beside this one goes on like that. To be dropped when the next release
-- is out.
create function keep_erasure_left() returns trigger language plpgsql as $$
begin
  insert into erasures_left (order_id, looked_at) values (new.id, '-infinity') on conflict do nothing;
  return null;
end
$$;

create trigger orders_erased_in_part after update of erased_at on orders for each row
  when (old.erased_at is null and new.erased_at is not null) execute function keep_erasure_left();
