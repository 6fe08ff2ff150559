-- Lower case without accents. translate compares each character with its list from the start, so the frequent
-- characters, which do not change, come first. This takes 0.4 of the time.
create or replace function fold_text(given text) returns text immutable parallel safe language sql as $$
  select translate(lower(given), ' eaoirnstlcdu0123456789mphbgfvyzjqkwxáàâäãåéèêëíìîïóòôöõúùûüñç',
                                 ' eaoirnstlcdu0123456789mphbgfvyzjqkwxaaaaaaeeeeiiiiooooouuuunc')
$$;
