import {
  PROVIDER_SECRET,
  PROVIDER_SIGNING_KEY,
  type RunningProvider,
  startTextProvider,
} from '../../engines/text_provider.ts';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { transaction } from '../../src/db/pool.ts';
import { type NewDutyPlan, setDutyPlan } from '../../src/duty/duty_plan.ts';
import { type NewTextChannel, setTextChannel } from '../../src/duty/text_channel.ts';
import type { TextProvider } from '../../src/duty/text_providers.ts';
import { addContact } from '../../src/mail/contacts.ts';
import { deriveApiSecretsKey } from '../../src/values/api_secrets_key.ts';
import { SECRETS_KEY, type Tanked } from './events.ts';
import { type TestDatabase, untilTestEnds } from './test.ts';

export async function givenProvider(): Promise<RunningProvider> {
  return untilTestEnds(startTextProvider());
}

/** The settings of a channel that sends texts to the provider at this URL. */
export const channelOf = (provider: TextProvider, url: string): NewTextChannel => ({
  provider,
  from: '+18025550100',
  ...(provider === 'twilio' && { account: 'AC0123' }),
  ...(provider === 'vonage' && { account: 'vonage-key' }),
  url: provider === 'gateway' ? `${url}/send` : url,
  secret: PROVIDER_SECRET,
  ...(provider === 'messagebird' && { signing_key: PROVIDER_SIGNING_KEY }),
});

export const givenChannel = (
  { operator }: TestDatabase,
  organizationNo: number,
  channel: NewTextChannel,
): Promise<void> =>
  transaction(operator, (tx) =>
    setTextChannel(operatorChange(tx, organizationNo), channel, deriveApiSecretsKey(SECRETS_KEY)),
  );

/** People with verified numbers, in the order of the names. */
export async function givenReachedPeople(
  { operator, owner }: TestDatabase,
  organizationNo: number,
  names: readonly string[],
): Promise<{ id: string; phone: string }[]> {
  const people: { id: string; phone: string }[] = [];
  for (const [index, name] of names.entries()) {
    const { id } = await transaction(operator, (tx) =>
      addContact(operatorChange(tx, organizationNo), { email: `${name}${organizationNo}@example.com`, name }),
    );
    const phone = `+1802555${String(organizationNo * 10 + index).padStart(4, '0')}`;
    await owner.query(
      `insert into contact_reach (no, organization_no, phone, verified_at, by_mail)
       select no, organization_no, $2, now(), false from contacts where id = $1`,
      [id, phone],
    );
    people.push({ id, phone });
  }
  return people;
}

/** The first is on duty at all times, the second is next. Steps follow each other in parts of a second. */
export const givenDuty = (
  { operator }: TestDatabase,
  organizationNo: number,
  [first, second]: readonly { id: string }[],
  more: Partial<NewDutyPlan> = {},
): Promise<void> =>
  transaction(operator, (tx) =>
    setDutyPlan(operatorChange(tx, organizationNo), {
      shifts: [
        {
          weekdays: [1, 2, 3, 4, 5, 6, 7],
          from: '00:00',
          to: '00:00',
          contact_id: first?.id ?? null,
          next_contact_id: second?.id ?? null,
        },
      ],
      exceptions: [],
      first_minutes: 0,
      next_minutes: 0.01,
      all_minutes: 0.01,
      repeat_minutes: null,
      ...more,
    }),
  );

/** The tank loses gas, as evaluation would store it. Its event is recorded by the test. */
export const makeLosing = ({ owner }: TestDatabase, { tank }: Pick<Tanked, 'tank'>) =>
  owner.query('update fleet_tanks set losing_seen_at = now() where tank_no = $1', [tank.no]);
