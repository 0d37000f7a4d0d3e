-- Where couriers find the restaurant, in words; the pin is in latitude and longitude.
alter table restaurants add column address text;
