import type { Pool } from 'pg';
import { operatorChange } from '../src/catalog/change_context.ts';
import { transaction } from '../src/db/pool.ts';
import { setReach } from '../src/duty/contact_reach.ts';
import { setDutyPlan } from '../src/duty/duty_plan.ts';
import { setTextChannel } from '../src/duty/text_channel.ts';
import { addContact } from '../src/mail/contacts.ts';
import { deriveApiSecretsKey } from '../src/values/api_secrets_key.ts';
import { DISPATCHER } from './provision_story.ts';

const ALWAYS = { weekdays: [1, 2, 3, 4, 5, 6, 7], from: '07:00', to: '07:00' };
const REACH = { by_text: true, by_mail: true, quiet_from: null, quiet_to: null };

interface DutyOptions {
  textsUrl: string;
  textSecret: string;
  secretsKey: string;
  storyMs: number;
}

/**
 * Makes a plan with the dispatcher on duty and Priya next. The leak of the story is sent by text to the phones of the demo: to the
 * dispatcher after a twelfth of the story, and to the next person and to all after a sixth more each, at most ten minutes.
 */
export async function provisionDuty(
  operator: Pool,
  organizationNo: number,
  { textsUrl, textSecret, secretsKey, storyMs }: DutyOptions,
): Promise<void> {
  const minutes = Math.min(10, storyMs / 60_000 / 6);
  await transaction(operator, async (tx) => {
    const change = operatorChange(tx, organizationNo);
    await addContact(change, {
      email: 'priya@champlain.example',
      name: 'Priya Shah',
      roles: ['dispatcher'],
      types: [],
    });
    const onDuty = await setReach(change, DISPATCHER, { ...REACH, phone: '+18025550111' });
    const next = await setReach(change, 'priya@champlain.example', { ...REACH, phone: '+18025550118' });
    await tx.query('update contact_reach set verified_at = now() where organization_no = $1', [organizationNo]);
    const channel = { provider: 'gateway', from: 'Champlain', url: textsUrl, secret: textSecret } as const;
    await setTextChannel(change, channel, deriveApiSecretsKey(secretsKey));
    await setDutyPlan(change, {
      shifts: [{ ...ALWAYS, contact_id: onDuty.contact_id, next_contact_id: next.contact_id }],
      exceptions: [],
      first_minutes: minutes / 2,
      next_minutes: minutes,
      all_minutes: minutes,
      repeat_minutes: null,
      empty_percentage: null,
    });
  });
}
