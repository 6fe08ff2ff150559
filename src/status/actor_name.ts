import { contactIdSql } from '../db/contact_of_actor.ts';

/**
 * SQL: the name or address of the contact that an actor of the audit log names. Null for a program, a command, and a contact who
 * was removed. Contacts of other organizations have no name here.
 */
export const actorNameSql = (actor: string, organizationNo: string): string =>
  `(select coalesce(c.name, c.email) from contact_settings c where c.organization_no = ${organizationNo}
    and c.id = ${contactIdSql(actor)})`;
