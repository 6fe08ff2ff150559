-- The text that a search compares: as fold_text, without punctuation, and with one kind of space.
create or replace function search_text(given text) returns text immutable parallel safe language sql as $$
  select translate(
    lower(given),
    E' eaoirnstlcdu0123456789mphbgfvyzjqkwx,;\t\n\ráàâäãåéèêëíìîïóòôöõúùûüñç-.:()/+''"#*&@|_%\\!?[]{}<>=$^`~‐‑–—‘’“”´·°«»¡¿…',
    ' eaoirnstlcdu0123456789mphbgfvyzjqkwx     aaaaaaeeeeiiiiooooouuuunc')
$$;
