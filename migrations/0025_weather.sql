-- The weather of places, for forecasts. Events never read these tables. It only adds: 0.2.0 works with it. The reference to
-- fleet_tanks locks that table for a moment.

-- A place with weather: a station, a postal code or coordinates, as the operator or an integrator names it. Each
-- organization has its own, because whoever may push weather would otherwise change the forecasts of others.
create table places (
  no              int generated always as identity primary key,
  organization_no int not null references organizations,
  name            text not null check (name <> '' and length(name) <= 80),
  postal_code     text,               -- a prefix, upper case, without blanks: tanks whose code begins with it are here
  latitude        double precision,
  longitude       double precision,
  changed_at      timestamptz(3) not null default now(),  -- when its weather or its tanks last changed
  matched_at      timestamptz(3),     -- when tanks were last matched with it
  -- What the worker makes of the temperatures, once a day and after each change. Forecasts read nothing else.
  computed_at     timestamptz(3),
  normals         real[],             -- the usual temperatures of a year; null: no archive of a year yet
  spread_c        real,               -- how far the weather after a forecast is off
  outlook         text,               -- the last 90 days, the forecast and the normals, encoded; null: nothing known
  known_until     date,               -- the last day that is observed or forecast
  unique (organization_no, name)
);
create index places_by_latitude on places (organization_no, latitude) where latitude is not null;
create index places_by_postal_code on places (organization_no, postal_code) where postal_code is not null;

-- Daily means. Of a day, the newest issue counts, and an observation before a forecast. Issues of forecasts are kept for 30
-- days, one a day, so that a back-test knows what was known then.
create table place_temperatures (
  place_no  int not null references places on delete cascade,
  kind      text not null check (kind in ('observed', 'forecast', 'normal')),
  on_date   date not null,            -- the day by the clock of the place
  issued_at timestamptz(3) not null,
  mean_c    real not null check (mean_c between -70 and 55),
  source    text not null default '',
  primary key (place_no, kind, on_date, issued_at)
);

-- How much of a tank's use follows the weather of its place. Not in tank_states: the evaluation of readings does not know the
-- weather, and this row changes once a day. It is deleted with the row of fleet_tanks, so with the tank.
create table tank_weather (
  tank_no      int primary key references fleet_tanks on delete cascade,
  place_no     int not null references places on delete cascade,
  matched_by   text not null check (matched_by in ('choice', 'coordinates', 'postal_code')),
  share        real not null default 0,   -- 0: the forecast does not use the weather
  errors       real[] not null default '{}',
  -- What this tank alone has shown. The mean over a place and use is what is assumed of its new tanks.
  own_chance   real not null default 0,
  own_share    real not null default 0,
  learned_days real not null default 0,
  model        text                       -- encoded; null: nothing learned yet
) with (fillfactor = 80);
create index tank_weather_of_place on tank_weather (place_no, tank_no);
