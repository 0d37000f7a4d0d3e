-- What Waybill acts on in an order's content, as typed values, written once when the order comes in. Null for orders of
-- an earlier version: their facts are read from the content by the program, never by a cast in SQL.
alter table orders add column facts json;

-- A node of the previous version that runs beside this one changes content without knowing of the facts; they are then
-- read from the content again. To be dropped when the next release is out.
create function forget_stale_facts() returns trigger language plpgsql as $$
begin
  new.facts := null;
  return new;
end
$$;

create trigger orders_facts_follow_content before update of content on orders for each row
  when (old.facts is not null and old.facts::text = new.facts::text and old.content::text <> new.content::text)
  execute function forget_stale_facts();
