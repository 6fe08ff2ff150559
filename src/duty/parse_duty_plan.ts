import type { Db } from '../db/pool.ts';
import { isObject, parseJson } from '../values/json.ts';
import { UserError } from '../values/user_error.ts';
import type { DutyException, EscalationSettings, NewDutyPlan, Shift } from './duty_plan.ts';

/** Parses a plan from a file, which names contacts by id or address. TypeBox is not used, because it takes long to load. */
export async function parseDutyPlan(db: Db, organizationNo: number, given: string): Promise<NewDutyPlan> {
  const { rows } = await db.query<{ id: string; email: string }>(
    'select id, email from contacts where organization_no = $1 and deleted_at is null',
    [organizationNo],
  );
  const idsByEmail = new Map(rows.map(({ id, email }) => [email.toLowerCase(), id]));
  const contactOf = (part: object, field: string): string | null => {
    const value = fieldOf(part, field);
    if (value === undefined || value === null) return null;
    return idsByEmail.get(textOf(value, field).toLowerCase()) ?? textOf(value, field);
  };
  const peopleOf = (part: object): Pick<Shift, 'contact_id' | 'next_contact_id'> => ({
    contact_id: contactOf(part, 'contact_id'),
    next_contact_id: contactOf(part, 'next_contact_id'),
  });
  const timesOf = (part: object): { from: string; to: string } => ({
    from: textOf(fieldOf(part, 'from'), 'from'),
    to: textOf(fieldOf(part, 'to'), 'to'),
  });
  const plan = parseJson(given);
  if (!isObject(plan)) throw new UserError('the file is not a JSON object with shifts and exceptions.');
  return {
    shifts: listOf(plan, 'shifts').map(
      (part): Shift => ({ ...timesOf(part), weekdays: numbersOf(fieldOf(part, 'weekdays')), ...peopleOf(part) }),
    ),
    exceptions: listOf(plan, 'exceptions').map((part): DutyException => ({ ...timesOf(part), ...peopleOf(part) })),
    ...settingsOf(plan),
  };
}

/** The settings that the file has. The others keep their values. */
function settingsOf(plan: object): Partial<EscalationSettings> {
  const settings: Partial<EscalationSettings> = {};
  for (const field of ['first_minutes', 'next_minutes', 'all_minutes'] as const) {
    const value = fieldOf(plan, field);
    if (value === undefined) continue;
    if (typeof value !== 'number') throw new UserError(`${field} is not a number.`);
    settings[field] = value;
  }
  for (const field of ['repeat_minutes', 'empty_percentage'] as const) {
    const value = fieldOf(plan, field);
    if (value === undefined) continue;
    if (value !== null && typeof value !== 'number') throw new UserError(`${field} is not a number or null.`);
    settings[field] = value;
  }
  const escalates = fieldOf(plan, 'escalates');
  if (escalates === undefined) return settings;
  if (typeof escalates !== 'boolean') throw new UserError('escalates is not true or false.');
  return { ...settings, escalates };
}

const fieldOf = (part: object, field: string): unknown => Reflect.get(part, field);

function listOf(plan: object, field: string): object[] {
  // As in PUT /manage/v1/duty, a plan without shifts says so: a file with settings only would delete all shifts.
  const list = fieldOf(plan, field) ?? (field === 'exceptions' ? [] : undefined);
  if (!Array.isArray(list) || !list.every(isObject)) throw new UserError(`${field} is not a list of objects.`);
  return list;
}

function textOf(value: unknown, field: string): string {
  if (typeof value !== 'string') throw new UserError(`${field} is missing or not a text.`);
  return value;
}

function numbersOf(value: unknown): number[] {
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'number'))
    throw new UserError('weekdays is not a list of numbers.');
  return value;
}
