import { describe, expect, test } from 'vitest';
import { INITIAL_STATE, type TankState } from '../../../../src/evaluation/pure/alerts/tank_state.ts';
import { type TriedLine, tryReadings } from '../../../../src/evaluation/pure/alerts/try_readings.ts';
import { type Forecast, forecast } from '../../../../src/evaluation/pure/estimator/forecast.ts';
import {
  INITIAL_SPREAD_C,
  learnNormals,
  learnSpread,
  normalOn,
} from '../../../../src/evaluation/pure/estimator/normals.ts';
import { PlaceWeather } from '../../../../src/evaluation/pure/estimator/place_weather.ts';
import {
  initialModel,
  learnWeather,
  type WeatherModel,
} from '../../../../src/evaluation/pure/estimator/weather_model.ts';
import { cumulativeUseOf, INITIAL_PRIOR, shareOf } from '../../../../src/evaluation/pure/estimator/weather_share.ts';
import {
  decodeModel,
  decodePlaceWeather,
  encodeModel,
  encodePlaceWeather,
} from '../../../../src/evaluation/weather_codec.ts';
import { backTestWeather, FIRST_DAY, houseReadings, winterTemperatures } from '../../../support/houses.ts';
import { DAY_MS, evaluateSeries, SETTINGS } from '../../../support/series.ts';

const DAYS = 120;
const TEMPERATURES = winterTemperatures(DAYS + 30);
const PAST_TEMPERATURES = new Map([...TEMPERATURES].slice(0, DAYS));
const HEATED = { readingsPerDay: 4, base: 0.2, slope: 0.12 };
const COOKING = { readingsPerDay: 4, base: 2, slope: 0 };

/** The state after each day. */
function dailyStates(readings: ReturnType<typeof houseReadings>): Map<number, TankState> {
  const states = new Map<number, TankState>();
  evaluateSeries(readings, (state, { atMs }) => states.set(Math.floor(atMs / DAY_MS), state));
  return states;
}

/** Weather in which the days before `observedBefore` are observed. */
const weatherUntil = (observedBefore: number, known: ReadonlyMap<number, number> = TEMPERATURES): PlaceWeather =>
  new PlaceWeather({
    temperatures: new Map([...known].filter(([day]) => day < observedBefore)),
    observedBefore,
    normals: null,
    spreadC: INITIAL_SPREAD_C,
    offsetMs: 0,
  });

/** Learns once a day, and encodes and decodes the model after each day. `observedOn` is the weather that is known on a day. */
function learn(states: ReadonlyMap<number, TankState>, observedOn: (day: number) => PlaceWeather): WeatherModel {
  let model: WeatherModel | null = null;
  for (const [day, { history, level, accepted }] of states) {
    if (history === null || level === null || accepted === null) continue;
    const cumulative = cumulativeUseOf(history, level, accepted.atMs);
    const next = learnWeather(
      model ?? initialModel(cumulative),
      cumulative,
      observedOn(day).asOf((day + 1) * DAY_MS),
      INITIAL_PRIOR,
    );
    model = decodeModel(encodeModel(next));
  }
  if (model === null) throw new Error('nothing was learned');
  return model;
}

const heated = dailyStates(houseReadings(PAST_TEMPERATURES, HEATED));
const cooking = dailyStates(houseReadings(PAST_TEMPERATURES, COOKING));
const lastState = (states: ReadonlyMap<number, TankState>): TankState => [...states.values()].at(-1) ?? INITIAL_STATE;

describe('the share of the use that follows the weather', () => {
  test.each([1, 2, 4, 24])(
    'is above 0.7 for a heated house after 40 days, with %i readings a day',
    (readingsPerDay) => {
      const states = dailyStates(houseReadings(PAST_TEMPERATURES, { ...HEATED, readingsPerDay }));
      const first40 = new Map([...states].slice(0, 40));
      expect(shareOf(learn(first40, weatherUntil), INITIAL_PRIOR)).toBeGreaterThan(0.7);
    },
  );

  test('is 0 for a kitchen after 60 days', () => {
    const first60 = new Map([...cooking].slice(0, 60));
    expect(shareOf(learn(first60, weatherUntil), INITIAL_PRIOR)).toBe(0);
    expect(shareOf(learn(cooking, weatherUntil), INITIAL_PRIOR)).toBe(0);
  });

  test('is learned from weather that arrives up to 15 days late as from weather in time', () => {
    const inTime = learn(heated, weatherUntil);
    // The weather arrives every 13 days, as from a file that is imported once in two weeks.
    const late = learn(heated, (day) =>
      weatherUntil(day === FIRST_DAY + DAYS - 1 ? day : FIRST_DAY + Math.floor((day - FIRST_DAY) / 13) * 13),
    );
    expect(late).toEqual(inTime);
    expect(late.days).toBeGreaterThan(DAYS - 5);
  });

  test('does not change if the same weather is learned again', () => {
    const once = learn(heated, weatherUntil);
    let model = once;
    const { history, level, accepted } = lastState(heated);
    if (history === null || level === null || accepted === null) throw new Error('the tank has no state');
    const cumulative = cumulativeUseOf(history, level, accepted.atMs);
    const view = weatherUntil(FIRST_DAY + DAYS - 1).asOf(accepted.atMs);
    for (let n = 0; n < 3; n++) model = learnWeather(model, cumulative, view, INITIAL_PRIOR);
    expect(model).toEqual(once);
  });

  test('is not learned from days without weather, and learning goes on after them', () => {
    const holes = new Map([...TEMPERATURES].filter(([day]) => day < FIRST_DAY + 50 || day > FIRST_DAY + 60));
    const model = learn(heated, (day) => weatherUntil(day, holes));
    expect(model.days).toBeLessThan(DAYS - 10);
    expect(shareOf(model, INITIAL_PRIOR)).toBeGreaterThan(0.7);
    // A third of the days is missing. The days before and after a missing day replace it.
    const thinned = new Map([...TEMPERATURES].filter(([day]) => day % 3 !== 0));
    expect(
      shareOf(
        learn(heated, (day) => weatherUntil(day, thinned)),
        INITIAL_PRIOR,
      ),
    ).toBeGreaterThan(0.7);
  });

  test('stays above 0.7 after a week of silence, and after an evaluation from another beginning', () => {
    const silent = new Map([...heated].filter(([day]) => day < FIRST_DAY + 60 || day > FIRST_DAY + 67));
    expect(shareOf(learn(silent, weatherUntil), INITIAL_PRIOR)).toBeGreaterThan(0.7);
    const restarted = new Map(
      [...heated].map(([day, state]) =>
        day < FIRST_DAY + 70 || state.history === null
          ? [day, state]
          : [day, { ...state, history: { ...state.history, total: state.history.total - 100 } }],
      ),
    );
    expect(shareOf(learn(restarted, weatherUntil), INITIAL_PRIOR)).toBeGreaterThan(0.7);
  });

  test('depends on the share of neighbours until the tank has shown its own', () => {
    const few = learn(new Map([...heated].slice(0, 6)), weatherUntil);
    const mild = shareOf(few, { chance: 0.95, share: 0.5 });
    expect(shareOf(few, { chance: 0.05, share: 0.5 })).toBeLessThan(mild);
    expect(shareOf(few, { chance: 0.95, share: 0.95 })).toBeGreaterThan(mild);
  });
});

describe('a forecast with the weather', () => {
  const state = lastState(heated);
  const { errors } = learn(heated, weatherUntil);
  const nowMs = state.accepted?.atMs ?? 0;
  const day = Math.floor(nowMs / DAY_MS);
  const without = forecast(SETTINGS, state, nowMs, null);
  const atTemperature = (celsius: number, share = 0.9): Forecast | null => {
    const temperatures = new Map(TEMPERATURES);
    for (let ahead = 0; ahead < 10; ahead++) temperatures.set(day + ahead, celsius);
    for (const known of temperatures.keys()) if (known >= day + 10) temperatures.delete(known);
    const facts = { temperatures, observedBefore: day, normals: null, spreadC: 4, offsetMs: 0 };
    return forecast(SETTINGS, state, nowMs, { place: new PlaceWeather(facts), share, errors });
  };

  test('is the same as without weather if the share is 0 or the weather is not current', () => {
    const bytes = JSON.stringify(without);
    expect(JSON.stringify(atTemperature(-20, 0))).toBe(bytes);
    // The forecast ends today, then there is no forecast, then the weather is that of last month.
    for (const until of [day + 1, day, day - 30]) {
      const place = weatherUntil(until);
      expect(JSON.stringify(forecast(SETTINGS, state, nowMs, { place, share: 0.9, errors }))).toBe(bytes);
    }
    const nothing = new PlaceWeather({
      temperatures: new Map(),
      observedBefore: 0,
      normals: null,
      spreadC: 4,
      offsetMs: 0,
    });
    expect(JSON.stringify(forecast(SETTINGS, state, nowMs, { place: nothing, share: 1, errors }))).toBe(bytes);
  });

  test('is earlier in the cold and later in mild weather, and contains the temperatures that it assumes', () => {
    const [cold, mild] = [atTemperature(-25), atTemperature(12)];
    const likely = (result: Forecast | null): number => result?.daysToThreshold.likely ?? Number.NaN;
    expect(likely(cold)).toBeLessThan(likely(without));
    expect(likely(mild)).toBeGreaterThan(likely(without));
    expect(cold?.weather).toMatchObject({ share: 0.9, forecastC: -25, likelyDaysWithout: likely(without) });
    expect(new Date(cold?.weather?.forecastUntilMs ?? 0).toISOString().slice(0, 10)).toBe(
      new Date((day + 9) * DAY_MS).toISOString().slice(0, 10),
    );
    for (const { earliest, likely: middle, latest } of [cold?.daysToThreshold, mild?.daysToEmpty].flatMap(
      (x) => x ?? [],
    )) {
      expect(earliest ?? 0).toBeLessThanOrEqual(middle ?? Infinity);
      expect(middle ?? 0).toBeLessThanOrEqual(latest ?? Infinity);
    }
  });

  test('fills gaps of the weather, and uses normals after the end of the weather forecast', () => {
    const gaps = new Map([...TEMPERATURES].filter(([known]) => known !== day + 1 && known !== day - 2));
    const facts = { temperatures: gaps, observedBefore: day, normals: null, spreadC: 4, offsetMs: 0 };
    const place = new PlaceWeather(facts);
    expect(forecast(SETTINGS, state, nowMs, { place, share: 0.9, errors })?.weather).not.toBeNull();
    const normals = Array.from({ length: 24 }, () => -30);
    const past = new Map([...TEMPERATURES].filter(([known]) => known < day));
    const usual = new PlaceWeather({ ...facts, temperatures: past, normals });
    const expected = forecast(SETTINGS, state, nowMs, { place: usual, share: 0.9, errors });
    expect(expected?.weather).toMatchObject({ forecastC: null, forecastUntilMs: null });
    expect(expected?.daysToThreshold.likely).toBeLessThan(without?.daysToThreshold.likely ?? 0);
  });

  test('of a heated house has a median error that is 15 % smaller than without weather', () => {
    const readings = houseReadings(PAST_TEMPERATURES, HEATED);
    const errorsOf = (place: PlaceWeather | null): number[] => {
      const found: number[] = [];
      for (const line of tryReadings(SETTINGS, readings, true, place)) {
        if (line.type !== 'forecast' || line.days_to_threshold.likely === null) continue;
        const atMs = Date.parse(line.at);
        const later = readings.filter((reading) => reading.atMs > atMs);
        const crossed = later.findIndex(({ fillPercentage }) => fillPercentage <= SETTINGS.minFillAlertPercentage);
        const refilled = later.findIndex(({ fillPercentage }) => fillPercentage > line.fill_percentage + 10);
        const days = ((later[crossed]?.atMs ?? 0) - atMs) / DAY_MS;
        if (crossed < 0 || (refilled >= 0 && refilled < crossed) || days < 7 || days > 21) continue;
        found.push(Math.abs(line.days_to_threshold.likely - days) / days);
      }
      return found.toSorted((a, b) => a - b);
    };
    const median = (values: readonly number[]): number => values[Math.floor(values.length / 2)] ?? Number.NaN;
    const [plain, weather] = [errorsOf(null), errorsOf(backTestWeather(TEMPERATURES))];
    expect(weather.length).toBeGreaterThan(20);
    expect(median(weather)).toBeLessThan(0.85 * median(plain));
  });
});

test('events are the same with and without weather', () => {
  const readings = houseReadings(PAST_TEMPERATURES, { ...HEATED, readingsPerDay: 8 });
  const eventsWith = (place: PlaceWeather | null): TriedLine[] =>
    [...tryReadings(SETTINGS, readings, true, place)].filter(({ type }) => type !== 'forecast');
  const events = eventsWith(null);
  expect(events.length).toBeGreaterThan(2);
  expect(eventsWith(backTestWeather(TEMPERATURES))).toEqual(events);
});

test('after 60 days the forecasts of a kitchen are exactly those without weather', () => {
  const readings = houseReadings(PAST_TEMPERATURES, COOKING);
  const forecasts = (place: PlaceWeather | null): TriedLine[] =>
    [...tryReadings(SETTINGS, readings, true, place)].filter(({ type }) => type === 'forecast').slice(60);
  expect(forecasts(backTestWeather(TEMPERATURES))).toEqual(forecasts(null));
});

describe('normals', () => {
  const year = new Map(
    Array.from({ length: 800 }, (_, n) => [n, 10 - 12 * Math.cos((n / 365.2425) * 2 * Math.PI) + ((n * 7) % 5) - 2]),
  );

  test('are learned from a year of days, and from twelve monthly means', () => {
    const normals = learnNormals(year);
    expect(normals).not.toBeNull();
    for (const day of [0, 91, 183, 274, 365 * 30])
      expect(normalOn(normals ?? [], day)).toBeCloseTo(10 - 12 * Math.cos((day / 365.2425) * 2 * Math.PI), -0.2);
    expect(learnNormals(new Map([...year].slice(0, 300)))).toBeNull();
    const monthly = new Map(Array.from({ length: 12 }, (_, month) => [Date.UTC(2020, month, 15) / DAY_MS, month]));
    expect(learnNormals(monthly, 12)?.length).toBe(24);
  });

  test('have a spread that is learned from the archive', () => {
    const normals = learnNormals(year);
    expect(learnSpread(year, normals)).toBeLessThan(INITIAL_SPREAD_C);
    expect(learnSpread(new Map(), null)).toBe(INITIAL_SPREAD_C);
  });
});

describe('the stored forms', () => {
  test('are decoded to the same values, and are small', () => {
    const model = learn(heated, weatherUntil);
    expect(decodeModel(encodeModel(model))).toEqual(model);
    expect(encodeModel({ ...model, waiting: [] }).length).toBeLessThan(300);
    const waiting = learn(heated, () => weatherUntil(FIRST_DAY + DAYS - 12));
    expect(waiting.waiting.length).toBeGreaterThan(9);
    expect(decodeModel(encodeModel(waiting))).toEqual(waiting);
    const temperatures = new Map([...PAST_TEMPERATURES].slice(0, 100).filter(([day]) => day % 9 !== 0));
    const facts = {
      temperatures,
      observedBefore: FIRST_DAY + 90,
      normals: Array.from({ length: 24 }, (_, n) => n - 12.5),
      spreadC: 2.5,
      offsetMs: -6 * 3_600_000,
    };
    expect(decodePlaceWeather(encodePlaceWeather(facts))?.facts).toEqual(facts);
    expect(encodePlaceWeather(facts).length).toBeLessThan(700);
  });

  test('of another version are not read', () => {
    expect(decodePlaceWeather('[0,0,0,0,0,0,1]')).toBeNull();
    expect(decodePlaceWeather('{}')).toBeNull();
    expect(decodeModel('[0,1,2]')).toBeNull();
  });
});
