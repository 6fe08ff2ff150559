import { isoTimeSql } from '../db/iso_time.ts';
import type { Db } from '../db/pool.ts';
import { findTankStatus } from '../status/refill_list.ts';
import { contactMail, type MailedEvent } from './event_mail_content.ts';
import { withKey } from './tank_facts.ts';

/** The fields of an event that a message of a few lines needs. */
export type SummarizedEvent = Pick<MailedEvent, 'type' | 'occurred_at' | 'data'> & { tank_no: number };

/** SQL expression: the summarized event `e`, or null. */
export const SUMMARIZED_EVENT_SQL = `case when e.no is not null then json_build_object('type', e.type, 'data', e.data, 'tank_no', e.tank_no,
  'occurred_at', ${isoTimeSql('e.occurred_at')}) end`;

/** The content of a text message or a push about an event, from the mail about it, in the language of the organization. */
export interface AlertSummary {
  tank: { id: string; name: string };
  /** The subject of the mail, with tank, owner and forecast. */
  subject: string;
  /** The heading of the mail, with the tank only. */
  heading: string;
  /** Owner, street, city and phone. */
  address: string;
  /** What to do. Empty if nothing is to be done. */
  advice: string;
}

/** Summarizes an event. Undefined if the tank was deleted. */
export async function summarizeAlert(
  db: Db,
  organization: MailedEvent['organization'],
  event: SummarizedEvent,
): Promise<AlertSummary | undefined> {
  const status = await findTankStatus(db, organization.no, event.tank_no, Date.now());
  if (status === undefined) return undefined;
  // The event may be old and the tank empty by now, so the level of the event is replaced by the latest reading.
  const level = event.type === 'tank.low_fill' && status.reading !== null ? status.reading : {};
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- type and data come from one row of events
  const mail = contactMail({ ...event, data: { ...event.data, ...level }, organization, status } as MailedEvent);
  const { tank, owner } = status;
  const place = [tank.street, tank.street_number].filter((part) => part !== null).join(' ');
  return {
    tank,
    subject: mail.subject,
    heading: mail.heading,
    address: [withKey(owner.name, owner.external_key), place, tank.city, owner.phone].filter(Boolean).join(', '),
    advice: mail.blocks.find((block) => block.kind === 'advice')?.text ?? '',
  };
}
