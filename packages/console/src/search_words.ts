/** Characters that a search ignores, so that "X-77" finds "X77". */
const SIGNS = /[-.:()/+'"#*&@|_%\\!?[\]{}<>=$^`~‐‑–—‘’“”´·°«»¡¿…]/g;

/** Whether the service can search for a text: a word needs three letters or digits in a row. */
export const isSearchable = (text: string): boolean => /[\p{L}\p{N}]{3}/u.test(text.replace(SIGNS, ''));
