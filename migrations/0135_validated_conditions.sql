-- The constraint of 0132, for the rows that were there before it. People go on changing them meanwhile.
alter table acknowledgements validate constraint acknowledgements_condition_check;
