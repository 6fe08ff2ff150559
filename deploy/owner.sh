#!/usr/bin/env bash
# Run once by the postgres image, as the superuser, when the data folder is empty: the owner of the tables and its database.
# The owner may create roles, which `tankwatch migrate` and logins.sql need, and is no superuser.
set -euo pipefail
psql --quiet --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
\set ON_ERROR_STOP on
\getenv owner_password OWNER_PASSWORD
create role tankwatch_owner login createrole password :'owner_password';
create database tankwatch owner tankwatch_owner;
SQL
