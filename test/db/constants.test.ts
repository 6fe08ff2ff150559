import { expect } from 'vitest';
import { KEPT_HOURS } from '../../src/api/manage/idempotency.ts';
import { READ_LONGER_HOURS } from '../../src/deliveries/driver_links.ts';
import { OPEN_HOURS_AFTER_DAY } from '../../src/deliveries/round.ts';
import { SIGN_IN_MINUTES } from '../../src/keys/sign_in_validity.ts';
import { LOSING_HOURS } from '../../src/status/sections.ts';
import { toLiters } from '../../src/values/capacity_unit.ts';
import { MAX_PINNED_MATCH_HOURS } from '../../src/values/match_hours.ts';
import { test } from '../support/test.ts';

test('functions and views of the database have the same constants as the programs', async ({ database }) => {
  const { rows } = await database.owner.query<{ name: string; text: string }>(
    `select proname::text as name, prosrc as text from pg_proc where pronamespace = 'public'::regnamespace
     union all select viewname::text, definition from pg_views where schemaname = 'public' order by 1`,
  );
  const uses = (pattern: RegExp): [string, string][] =>
    rows.flatMap(({ name, text }) =>
      [...text.matchAll(pattern)].map(([, found = '']): [string, string] => [name, found]),
    );

  const gallons = uses(/(3\.7\d+)/g); // 3.785411784
  expect(gallons.length).toBeGreaterThan(3);
  expect(gallons.filter(([, found]) => Number(found) !== toLiters(1, 'gallons'))).toEqual([]);

  // Views contain "losing_seen_at > (now() - '48:00:00'::interval)"; a function would contain "losing_seen_at > now() - interval
  // '48 hours'".
  const losing = uses(/losing_seen_at\s*(?:<=|>)\s*\(?now\(\) - '?(?:interval ')?(\d+):?/g);
  expect(losing.length).toBeGreaterThan(1);
  expect(losing.filter(([, hours]) => Number(hours) !== LOSING_HOURS)).toEqual([]);

  // "e.occurred_at < (r.day_ends_at + '36:00:00'::interval)"
  const openAfterDay = uses(/occurred_at < \(r\.day_ends_at \+ '(\d+):00:00'::interval\)/g);
  expect(openAfterDay).toEqual([['round_stop_outcomes', String(OPEN_HOURS_AFTER_DAY)]]);

  const readLonger = uses(/day_ends_at \+ interval '(\d+) hours'/g);
  expect(readLonger).toEqual([['driver_round', String(READ_LONGER_HOURS)]]);

  // "n.at between r.said_at - interval '36 hours' and r.said_at + interval '36 hours'"
  const sameDelivery = uses(/\b(?:said_at|n\.at) [-+] interval '(\d+) hours'/g);
  expect(new Set(sameDelivery.map(([name]) => name))).toEqual(
    new Set(['deliveries_of_tanks', 'reevaluate_before_notes']),
  );
  expect(sameDelivery.filter(([, hours]) => Number(hours) !== MAX_PINNED_MATCH_HOURS)).toEqual([]);

  const keptKeys = uses(/from idempotency_keys\s+where created_at < now\(\) - interval '(\d+) hours'/g);
  expect(keptKeys).toEqual([['delete_old_idempotency_keys', String(KEPT_HOURS)]]);

  const asked = uses(/of_browser_sha256[^;]*created_at > now\(\) - interval '(\d+) minutes'/g);
  expect(asked).toEqual([
    ['redeem_sign_in_code', String(SIGN_IN_MINUTES)],
    ['request_sign_in', String(SIGN_IN_MINUTES)],
  ]);
  const { rows: defaults } = await database.owner.query(
    `select pg_get_expr(adbin, adrelid) from pg_attrdef
     join pg_attribute on attrelid = adrelid and attnum = adnum and attname = 'expires_at' where adrelid = 'sign_ins'::regclass`,
  );
  expect(defaults).toEqual([{ pg_get_expr: `(now() + '00:${SIGN_IN_MINUTES}:00'::interval)` }]);
});
