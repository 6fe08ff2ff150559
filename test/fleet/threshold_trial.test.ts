import { expect } from 'vitest';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { tryThreshold } from '../../src/status/threshold_trial.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { givenCustomer, givenKey, givenOrganization, givenTank } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { type TestDatabase, test } from '../support/test.ts';

const MONTH_DAYS = 30;

/** A tank that falls from 80 to 20 % in each month of the last half year, and is refilled then. */
async function givenSawtooth({ operator, writer }: TestDatabase) {
  const organizationNo = await givenOrganization(operator);
  const maria = await givenCustomer(operator, organizationNo);
  const juan = await givenCustomer(operator, organizationNo);
  const tank = await givenTank(operator, organizationNo, maria.no, { min_fill_alert_percentage: 25 });
  const nowMs = Date.now();
  const readings = Array.from({ length: 6 * MONTH_DAYS * 4 }, (_, index) => {
    const atMs = nowMs - (6 * MONTH_DAYS * 4 - 1 - index) * 6 * HOUR_MS;
    return { tankNo: tank.no, atMs, fillPercentage: 80 - (60 * (index % (MONTH_DAYS * 4))) / (MONTH_DAYS * 4) };
  });
  await new BatchIngester(writer).ingestReadings(readings);
  const whole = await givenKey(operator, { organizationNo });
  const narrowed = await givenKey(operator, { organizationNo, customerNo: juan.no });
  return { organizationNo, tank, key: whole.text, foreignKey: narrowed.text };
}

test('a threshold is tried on the readings of the last year, as the command does it', async ({ api, database }) => {
  const { organizationNo, tank, key } = await givenSawtooth(database);
  const path = `/fleet/v1/tanks/${tank.id}/threshold_trial`;
  const lower = await callApi(api.url, `${path}?threshold=10`, { key });
  expect(lower.json).toMatchObject({ object: 'threshold_trial', threshold: 10, alerts: 0, alerts_now: 6 });
  const since = new Date(Date.now() - 365 * DAY_MS).toISOString();
  for (const thresholdPercentage of [22.5, 30, 45]) {
    const { json } = await callApi(api.url, `${path}?threshold=${thresholdPercentage}`, { key });
    const trial = { organizationNo, tankNo: tank.no, thresholdPercentage, since };
    const tried = await Array.fromAsync(tryThreshold(database.operator, trial, Date.now()));
    expect(tried.map(({ firedAt, ownFiredAt }) => [firedAt.length, ownFiredAt.length])).toEqual([
      [json['alerts'], json['alerts_now']],
    ]);
  }
});

test('the API and the command count the same alerts for a tank on a vehicle', async ({ api, database }) => {
  const organizationNo = await givenOrganization(database.operator);
  const { no } = await givenCustomer(database.operator, organizationNo);
  const tank = await givenTank(database.operator, organizationNo, no, {
    min_fill_alert_percentage: 25,
    is_mobile: true,
  });
  const { text: key } = await givenKey(database.operator, { organizationNo });
  const nowMs = Date.now();
  // The content moves on a slope, and half of the readings are low.
  const readings = Array.from({ length: 24 * MONTH_DAYS }, (_, index) => {
    const atMs = nowMs - (24 * MONTH_DAYS - 1 - index) * HOUR_MS;
    return { tankNo: tank.no, atMs, fillPercentage: index % 12 > 5 ? 10 : 60 };
  });
  await new BatchIngester(database.writer).ingestReadings(readings);
  const { json } = await callApi(api.url, `/fleet/v1/tanks/${tank.id}/threshold_trial?threshold=45`, { key });
  const since = new Date(nowMs - 365 * DAY_MS).toISOString();
  const trial = { organizationNo, tankNo: tank.no, thresholdPercentage: 45, since };
  const tried = await Array.fromAsync(tryThreshold(database.operator, trial, Date.now()));
  expect(tried.map(({ firedAt }) => firedAt.length)).toEqual([json['alerts']]);
});

test('a threshold that is not a percentage is 422, a tank of another customer is 404', async ({ api, database }) => {
  const { tank, key, foreignKey } = await givenSawtooth(database);
  const path = `/fleet/v1/tanks/${tank.id}/threshold_trial`;
  for (const query of ['', '?threshold=', '?threshold=101', '?threshold=1e1', '?threshold=-1'])
    expect([query, (await callApi(api.url, `${path}${query}`, { key })).status]).toEqual([query, 422]);
  expect((await callApi(api.url, `${path}?threshold=10`, { key: foreignKey })).status).toBe(404);
});
