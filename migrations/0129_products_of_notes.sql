-- What was delivered, as a delivery note says. Null: it does not say. It only adds: 0.3.0 works with it.
alter table delivery_notes add column product text;
grant update (product) on delivery_notes to tankwatch_manager, tankwatch_operator;
