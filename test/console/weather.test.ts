import { expect } from 'vitest';
import { DAY_MS } from '../../src/values/time.ts';
import { updateWeatherForecasts } from '../../src/weather/learn_weather.ts';
import { storeTemperatures } from '../../src/weather/store_temperatures.ts';
import { openSignedIn, test } from './console_test.ts';

test('the page of a tank says what its forecast assumes about the weather, in English and Spanish', async ({
  database,
  browser,
  api,
  fleet,
}) => {
  const today = Math.floor(Date.now() / DAY_MS);
  const temperatures = (from: number, to: number, kind: 'observed' | 'forecast', meanC: number) =>
    Array.from({ length: to - from }, (_, n) => ({
      place: 'BJX',
      postalCode: null,
      latitude: null,
      longitude: null,
      day: from + n,
      kind,
      meanC,
      issuedAtMs: Date.now(),
      source: 'test',
    }));
  await storeTemperatures(database.operator, fleet.organizationNo, [
    ...temperatures(today - 60, today, 'observed', 6),
    ...temperatures(today, today + 7, 'forecast', -8),
  ]);
  const { no, id } = fleet.house;
  const place = '(select no from places where organization_no = $2)';
  await database.owner.query(
    `insert into tank_weather (tank_no, place_no, matched_by) values ($1, ${place}, 'choice')`,
    [no, fleet.organizationNo],
  );
  await updateWeatherForecasts(database.worker, Date.now());

  const path = `tanks/${id}`;
  const { page, faults } = await openSignedIn(browser, api, { key: fleet.key, path });
  await page
    .getByText(
      /^With -8°C forecast until \w+day: \d+ days instead of \d+ days\. About \d+% of this tank’s use follows the weather\.$/,
    )
    .waitFor();
  await database.owner.query('update tank_weather set share = 0 where tank_no = $1', [no]);
  await page.reload();
  await page.getByText('The weather does not explain this tank’s use, so the forecast does not use it.').waitFor();
  expect(faults).toEqual([]);

  await database.owner.query('update tank_weather set share = 0.85 where tank_no = $1', [no]);
  const spanish = await openSignedIn(browser, api, { key: fleet.key, path, locale: 'es-MX' });
  await spanish.page
    .getByText(
      /^Con -8\s?°C previstos hasta el .+: \d+ días en lugar de \d+ días\. Cerca del 85\s?% del consumo de este tanque depende del clima\.$/,
    )
    .waitFor();
  // The data of the weather ended in March.
  await database.owner.query(
    `update places set outlook = '[0]', known_until = '2026-03-03' where organization_no = $1`,
    [fleet.organizationNo],
  );
  await spanish.page.reload();
  await spanish.page
    .getByText('Sin datos recientes del clima de este lugar (último: 3 de marzo): pronóstico sin clima.')
    .waitFor();
  expect(spanish.faults).toEqual([]);
});
