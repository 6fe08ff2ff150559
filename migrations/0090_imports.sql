-- Imports of files, and what each row was before, so that an import can be undone. It only adds: 0.3.0 works with it.
create table imports (
  no              bigint generated always as identity primary key,
  id              uuid not null unique,
  organization_no int not null references organizations,
  what            text not null check (what in ('customers', 'tanks')),
  file_name       text not null check (length(file_name) between 1 and 200),
  -- Rows of the file. An import that was interrupted has stored fewer than it read.
  rows_read       int not null,
  created         int not null default 0,
  updated         int not null default 0,
  unchanged       int not null default 0,
  refused         int not null,
  created_at      timestamptz(3) not null default now(),
  created_by      text not null default current_actor(),
  -- False if the import had too many rows, or if later imports have taken its place.
  is_recorded     boolean not null default true,
  undone_at       timestamptz(3),
  undone_by       text
);
create index imports_of_organization on imports (organization_no, no);

-- What an import created or changed. It has personal data: it is deleted with its customer or tank, and after 7 days.
create table imported_rows (
  import_no  bigint not null references imports on delete cascade,
  object     text not null check (object in ('customer', 'tank')),
  -- No foreign key, as in tank_notes: triggers delete the rows with their customer and tank.
  object_no  int not null,
  -- The changed fields before the import. Null: the import created it.
  before     jsonb,
  -- The same fields after the import; of a new object, the time of its last change.
  after      jsonb not null,
  primary key (import_no, object, object_no)
);
create index imported_rows_of_object on imported_rows (object, object_no);

grant select, insert, delete on imports, imported_rows to tankwatch_manager, tankwatch_operator;
grant update (created, updated, unchanged, is_recorded, undone_at, undone_by) on imports to tankwatch_manager, tankwatch_operator;
grant select (no, organization_no, created_at), delete on imports to tankwatch_worker;
grant select (import_no), delete on imported_rows to tankwatch_worker;

-- How a number such as 1.000 is read depends on the language.
grant select (language) on organizations to tankwatch_manager;
-- A manual reading may wait to be stored: its tank is not deleted.
grant select (tank_no) on waiting_dips to tankwatch_manager, tankwatch_operator;
-- A person may undo an import of the operator, whose files also have these columns.
grant update (is_batch_tank, created_at) on tanks to tankwatch_manager;
grant update (created_at) on customers to tankwatch_manager;
