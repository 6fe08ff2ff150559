import { isoTimeSql } from '../db/iso_time.ts';
import type { Db } from '../db/pool.ts';
import { findTankStatus } from '../status/refill_list.ts';
import type { CatalogTank, TankOwner } from '../status/tank_status.ts';
import { batteryText, DEVICE_MAIL_TEXTS, type DeviceGroup } from './device_mail_texts.ts';
import { contactMail } from './event_mail_content.ts';
import { type MailOutcome, type StoredEvent } from './event_mails.ts';
import { IS_HANDLED_SQL, IS_MUTED_SQL } from './handled_events.ts';
import type { MailContent } from './layout.ts';
import { enqueueMails } from './mail_jobs.ts';
import { frameOf, organizationForContactSql, writerFor } from './mail_organization.ts';
import type { Mailer } from './mailer.ts';
import { contactDetails, noTankUrl, type TankUrl, withKey } from './tank_facts.ts';

/**
 * Events that happen to thousands of devices at once: when a network or a gateway fails, when it works again, and when the first frost
 * weakens batteries of the same age. A contact gets one mail about all of them, and at most one in ten minutes.
 */
export const DEVICE_EVENT_TYPES = ['tank.device_silent', 'tank.device_reporting', 'device.battery_low'] as const;
export type DeviceEventType = (typeof DEVICE_EVENT_TYPES)[number];

const OPPOSITE = {
  'tank.device_silent': 'tank.device_reporting',
  'tank.device_reporting': 'tank.device_silent',
  'device.battery_low': 'device.battery_ok',
} as const;
/** SQL expression: the time of the last reading before the silence. For a battery, the time of the event. */
const SILENT_SINCE = `coalesce(e.data ->> 'last_reading_at', e.data ->> 'silent_since', ${isoTimeSql('e.occurred_at')})`;
/** SQL expression: the type that a contact has chosen. Low batteries are mailed to contacts who chose silent devices. */
const CHOSEN_TYPE = `case e.type when 'device.battery_low' then 'tank.device_silent' else e.type end`;
/** The first mail waits this long for more events. */
const COLLECT_SECONDS = 60;
const INTERVAL_SECONDS = 600;
const LISTED_DEVICES = 20;
/** The number of rows per statement. A million devices may be silent at once. */
const CHUNK_ROWS = 10_000;

/**
 * Records that contacts are to be mailed about these events, and schedules the mails. It is idempotent; other types of
 * events and retracted events are skipped.
 */
export async function enqueueDeviceMails(db: Db, eventNos: readonly number[]): Promise<void> {
  const { rows } = await db.query<{ contact_no: number; type: DeviceEventType }>(
    `insert into event_mails (event_no, recipient, recipient_no, kind, sent_at)
     select e.no, 'contact', c.no, 'alert', null
     from events e join contacts c on c.organization_no = e.organization_no
     where e.no = any ($1) and e.type = any ($2) and ${CHOSEN_TYPE} = any (c.types) and c.deleted_at is null
       and e.retracted_at is null
     order by e.no, c.no
     on conflict do nothing
     returning recipient_no as contact_no, (select type from events where no = event_no) as type`,
    [eventNos, DEVICE_EVENT_TYPES],
  );
  const wanted = new Map(rows.map((row) => [`${row.contact_no} ${row.type}`, row]));
  const sorted = [...wanted.values()].toSorted((a, b) => a.contact_no - b.contact_no || a.type.localeCompare(b.type));
  if (sorted.length === 0) return;
  await scheduleDeviceMails(db, sorted);
}

async function scheduleDeviceMails(
  db: Db,
  mails: readonly { contact_no: number; type: DeviceEventType }[],
): Promise<void> {
  await enqueueMails(
    db,
    'mail_devices',
    `select c.organization_no, format('mail_devices:%s:%s', m.contact_no, m.type) as key,
            jsonb_build_object('contact_no', m.contact_no, 'type', m.type) as payload,
            greatest(now() + make_interval(secs => $3), d.sent_at + make_interval(secs => $4)) as due_at
     from unnest($1::int[], $2::text[]) as m (contact_no, type)
     join contacts c on c.no = m.contact_no
     left join device_mails d on d.contact_no = m.contact_no and d.type = m.type`,
    [mails.map((mail) => mail.contact_no), mails.map(({ type }) => type), COLLECT_SECONDS, INTERVAL_SECONDS],
    'keep_time',
  );
}

/** Sends one mail about all events of a type that a contact has not been mailed about. */
export async function mailDevices(
  db: Db,
  mailer: Mailer,
  contactNo: number,
  type: DeviceEventType,
): Promise<MailOutcome> {
  const pending = await readPending(db, contactNo, type);
  await changeMails(db, pending.obsolete, 'delete from event_mails where no = any ($1) and sent_at is null');
  const events = await readListed(db, pending.current.slice(0, LISTED_DEVICES));
  const [first] = events;
  const status = first && (await findTankStatus(db, first.organization.no, first.tank_no, Date.now()));
  if (first === undefined || status === undefined) return 'skipped';
  if (!(await claimInterval(db, contactNo, type))) {
    await scheduleDeviceMails(db, [{ contact_no: contactNo, type }]);
    return 'skipped';
  }
  const tankUrl = mailer.tankUrl(first);
  let isSent: boolean;
  try {
    isSent = await mailer.send({
      to: first.email,
      replyTo: first.organization.reply_to,
      content:
        pending.current.length === 1
          ? contactMail({ ...first, status }, tankUrl)
          : groupMail(
              { type, devices: pending.current.length, silentSince: pending.silentSince },
              first,
              events,
              tankUrl,
              mailer.consoleUrlOf(first),
            ),
      messageKey: `${first.id}.devices.${contactNo}`,
    });
  } catch (error) {
    await db.query(`update device_mails set sent_at = '-infinity' where contact_no = $1 and type = $2`, [
      contactNo,
      type,
    ]);
    throw error;
  }
  await changeMails(db, pending.current, 'update event_mails set sent_at = now() where no = any ($1)');
  return isSent ? 'sent' : 'rejected';
}

/** Returns true if the contact has received no such mail in the last ten minutes, and records that one is sent now. */
async function claimInterval(db: Db, contactNo: number, type: DeviceEventType): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into device_mails as d (contact_no, type, sent_at) values ($1, $2, now())
     on conflict (contact_no, type) do update set sent_at = now()
     where d.sent_at <= now() - make_interval(secs => $3)`,
    [contactNo, type, INTERVAL_SECONDS],
  );
  return rowCount === 1;
}

interface PendingMails {
  /** Rows of event_mails whose events are still valid. */
  current: number[];
  /** Rows whose events were retracted, whose tanks were deleted, muted or handled, or whose devices have changed again. */
  obsolete: number[];
  silentSince: DeviceGroup['silentSince'];
}

async function readPending(db: Db, contactNo: number, type: DeviceEventType): Promise<PendingMails> {
  const pending: PendingMails = { current: [], obsolete: [], silentSince: { first: '', last: '' } };
  let rowCount = CHUNK_ROWS;
  let afterNo = 0;
  while (rowCount === CHUNK_ROWS) {
    const { rows } = await db.query<{ no: number; is_current: boolean; silent_since: string }>(
      `select m.no, ${SILENT_SINCE} as silent_since,
              e.retracted_at is null and t.deleted_at is null and c.deleted_at is null and not exists (
                select from events r
                where r.tank_no = e.tank_no and r.type = $3 and r.retracted_at is null and r.occurred_at > e.occurred_at
              ) and not ${IS_HANDLED_SQL} and not ${IS_MUTED_SQL} as is_current
       from event_mails m
       join events e on e.no = m.event_no and e.type = $2
       join tanks t on t.no = e.tank_no
       join contacts c on c.no = m.recipient_no
       where m.recipient = 'contact' and m.recipient_no = $1 and m.sent_at is null and m.no > $4
       order by m.no limit $5`,
      [contactNo, type, OPPOSITE[type], afterNo, CHUNK_ROWS],
    );
    for (const { no, is_current, silent_since } of rows) {
      (is_current ? pending.current : pending.obsolete).push(no);
      if (is_current) pending.silentSince = widen(pending.silentSince, silent_since);
    }
    rowCount = rows.length;
    afterNo = rows.at(-1)?.no ?? afterNo;
  }
  return pending;
}

/** ISO 8601 times in UTC sort as texts. */
function widen({ first, last }: DeviceGroup['silentSince'], at: string): DeviceGroup['silentSince'] {
  return { first: first === '' || at < first ? at : first, last: at > last ? at : last };
}

export type ListedEvent = StoredEvent & {
  silent_since: string;
  tank: CatalogTank;
  owner: TankOwner;
};

async function readListed(db: Db, mailNos: readonly number[]): Promise<ListedEvent[]> {
  const { rows } = await db.query<ListedEvent>(
    `select e.id, e.type, e.occurred_at, e.data, e.tank_no, ${SILENT_SINCE} as silent_since, to_json(t) as tank,
            json_build_object('id', owner.id, 'external_key', owner.external_key, 'name', owner.name, 'phone', owner.phone) as owner,
            ${organizationForContactSql('c')} as organization, c.email, c.has_console
     from event_mails m
     join events e on e.no = m.event_no
     join tanks t on t.no = e.tank_no
     join customers owner on owner.no = t.owner_no
     join organizations o on o.no = e.organization_no
     join contacts c on c.no = m.recipient_no
     where m.no = any ($1) order by m.no`,
    [mailNos],
  );
  return rows;
}

/** Runs a statement for mails by their numbers ($1), in chunks. */
async function changeMails(db: Db, mailNos: readonly number[], statement: string): Promise<void> {
  for (let from = 0; from < mailNos.length; from += CHUNK_ROWS)
    await db.query(statement, [mailNos.slice(from, from + CHUNK_ROWS)]);
}

/** The page of the console that lists the devices of a group. */
const PAGES: Readonly<Record<DeviceGroup['type'], string>> = {
  'tank.device_silent': '/fleet?status=silent',
  'tank.device_reporting': '/events?type=tank.device_reporting',
  'device.battery_low': '/devices#battery_low',
};

export function groupMail(
  group: DeviceGroup,
  first: ListedEvent,
  events: readonly ListedEvent[],
  tankUrl: TankUrl = noTankUrl,
  consoleUrl?: string,
): MailContent {
  const { organization } = first;
  const writer = writerFor(organization);
  const { formats } = writer;
  const texts = DEVICE_MAIL_TEXTS[formats.language](formats);
  const others = group.devices - events.length;
  return {
    ...frameOf(organization, writer),
    subject: texts.subject(group),
    heading: texts.heading(group),
    tone: group.type === 'tank.device_reporting' ? 'good' : 'neutral',
    blocks: [
      { kind: 'paragraph', text: texts.sentence(group) },
      {
        kind: 'list',
        title: group.type === 'device.battery_low' ? texts.batteries : texts.lastReadings,
        tone: 'neutral',
        items: events.map(({ type, data, tank, owner, silent_since }) => ({
          title: withKey(tank.name, tank.custom_id),
          url: tankUrl(tank.id),
          value: type === 'device.battery_low' ? batteryText(data, formats) : formats.shortTime(silent_since),
          facts: [],
          details: contactDetails(tank, owner),
        })),
        more: others > 0 ? texts.more(others) : undefined,
      },
      ...(consoleUrl === undefined
        ? []
        : [{ kind: 'link', label: writer.texts.openAll, url: `${consoleUrl}${PAGES[group.type]}` } as const]),
    ],
  };
}
