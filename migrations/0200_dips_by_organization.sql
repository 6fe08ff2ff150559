-- without transaction
-- Organizations take turns when writers store dips: the many levels of an import of one delay nobody else.
create index concurrently waiting_dips_of_organization on waiting_dips (organization_no, no);
