-- Checks the kinds of the removals of before, which 0045 left out. It blocks neither reads nor writes.
alter table removals validate constraint removals_kind_check;
