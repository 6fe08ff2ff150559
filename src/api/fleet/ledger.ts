import { type Static, Type } from 'typebox';
import type { Readers } from '../../db/readers.ts';
import {
  countLedger,
  type LedgerFilter,
  type LedgerItem,
  readCommonOffset,
  readLedgerPage,
} from '../../deliveries/ledger/ledger_page.ts';
import { INCOMPARABLE_REASONS } from '../../deliveries/pure/notes/note_verdict.ts';
import { commonOffsetOf, VERDICTS } from '../../deliveries/verdict_texts.ts';
import type { Caller } from '../../keys/key_verifier.ts';
import { organizationZone } from '../../status/organization_day.ts';
import { PRODUCT_NAMES } from '../../values/products.ts';
import { tenth } from '../../values/tenth.ts';
import { zonedDayStartMs } from '../../values/zoned_time.ts';
import { operation } from '../operation.ts';
import type { Parameter, ParameterValues } from '../parameters.ts';
import {
  Closed,
  Count,
  idName,
  Named,
  Nullable,
  NullableEnum,
  NullableNumber,
  NullableString,
  pageEnd,
  pageEndFields,
  Time,
} from '../schemas/values.ts';
import { cursor, cursorOrProblem, idParameter, oneOf, pageSize } from './filters.ts';
import { scopeOf } from './tanks.ts';

/** The share of correct deliveries that are reported as not consistent (bench/results/deliveries.md). */
const FALSE_INCONSISTENT_SHARE = 0.017;

const MONTH = /^(1[89]|20|21)[0-9]{2}-(0[1-9]|1[0-2])$/;

export const monthParameter: Parameter<string> = {
  schema: Type.String({ pattern: MONTH.source, examples: ['2025-10'] }),
  description: 'Only entries of this month, by the time zone of the organization.',
  parse: (value) => (MONTH.test(value) ? { value } : { code: 'invalid', detail: 'Must be a month such as 2025-10.' }),
};

/** The month that is `by` months later, such as 2026-01 after 2025-12. */
export function nextMonth(month: string, by = 1): string {
  const date = new Date(`${month}-01T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + by);
  return date.toISOString().slice(0, 7);
}

export const monthStartMs = (month: string, zone: string): number => zonedDayStartMs(`${month}-01`, zone);

export const filterParametersOfLedger = {
  verdict: oneOf(VERDICTS, 'Only entries with this verdict.'),
  month: monthParameter,
  truck_id: idParameter('Only notes of this truck.'),
  driver_id: idParameter('Only notes of this driver.'),
  tank_id: idParameter('Only notes and refills of this tank.'),
  owner_id: idParameter('Only notes and refills of this customer.'),
};

/** Parses the filter. A customer who has signed in sees no drivers and cannot filter by them. */
export async function ledgerFilter(
  readers: Readers,
  { organizationNo, customerNo }: Caller,
  given: ParameterValues<typeof filterParametersOfLedger>,
): Promise<{ filter: LedgerFilter; zone: string }> {
  const zone = await organizationZone(readers, organizationNo);
  const { month } = given;
  return {
    zone,
    filter: {
      verdict: given.verdict ?? null,
      fromMs: month === undefined ? null : monthStartMs(month, zone),
      untilMs: month === undefined ? null : monthStartMs(nextMonth(month), zone),
      truckId: given.truck_id ?? null,
      driverId: customerNo === null ? (given.driver_id ?? null) : null,
      tankId: given.tank_id ?? null,
      ownerId: given.owner_id ?? null,
    },
  };
}

/**
 * Removes what the caller may not see: owners see the truck, which is on their note, but not the name of the driver.
 */
export const visibleItem = (item: LedgerItem, { customerNo }: Pick<Caller, 'customerNo'>): LedgerItem =>
  customerNo === null ? item : { ...item, driver: null };

const NamedTank = Closed({
  ...idName('tank'),
  custom_id: NullableString("The customer's own identifier for the tank."),
});
const unit = Type.Enum(['liters', 'gallons'], {
  description: 'Unit of the volumes: that of the notes, or of the tank.',
});

export const LedgerEntry = Named('LedgerEntry', {
  id: Type.String({ description: 'ID of the entry. It stays the same while its first note or refill stays the same.' }),
  at: Time('When the first note was written; without a note, when the gauge saw the refill.'),
  verdict: Type.Enum([...VERDICTS], { description: 'Whether note and gauge agree.' }),
  reason: NullableEnum(INCOMPARABLE_REASONS, 'Why note and gauge cannot be compared.'),
  unlike_earlier: Type.Boolean({
    description: 'Whether the delivery differs from the earlier deliveries to its tank.',
  }),
  pinned: Type.Boolean({ description: 'Whether a person decided which refill one of its notes belongs to.' }),
  notes: Type.Array(
    Closed({
      id: Type.String({ description: 'ID of the note.' }),
      series: Type.String({ description: 'Series of the note. Empty if it has none.' }),
      number: Type.String({ description: 'Number of the note.' }),
      at: Time('When it was written.'),
      precision: Type.Enum(['minute', 'day'], { description: 'How exact `at` is.' }),
      volume: Type.Number({ description: 'Volume, as written.' }),
      unit: Type.Enum(['liters', 'gallons'], { description: 'Unit of the volume, as written.' }),
      product: NullableEnum(PRODUCT_NAMES, 'What was delivered, if the note says it.'),
      is_other_product: Type.Boolean({ description: 'Whether its tank holds another product than the note says.' }),
    }),
    { description: 'The notes of this delivery. Empty for a refill without a note.' },
  ),
  refills: Type.Array(
    Closed({ tank_id: Type.String({ description: 'ID of the tank.' }), at: Time('Time of the refill.') }),
    { description: 'The refills of this delivery that gauges saw.' },
  ),
  tanks: Type.Array(NamedTank, { description: 'The tanks of its refills and notes.' }),
  owner: Closed({ ...idName('customer'), external_key: NullableString("The operator's own number of the customer.") }),
  truck: Nullable('The truck of the notes. Null if they name none or several.', idName('truck')),
  driver: Nullable(
    'The driver of the notes. Null if they name none or several, or if the key is narrowed to a customer.',
    idName('driver'),
  ),
  unit,
  note_volume: NullableNumber('The sum of the volumes on the notes.'),
  pumped_volume: NullableNumber(
    'The volume that went through the hose, computed from the notes. Null if it is unknown whether the meter compensates temperature.',
  ),
  gauge_volume: NullableNumber('The delivered volume, as the gauge saw it.'),
  from_volume: NullableNumber('The smallest volume of the notes that the gauge allows. Null if it is not compared.'),
  to_volume: NullableNumber('The largest volume of the notes that the gauge allows. Null if it is not compared.'),
  may_belong_to: Nullable(
    'For a note without a refill: a refill of the same customer that has no note and is near in time and volume.',
    {
      tank: NamedTank,
      refill_at: Time('Time of the refill.'),
      gauge_volume: Type.Number({ description: 'Its volume, as the gauge saw it.' }),
    },
  ),
});

export const LEDGER_EXAMPLE: Static<typeof LedgerEntry> = {
  id: '5b0c3d0e-9a41-8f02-8d6a-3f0f5f6b1a77',
  at: '2025-10-30T17:20:00.000Z',
  verdict: 'consistent',
  reason: null,
  unlike_earlier: false,
  pinned: false,
  notes: [
    {
      id: '01989f35-2f10-7d41-9a5c-4be07c61d3a8',
      series: 'A',
      number: '20379',
      at: '2025-10-30T17:20:00.000Z',
      precision: 'minute',
      volume: 195,
      unit: 'liters',
      product: null,
      is_other_product: false,
    },
  ],
  refills: [{ tank_id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66', at: '2025-10-30T18:00:00.000Z' }],
  tanks: [{ id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66', name: 'House', custom_id: 'T-4711' }],
  owner: { id: '01989f2e-6a3b-7c41-9d52-0b6f1e2a7c90', name: 'María López', external_key: 'C-1042' },
  truck: { id: '01989f35-1d02-7b11-8c3e-77a1c5d0e9b4', name: 'Truck 2' },
  driver: null,
  unit: 'liters',
  note_volume: 195,
  pumped_volume: 195,
  gauge_volume: 187,
  from_volume: 165,
  to_volume: 209,
  may_belong_to: null,
};

export const CommonOffset = Nullable(
  'How much all gauges together differ from the notes, if correct gauges cannot differ that much. Then no note is compared and no truck is flagged. Null if they do not differ that much.',
  {
    share: Type.Number({ description: 'The share by which the gauges show more than the notes. -0.16 is 16 % less.' }),
    texts: Closed(
      {
        en: Type.String({ description: 'What to check, in English.' }),
        es: Type.String({ description: 'What to check, in Spanish.' }),
      },
      'A sentence for people.',
    ),
  },
);

const Ledger = Named('Ledger', {
  object: Type.Literal('ledger'),
  zone: Type.String({ description: 'Time zone in which months begin.' }),
  counts: Closed(
    {
      notes: Count('Number of notes.'),
      note_liters: Type.Number({ description: 'Their volume in liters, as written.' }),
      ...Object.fromEntries(VERDICTS.map((verdict) => [verdict, Count('Number of entries with this verdict.')])),
      expected_by_chance: Count('About how many correct deliveries are `not_consistent` by chance.'),
    },
    'The totals of all entries that match the filters, whatever their verdict.',
  ),
  common_offset: CommonOffset,
  entries: Type.Array(LedgerEntry, { description: 'Newest first.' }),
  ...pageEndFields,
});

const parameters = { ...filterParametersOfLedger, size: pageSize, after: cursor('`next` of the page before.') };

export const listLedgerOperation = operation({
  path: '/fleet/v1/ledger',
  operationId: 'listLedger',
  summary: 'List delivery notes and refills with their verdicts',
  description:
    'Returns each delivery note that is not cancelled and each refill once. `verdict=note_without_refill` returns only notes without a ' +
    'refill, `verdict=refill_without_note` only refills without a note. `not_consistent` means that note and gauge differ by more than ' +
    'the gauge can be wrong. Check the note, the capacity and the gauge first. If all gauges together differ from the notes ' +
    '(`common_offset`), or trucks or drivers differ from each other, their notes are not compared one by one: the reason is ' +
    '`common_offset` or `trucks_differ`.',
  returns: 'answer',
  item: Ledger,
  example: {
    object: 'ledger',
    zone: 'America/Mexico_City',
    counts: {
      notes: 635,
      note_liters: 104821,
      not_consistent: 7,
      note_without_refill: 9,
      refill_without_note: 14,
      cannot_be_told: 82,
      waiting: 3,
      consistent: 534,
      expected_by_chance: 9,
    },
    common_offset: null,
    entries: [LEDGER_EXAMPLE],
    ...pageEnd(null),
  },
  parameters,
  async handle({ readers, caller, parameters: given }) {
    const scope = scopeOf(caller);
    const { size = 50, after } = given;
    const { filter, zone } = await ledgerFilter(readers, caller, given);
    const [page, counted, commonOffset] = await Promise.all([
      cursorOrProblem('after', () => readLedgerPage(readers, scope, { filter, size, after })),
      countLedger(readers, scope, filter),
      readCommonOffset(readers, scope),
    ]);
    const countOf = (verdict: string): number => counted.find((count) => count.verdict === verdict)?.entries ?? 0;
    const counts = {
      notes: counted.reduce((sum, { notes }) => sum + notes, 0),
      note_liters: tenth(counted.reduce((sum, { written_litres }) => sum + written_litres, 0)),
      ...Object.fromEntries(VERDICTS.map((verdict) => [verdict, countOf(verdict)])),
      expected_by_chance: Math.round(FALSE_INCONSISTENT_SHARE * (countOf('consistent') + countOf('not_consistent'))),
    };
    const entries = page.items.map((item) => visibleItem(item, caller));
    const common_offset = commonOffsetOf(commonOffset);
    return { body: { object: 'ledger', zone, counts, common_offset, entries, ...pageEnd(page.next) } };
  },
});
