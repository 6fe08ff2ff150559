create or replace function write_customer_texts(customer_nos int[]) returns void language sql as $$
  delete from customer_texts x using customers c
  where x.no = any (customer_nos) and c.no = x.no and c.deleted_at is not null;
  insert into customer_texts (no, organization_no, text, sort_name)
  select no, organization_no, customer_text(name, email, phone, external_key) || coalesce(other_phone_texts(other_phones), ''),
         customer_sort_name(name)
  from customers where no = any (customer_nos) and deleted_at is null order by no
  on conflict (no) do update set organization_no = excluded.organization_no, text = excluded.text, sort_name = excluded.sort_name
  where (customer_texts.organization_no, customer_texts.text, customer_texts.sort_name)
    is distinct from (excluded.organization_no, excluded.text, excluded.sort_name)
$$;
