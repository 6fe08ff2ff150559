-- What is in a tank, and to which level it may be filled. It only adds: 0.3.0 takes every tank for one of propane.

-- Null: the product of the organization, and the limit of the product. src/values/products.ts has the products: a release that
-- knows one more must not need another schema.
alter table tanks add column product text;
alter table tanks add column fill_limit_percentage smallint;

-- The change feed shows them. `updated_at` does not change, because /v1 does not have the fields.
create trigger number_changed_product before update on tanks for each row
when (old.product is distinct from new.product or old.fill_limit_percentage is distinct from new.fill_limit_percentage)
execute function set_change_number();

-- The ledger expands compensated volumes by the product.
create trigger follow_product_in_ledger after update on tanks for each row
when (old.product is distinct from new.product) execute function follow_tank_in_ledger();

grant update (product, fill_limit_percentage) on tanks to tankwatch_manager;
