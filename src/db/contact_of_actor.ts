/** SQL for the id of the contact that an actor of the audit log names. Null for a program and a command. */
export const contactIdSql = (actor: string): string =>
  `case when ${actor} ~ '^contact [0-9a-f-]{36}$' then substr(${actor}, 9)::uuid end`;
