-- without transaction
-- Finds the invitations of a contact, to end and to count them.
create index concurrently invitations_of_contact on sign_ins (contact_no) where contact_no is not null;
