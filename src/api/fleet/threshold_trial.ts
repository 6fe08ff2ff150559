import { setImmediate } from 'node:timers/promises';
import { type Static, Type } from 'typebox';
import type { Readers, Statement } from '../../db/readers.ts';
import { invalidParameters, notFound } from '../../http/problem.ts';
import type { Caller } from '../../keys/key_verifier.ts';
import { TrialRuns } from '../../status/threshold_trial.ts';
import type { CapacityUnit } from '../../values/capacity_unit.ts';
import { DAY_MS } from '../../values/time.ts';
import { isUuid } from '../../values/uuid7.ts';
import { operation } from '../operation.ts';
import type { Parameter } from '../parameters.ts';
import { Named, NullableTime, Time } from '../schemas/values.ts';

const TRIAL_DAYS = 365;
/** Readings of this many days before the trial are evaluated first, so that the use of the tank is known. */
const WARM_UP_DAYS = 60;
/**
 * Limits the work of one request. A tank with a reading every 10 minutes has this many. If there are more, only the
 * newest readings are evaluated.
 */
const MAX_READINGS = 61_200;
/** The number of readings per statement. */
const CHUNK_READINGS = 2_000;

/** The settings of a tank by its id ($3), if the caller may see the tank. The condition is that of `visible_tank`. */
const SETTINGS: Statement = {
  name: 'settings_of_trial',
  text: `select no, min_fill_alert_percentage, capacity, capacity_unit, is_batch_tank, is_mobile from tanks
    where organization_no = $1 and ($2::int is null or owner_no = $2) and id = $3 and deleted_at is null`,
};

/** The time of the first reading to evaluate: the oldest of the newest $3 readings since $2. */
const START: Statement = {
  name: 'start_of_trial',
  text: `select min(created_at) as at from newest_telemetry($1, $2, 'infinity', $3)`,
};

const READINGS: Statement = {
  name: 'readings_of_trial',
  text: `select created_at as at, fill_percentage as level
    from oldest_telemetry($1, $2::timestamptz + interval '1 millisecond', 'infinity', $3)`,
};

interface SettingsRow {
  no: number;
  min_fill_alert_percentage: number;
  capacity: number;
  capacity_unit: CapacityUnit;
  is_batch_tank: boolean;
  is_mobile: boolean;
}

async function settingsOf(readers: Readers, caller: Caller, id: string): Promise<SettingsRow> {
  if (!isUuid(id)) throw notFound('tank');
  const scope = [caller.organizationNo, caller.customerNo];
  const [row] = await readers.query<SettingsRow>(SETTINGS, [...scope, id]);
  if (row === undefined) throw notFound('tank');
  return row;
}

/**
 * Other requests are served after each group of this many readings, because 2,000 readings take up to 116 ms of CPU
 * time in a process that has just started.
 */
const PAUSE_READINGS = 200;

/** Evaluates the readings since a time in chunks. Returns the time of the first reading, or null if there is none. */
async function evaluateReadings(readers: Readers, tankNo: number, fromMs: number, runs: TrialRuns) {
  const [start] = await readers.query<{ at: string | null }>(START, [
    tankNo,
    new Date(fromMs).toISOString(),
    MAX_READINGS,
  ]);
  const firstAt = start?.at ?? null;
  if (firstAt === null) return null;
  let after = new Date(Date.parse(firstAt) - 1).toISOString();
  for (;;) {
    const rows = await readers.query<{ at: string; level: number }>(READINGS, [tankNo, after, CHUNK_READINGS]);
    for (const [index, { at, level }] of rows.entries()) {
      if (index % PAUSE_READINGS === 0) await setImmediate();
      runs.evaluate({ kind: 'reading', atMs: Date.parse(at), fillPercentage: level });
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < CHUNK_READINGS) return firstAt;
    after = last.at;
  }
}

const ThresholdTrial = Named('ThresholdTrial', {
  object: Type.Literal('threshold_trial'),
  tank_id: Type.String({ description: 'ID of the tank.' }),
  threshold: Type.Number({ description: 'The threshold of the trial, in percent.' }),
  since: Time('Start of the trial.'),
  first_reading_at: NullableTime('Time of the first reading that was evaluated. Null if there is none.'),
  alerts: Type.Integer({ description: 'Number of low-fill alerts with the threshold of the trial.' }),
  alerts_now: Type.Integer({ description: "Number of low-fill alerts with the tank's own threshold of today." }),
});

const EXAMPLE: Static<typeof ThresholdTrial> = {
  object: 'threshold_trial',
  tank_id: '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66',
  threshold: 15,
  since: '2024-11-02T08:00:00.000Z',
  first_reading_at: '2025-08-13T18:00:00.000Z',
  alerts: 3,
  alerts_now: 7,
};

const parameters = {
  threshold: {
    schema: Type.Number({ minimum: 0, maximum: 100 }),
    description: 'The threshold to try, in percent. Required.',
    parse: (text) => {
      const value = Number(text);
      // The pattern is needed because Number() also accepts 0x10, 1e1 and " 5".
      if (/^[0-9]+(\.[0-9]+)?$/.test(text) && value <= 100) return { value };
      return { code: 'out_of_range', detail: 'Must be a number from 0 to 100, such as 22.5.' };
    },
  } satisfies Parameter<number>,
};

export const tryThresholdOperation = operation({
  path: '/fleet/v1/tanks/:id/threshold_trial',
  operationId: 'tryThreshold',
  summary: 'Try another threshold on a tank',
  description:
    `Returns how many low-fill alerts another threshold would have raised in the last ${TRIAL_DAYS} days, beside those of the ` +
    `tank's own threshold. Both are computed from the stored readings; nothing is changed, and nobody is notified.`,
  idOf: 'tank',
  returns: 'answer',
  item: ThresholdTrial,
  example: EXAMPLE,
  parameters,
  async handle({ readers, caller, id, parameters: given }) {
    const { threshold } = given;
    if (threshold === undefined)
      throw invalidParameters([{ param: 'threshold', code: 'missing', detail: 'Must be a number from 0 to 100.' }]);
    const tank = await settingsOf(readers, caller, id);
    const nowMs = Date.now();
    const sinceMs = nowMs - TRIAL_DAYS * DAY_MS;
    const settings = {
      minFillAlertPercentage: tank.min_fill_alert_percentage,
      capacity: tank.capacity,
      capacityUnit: tank.capacity_unit,
      isBatchTank: tank.is_batch_tank,
      isMobile: tank.is_mobile,
    };
    const runs = new TrialRuns(settings, threshold, sinceMs);
    const firstAt = await evaluateReadings(readers, tank.no, sinceMs - WARM_UP_DAYS * DAY_MS, runs);
    runs.evaluate({ kind: 'tick', atMs: nowMs });
    return {
      body: {
        object: 'threshold_trial',
        tank_id: id,
        threshold,
        since: new Date(sinceMs).toISOString(),
        first_reading_at: firstAt,
        alerts: runs.firedAt.length,
        alerts_now: runs.ownFiredAt.length,
      },
    };
  },
});
