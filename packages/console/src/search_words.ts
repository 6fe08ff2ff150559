/** Whether the service can search for a text: it needs three letters or digits in a row, or two beside a sign, as in X-77. */
export const isSearchable = (text: string): boolean =>
  text
    .split(/\s+/)
    .some((word) => /[\p{L}\p{N}]{3}|[\p{L}\p{N}]{2}[^\p{L}\p{N}]|[^\p{L}\p{N}][\p{L}\p{N}]{2}/u.test(word));
