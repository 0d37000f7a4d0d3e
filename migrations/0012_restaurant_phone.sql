-- Couriers call the restaurant: the way to the counter, food that is not ready, an item that is missing.
alter table restaurants add column phone text;
