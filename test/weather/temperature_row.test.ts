import { describe, expect, test } from 'vitest';
import { sourceOf } from '../../src/values/byte_source.ts';
import { type FileTemperature, readTemperatures } from '../../src/weather/temperature_file.ts';
import { parseWeatherBody, UnparsableWeatherError } from '../../src/weather/weather_body.ts';

const NOW_MS = Date.UTC(2026, 0, 15, 12);

async function read(text: string, station?: string): Promise<FileTemperature[]> {
  const rows: FileTemperature[] = [];
  const options = { table: {}, format: {}, names: {}, station, nowMs: NOW_MS };
  for await (const batch of readTemperatures(sourceOf(Buffer.from(text)), options)) rows.push(...batch);
  return rows;
}

const temperaturesOf = async (text: string, station?: string): Promise<object[]> =>
  (await read(text, station)).map((row) => ('temperature' in row ? row.temperature : row.error));

describe('a file of temperatures', () => {
  test('names a station, a postal code or coordinates', async () => {
    const text = [
      'station,postal_code,latitude,longitude,date,mean,source',
      'KDEN,,39.86,-104.67,2026-01-14,-8.5,NWS',
      ',802,,,2026-01-14,-8.5,',
      ',,39.86,-104.67,2026-01-16,-8.5,',
    ].join('\n');
    expect(await temperaturesOf(text)).toMatchObject([
      { place: 'KDEN', latitude: 39.86, longitude: -104.67, kind: 'observed', meanC: -8.5, source: 'NWS' },
      { place: 'postal 802', postalCode: '802', latitude: null, kind: 'observed' },
      { place: 'at 39.86,-104.67', kind: 'forecast', issuedAtMs: NOW_MS },
    ]);
  });

  test('gives the same temperature as a mean or as minimum and maximum, in °C or °F', async () => {
    const rows = await Promise.all([
      temperaturesOf('date,mean\n2026-01-10,-5', 'X'),
      temperaturesOf('date,mean_temperature_c\n2026-01-10,-5', 'X'),
      temperaturesOf('date,min,max\n2026-01-10,-9,-1', 'X'),
      temperaturesOf('Date;Mean F\n2026-01-10;23', 'X'),
      temperaturesOf('date,min,max,unit\n2026-01-10,15.8,30.2,°F', 'X'),
      temperaturesOf('date,mean,unit\n2026-01-10T00:00:00,23,F', 'X'),
    ]);
    for (const row of rows) expect(row).toEqual(rows[0]);
    expect(rows[0]).toMatchObject([{ place: 'X', meanC: -5, day: Date.UTC(2026, 0, 10) / 86_400_000 }]);
  });

  test('reports each bad row and reads the others', async () => {
    const text = [
      'station,date,mean,min,max,unit,kind',
      'X,2026-01-10,99,,,C,',
      'X,2026-01-10,99,,,F,',
      'X,31/12/2025,1,,,,',
      'X,2026-02-30,1,,,,',
      'X,2026-01-20,1,,,,observed',
      'X,2026-06-20,1,,,,forecast',
      'X,2026-01-10,,5,1,,',
      'X,2026-01-10,,,,,',
      'X,2026-01-10,1,,,K,',
      'X,2026-01-10,1,,,,guess',
      ',2026-01-10,1,,,,',
    ].join('\n');
    const rows = await temperaturesOf(text);
    expect(rows[1]).toMatchObject({ meanC: 37.22 });
    expect(rows.toSpliced(1, 1)).toMatchObject([
      { column: 'mean', problem: expect.stringContaining('between -70 and 55 °C') },
      { column: 'date', problem: expect.stringContaining('--date-order') },
      { column: 'date' },
      { column: 'date', problem: 'is in the future' },
      { column: 'date', problem: expect.stringContaining('30 days ahead') },
      { column: 'min', problem: 'is above max' },
      { column: 'mean', problem: expect.stringContaining('is missing') },
      { column: 'unit' },
      { column: 'kind' },
      { column: 'station' },
    ]);
    await expect(read('date,level\n2026-01-10,1')).rejects.toThrow(/no mean, and not both min and max/);
    await expect(read('')).rejects.toThrow(/is empty/);
  });
});

describe('a pushed body', () => {
  test('has the same fields as a file, with numbers', () => {
    const { temperatures, rejected } = parseWeatherBody(
      Buffer.from(
        JSON.stringify({
          temperatures: [
            {
              postal_code: '802',
              date: '2026-01-16',
              min: -12.125,
              max: -4,
              kind: 'forecast',
              issued_at: '2026-01-15T06:00:00Z',
            },
            { station: 'KDEN', date: '2026-01-16' },
            'cold',
            { station: {}, date: '2026-01-16', mean: 1 },
          ],
        }),
      ),
      NOW_MS,
    );
    expect(temperatures).toMatchObject([
      { place: 'postal 802', meanC: -8.06, kind: 'forecast', issuedAtMs: Date.UTC(2026, 0, 15, 6) },
    ]);
    expect(rejected).toMatchObject([
      { index: 1, code: 'invalid_mean' },
      { index: 2, code: 'malformed' },
      { index: 3, code: 'invalid_station' },
    ]);
  });

  test('of another form is refused as a whole', () => {
    for (const body of [
      '',
      '[]',
      '{}',
      '{"temperatures": {}}',
      JSON.stringify({ temperatures: Array.from({ length: 1_001 }, () => 0) }),
    ])
      expect(() => parseWeatherBody(Buffer.from(body), NOW_MS)).toThrow(UnparsableWeatherError);
  });
});
