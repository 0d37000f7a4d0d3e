-- seals_bound: everything sealed is bound to its row, and nothing else is opened. Null where an earlier version made
-- the installation: its nodes could not open what is bound, so nothing is until `master-key rotate` seals all anew.
alter table installation add column seals_bound boolean;

-- What hashes the credentials of integrators, sealed with the master key. Null until the first rotation: it is then
-- derived from the master key itself. Hashes cannot be made again without the credentials, so this key never changes.
alter table installation add column sealed_credential_key bytea;
