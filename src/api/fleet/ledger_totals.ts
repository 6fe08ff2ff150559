import { type Static, Type } from 'typebox';
import { readComparison, readErased, readMonths, type TotalRow } from '../../deliveries/ledger/ledger_totals.ts';
import type { TruckComparison, TruckComparisons } from '../../deliveries/pure/truck_meters/compare_trucks.ts';
import { commonOffsetOf } from '../../deliveries/verdict_texts.ts';
import { organizationOnly } from '../../http/problem.ts';
import { organizationZone } from '../../status/organization_day.ts';
import { fromLiters } from '../../values/capacity_unit.ts';
import { tenth } from '../../values/tenth.ts';
import { zonedDate } from '../../values/zoned_time.ts';
import { operation } from '../operation.ts';
import { integerParameter } from '../parameters.ts';
import { Closed, Count, Named, Nullable, NullableNumber, NullableString } from '../schemas/values.ts';
import { oneOf } from './filters.ts';
import { CommonOffset, monthParameter, monthStartMs, nextMonth } from './ledger.ts';
import { scopeOf } from './tanks.ts';

/** The comparison of a truck or driver with the others. `excess`, `from` and `to` are shares: 0.02 is 2 %. */
interface ComparedShares {
  excess: number | null;
  from: number | null;
  to: number | null;
  deliveries: number;
  tanks: number;
  flagged: boolean;
  missing: { excess: number; deliveries: number | null; own_tanks: number };
}

const Compared = Nullable('The comparison with the others. Null if it is not possible yet.', {
  excess: NullableNumber(
    'The share by which its notes exceed the gauges more than the notes of the others do. If there are no others, the share by which its notes exceed the gauges. 0.02 is 2 %. ' +
      'A flagged truck or driver is not among the others. The part that the truck of a driver explains is not counted.',
  ),
  from: NullableNumber(
    'Lower limit of the true excess, which stays valid however often it is read. Null if it is not known yet.',
  ),
  to: NullableNumber(
    'Upper limit of the true excess, which stays valid however often it is read. Null if it is not known yet.',
  ),
  deliveries: Count(
    'Deliveries that were compared: those with one note and one refill that certainly belong together.',
  ),
  tanks: Count('Number of tanks of these deliveries.'),
  flagged: Type.Boolean({
    description:
      'It differs by more than 2 % from more than half of the others, and more than half agree with each other: have the meter ' +
      'checked. If there are only one or two, none is flagged.',
  }),
  missing: Closed(
    {
      excess: Type.Number({ description: 'The excess that could then be detected, such as 0.03.' }),
      deliveries: NullableNumber(
        'About how many more deliveries to the same tanks are needed. Null if no number of deliveries is enough.',
      ),
      own_tanks: Count(
        'How many tanks would be enough if each truck or driver serves tanks of its own. If they share tanks, far fewer are enough.',
      ),
    },
    'What is needed to detect a difference.',
  ),
});

const Total = Closed({
  id: NullableString('ID of the truck or driver, or the month, such as 2025-10. Null if the notes name none.'),
  name: NullableString('Name of the truck or driver.'),
  unit: Type.Enum(['liters', 'gallons'], { description: 'Unit of the volumes.' }),
  deliveries: Count('Number of deliveries with a note.'),
  notes: Count('Number of notes.'),
  consistent: Count('Deliveries that are consistent.'),
  not_consistent: Count('Deliveries that are not consistent.'),
  cannot_be_told: Count('Deliveries that cannot be compared.'),
  waiting: Count('Deliveries that wait for the gauge.'),
  note_without_refill: Count('Notes without a refill.'),
  note_volume: Type.Number({ description: 'The sum of all notes, as written.' }),
  compared_volume: Type.Number({ description: 'The sum of the notes with a refill, as pumped.' }),
  gauge_volume: Type.Number({ description: 'The sum of these refills, by the gauges.' }),
  erased_volume: Type.Number({
    description: 'The sum of the notes of deleted customers, of all times. It is in no other sum. Only by truck.',
  }),
  compared: Compared,
});

const Totals = Named('LedgerTotals', {
  object: Type.Literal('ledger_totals'),
  by: Type.Enum(['truck', 'driver', 'month'], { description: 'Whether the sums are by truck, driver or month.' }),
  zone: Type.String({ description: 'Time zone in which months begin.' }),
  from: Type.String({ description: 'The first month, such as 2024-11.' }),
  to: Type.String({ description: 'The last month.' }),
  against_others: Type.Boolean({ description: 'Whether there are several trucks or drivers to compare.' }),
  differ: Type.Boolean({
    description:
      'Whether some trucks or drivers that are not flagged differ by more than 2 %. The data does not show which of them is wrong.',
  }),
  common_offset: CommonOffset,
  tanks: Count('Tanks with three compared deliveries, if they are too few for a comparison; otherwise 0.'),
  tanks_needed: Count('How many such tanks a comparison needs; 0 if there are enough.'),
  totals: Type.Array(Total, { description: 'The sums, ordered by name; months newest first.' }),
});

const EXAMPLE: Static<typeof Totals> = {
  object: 'ledger_totals',
  by: 'truck',
  zone: 'America/Mexico_City',
  from: '2024-11',
  to: '2025-10',
  against_others: true,
  differ: false,
  common_offset: null,
  tanks: 0,
  tanks_needed: 0,
  totals: [
    {
      id: '01989f35-1d02-7b11-8c3e-77a1c5d0e9b4',
      name: 'Truck 2',
      unit: 'liters',
      deliveries: 480,
      notes: 486,
      consistent: 401,
      not_consistent: 11,
      cannot_be_told: 60,
      waiting: 2,
      note_without_refill: 6,
      note_volume: 94210,
      compared_volume: 82104,
      gauge_volume: 80210.5,
      erased_volume: 0,
      compared: {
        excess: 0.041,
        from: 0.028,
        to: 0.054,
        deliveries: 412,
        tanks: 208,
        flagged: true,
        missing: { excess: 0.03, deliveries: 0, own_tanks: 540 },
      },
    },
  ],
};

const roundedOrNull = (value: number): number | null =>
  Number.isFinite(value) ? Math.round(value * 10_000) / 10_000 : null;

function comparedOf(comparisons: TruckComparisons, no: number | null): ComparedShares | null {
  const found: TruckComparison | undefined =
    'trucks' in comparisons ? comparisons.trucks.find(({ truckId }) => truckId === String(no)) : undefined;
  if (found === undefined) return null;
  return {
    excess: roundedOrNull(found.excess),
    from: roundedOrNull(found.from),
    to: roundedOrNull(found.to),
    deliveries: found.deliveries,
    tanks: found.tanks,
    flagged: found.isFlagged,
    missing: {
      excess: found.missing.excess,
      deliveries: found.missing.deliveries,
      own_tanks: found.missing.ownTanks,
    },
  };
}

const totalObject = (total: TotalRow, compared: ComparedShares | null, erasedLiters = 0): Static<typeof Total> => ({
  ...total,
  erased_volume: tenth(fromLiters(erasedLiters, total.unit)),
  compared,
});

const parameters = {
  by: oneOf(['truck', 'driver', 'month'], 'What to sum by. The default is truck.'),
  month: { ...monthParameter, description: 'The last month of the period. The default is this month.' },
  months: integerParameter('Number of months of the period.', { minimum: 1, maximum: 60, default: 12 }),
};

export const retrieveLedgerTotalsOperation = operation({
  path: '/fleet/v1/ledger/totals',
  operationId: 'retrieveLedgerTotals',
  summary: 'Retrieve the totals of the ledger',
  description:
    'Returns sums by truck, driver or month. Trucks and drivers are compared with the others, with a range that is valid however often it ' +
    'is read: one correct truck in a thousand is flagged in a year. The worst is taken out, then the others are compared again. A key that is narrowed to a customer can only sum by month.',
  returns: 'answer',
  item: Totals,
  example: EXAMPLE,
  parameters,
  async handle({ readers, caller, parameters: given }) {
    const scope = scopeOf(caller);
    const { by = caller.customerNo === null ? 'truck' : 'month', months = 12 } = given;
    if (by !== 'month' && caller.customerNo !== null) throw organizationOnly('The comparison of trucks needs');
    const zone = await organizationZone(readers, scope.organizationNo);
    const to = given.month ?? zonedDate(Date.now(), zone).slice(0, 7);
    const from = nextMonth(to, 1 - months);
    const body = {
      object: 'ledger_totals',
      by,
      zone,
      from,
      to,
      against_others: false,
      differ: false,
      common_offset: null,
      tanks: 0,
      tanks_needed: 0,
    };
    if (by === 'month') {
      const names = Array.from({ length: months + 1 }, (_, index) => nextMonth(from, index));
      const rows = await readMonths(
        readers,
        scope,
        names.map((month) => monthStartMs(month, zone)),
      );
      const totals = rows.map((row, index) => totalObject({ ...row, id: names[months - 1 - index] ?? null }, null));
      return { body: { ...body, totals } };
    }
    const period = { fromMs: monthStartMs(from, zone), untilMs: monthStartMs(nextMonth(to), zone) };
    const [{ totals, compared }, erased] = await Promise.all([
      readComparison(readers, scope, by, period),
      by === 'truck' ? readErased(readers, scope) : [],
    ]);
    const isPossible = 'trucks' in compared;
    return {
      body: {
        ...body,
        against_others: isPossible && compared.isAgainstOthers,
        differ: isPossible && compared.areDifferent,
        common_offset: commonOffsetOf(isPossible ? compared.commonOffset : null),
        tanks: isPossible ? 0 : compared.tanks,
        tanks_needed: isPossible ? 0 : compared.tanksNeeded,
        totals: totals.map(({ no, ...total }) =>
          totalObject(total, comparedOf(compared, no), erased.find(({ id }) => id === total.id)?.litres),
        ),
      },
    };
  },
});
