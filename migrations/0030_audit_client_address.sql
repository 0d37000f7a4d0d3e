-- The address of the client whose request made the change. Null: the command line or a worker made it.
alter table audit_entries add column client_address text;
