-- What a source has done in each hour of the last day, for the bars of the page Sources. It only adds: the code before works with it.
alter table connector_states add column hours jsonb not null default '{}';
