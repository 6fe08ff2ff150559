-- Completes 0045: an unvalidated constraint is a finding of the doctor. It reads all removals, and locks nothing that writers need.
alter table removals validate constraint removals_kind_check;
