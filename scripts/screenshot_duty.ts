import type { Pool } from 'pg';
import { operatorChange } from '../src/catalog/change_context.ts';
import { transaction } from '../src/db/pool.ts';
import { type Shift, setDutyPlan } from '../src/duty/duty_plan.ts';
import { setTextChannel } from '../src/duty/text_channel.ts';
import { addContact } from '../src/mail/contacts.ts';
import { DAY_MS } from '../src/values/time.ts';
import { zonedDate } from '../src/values/zoned_time.ts';
import type { PictureFleet } from './screenshot_fleets.ts';

/** The people of the plan. The first has a verified number; the others have quiet hours, an unverified number, and no number. */
const PEOPLE = [
  { name: 'Dana Whitcomb', reach: `'+18025550111', now(), true, null, null` },
  { name: 'Marc Tatro', reach: `'+18025550125', now(), false, '07:00', '15:00'` },
  { name: 'Luke Gagnon', reach: `'+18025550131', null, true, null, null` },
  { name: 'Beth LaRoche', reach: `null, null, true, '22:00', '06:00'` },
] as const;

/** Creates a week with a swap and a gap, and a loss that is being escalated. */
export async function giveDuty(
  owner: Pool,
  { organizationNo, tankIds }: PictureFleet,
  secretsKey: string,
): Promise<void> {
  const change = <T>(work: (context: ReturnType<typeof operatorChange>) => Promise<T>): Promise<T> =>
    transaction(owner, (tx) => work(operatorChange(tx, organizationNo)));
  const channel = { provider: 'twilio', from: '+18025550100', account: 'AC0123', secret: 'a token' } as const;
  await change((context) => setTextChannel(context, channel, secretsKey));
  const ids: string[] = [];
  for (const { name, reach } of PEOPLE) {
    const email = `${name.toLowerCase().replace(' ', '.')}@greenmountaingas.example`;
    const { id } = await change((context) => addContact(context, { email, name }));
    await owner.query(
      `insert into contact_reach (no, organization_no, phone, verified_at, by_mail, quiet_from, quiet_to)
       select no, organization_no, ${reach} from contacts where id = $1`,
      [id],
    );
    ids.push(id);
  }
  const shift = (weekdays: number[], [from, to]: [string, string], person: number, next: number): Shift => ({
    weekdays,
    from,
    to,
    contact_id: ids[person] ?? null,
    next_contact_id: ids[next] ?? null,
  });
  const tomorrow = zonedDate(Date.now() + DAY_MS, 'America/New_York');
  await change((context) =>
    setDutyPlan(context, {
      shifts: [
        shift([1, 2, 3, 4, 5], ['07:00', '19:00'], 0, 1),
        shift([6], ['07:00', '19:00'], 2, 3),
        shift([1, 2, 3, 4, 5, 6, 7], ['19:00', '07:00'], 1, 3),
      ],
      exceptions: [
        {
          from: `${tomorrow}T07:00`,
          to: `${tomorrow}T19:00`,
          contact_id: ids[3] ?? null,
          next_contact_id: ids[1] ?? null,
        },
      ],
    }),
  );
  // Losses from before the plan are not escalated.
  await owner.query('delete from escalations where organization_no = $1', [organizationNo]);
  const told = (ago: string, person: number, status: string, error: string | null = null) => ({
    ago,
    contactId: ids[person],
    status,
    error,
  });
  const escalations = [
    {
      tankId: tankIds.leak,
      condition: 'losing',
      began: '9 minutes',
      ended: null,
      texts: [told('4 minutes', 0, 'delivered')],
    },
    {
      tankId: tankIds.low,
      condition: 'low',
      began: '26 hours',
      ended: '25 hours',
      texts: [told('1555 minutes', 2, 'failed', 'the number is not in service'), told('1550 minutes', 1, 'delivered')],
    },
  ];
  for (const [at, { tankId, condition, began, ended, texts }] of escalations.entries()) {
    await owner.query(
      `insert into escalations (organization_no, tank_no, event_no, condition, stage, step, next_at, began_at, ended_at, ended_because)
       select $1, no, -1 - $3::int, $4, 1, 1, now() + interval '1 minute', now() - $5::interval, now() - $6::interval,
              case when $6::interval is not null then 'over' end
       from tanks where id = $2`,
      [organizationNo, tankId, at, condition, began, ended],
    );
    for (const [step, { ago, contactId, status, error }] of texts.entries())
      await owner.query(
        `insert into texts (organization_no, contact_no, purpose, escalation_no, step, status, error, created_at, finished_at)
         select $1, c.no, 'alert', e.no, $4, $5, $6, now() - $7::interval, now() - $7::interval
         from contacts c, escalations e where c.id = $2 and e.event_no = $3`,
        [organizationNo, contactId, -1 - at, step + 1, status, error, ago],
      );
  }
}
