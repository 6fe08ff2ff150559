import { expect } from 'vitest';
import { followedText } from '../../packages/console/src/events/followed_text.ts';
import { formatsOf } from '../../packages/console/src/format.ts';
import { FOLLOWED_TEXTS } from '../../packages/console/src/translations/followed.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import { lowFillOf, record } from '../support/events.ts';
import { givenContact, givenCustomer, givenKey, givenTank } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { givenManagedOrganization, test } from '../support/manage.ts';

test('events show who took them on and what followed, and a tank shows who muted it and who wrote its notes', async ({
  database,
  manage,
}) => {
  const { owner } = database;
  const { key, organizationNo } = await givenManagedOrganization(database);
  const customer = await givenCustomer(database.operator, organizationNo);
  const tank = await givenTank(database.operator, organizationNo, customer.no);
  const { id: contactId } = await givenContact(database.operator, organizationNo, {
    email: 'ana@example.com',
    name: 'Ana',
    roles: ['dispatcher'],
  });
  const fleet = { organizationNo, customer, tank };
  const nowMs = Date.now();
  const at = (hoursAgo: number): string => new Date(nowMs - hoursAgo * HOUR_MS).toISOString();
  const lowData = { fill_percentage: 18, threshold_percentage: 20 };
  const refill = { before_percentage: 18, after_percentage: 80, delivered_volume: 620, volume_unit: 'liters' as const };
  await record(
    database,
    lowFillOf(fleet, { occurredAt: at(30), data: lowData }),
    lowFillOf(fleet, { type: 'tank.refilled', occurredAt: at(26), data: refill }),
    lowFillOf(fleet, { type: 'tank.fill_recovered', occurredAt: at(26), data: { ...lowData, fill_percentage: 80 } }),
    lowFillOf(fleet, { occurredAt: at(5), data: lowData }),
  );
  await owner.query(
    `insert into acknowledgements (id, organization_no, tank_no, condition, until, comment, acknowledged_by, created_at, ended_at, ended_because)
     values (gen_random_uuid(), $1, $2, 'low', $4::timestamptz + interval '8 hours', 'Truck 2', 'contact ' || $3, $4, $5, 'resolved'),
            (gen_random_uuid(), $1, $2, 'silent', now() + interval '1 hour', null, 'contact ' || $3, now(), null, null)`,
    [organizationNo, tank.no, contactId, at(29), at(26)],
  );
  await owner.query(
    `insert into mutes (id, organization_no, tank_no, until, reason, muted_by)
     values (gen_random_uuid(), $1, $2, now() + interval '1 hour', 'New regulator', 'contact ' || $3)`,
    [organizationNo, tank.no, contactId],
  );
  await owner.query(
    `insert into tank_notes (id, organization_no, tank_no, text, prints, written_by)
     values (gen_random_uuid(), $1, $2, 'Dog', true, 'contact ' || $3), (gen_random_uuid(), $1, $2, 'Gate', true, 'key a0abc')`,
    [organizationNo, tank.no, contactId],
  );

  const followed = {
    handled: [{ name: 'Ana', comment: 'Truck 2', since: at(29) }],
    refilled_at: at(26),
    ended_at: at(26),
  };
  const open = { handled: [], refilled_at: null, ended_at: null };
  const read = async (path: string, as = key) => (await callApi(manage.url, path, { key: as })).json;
  for (const path of ['/fleet/v1/history?type=tank.low_fill', `/fleet/v1/tanks/${tank.id}/events`]) {
    const { events } = await read(path);
    const low = events.filter(({ type }: { type: string }) => type === 'tank.low_fill');
    expect(low.map((event: { followed: unknown }) => event.followed)).toEqual([open, followed]);
    for (const [language, texts, pattern] of [
      ['en-US', FOLLOWED_TEXTS.en, /^Ana took it on .* \(Truck 2\), delivered .*\.$/],
      ['es-MX', FOLLOWED_TEXTS.es, /^Ana empezó a atenderlo .* \(Truck 2\), entrega .*\.$/],
    ] as const) {
      const [first, second] = low.map((event: Parameters<typeof followedText>[0]) =>
        followedText(event, texts, formatsOf(language), nowMs),
      );
      expect([first, second]).toEqual([expect.stringMatching(/^(Nobody|Nadie) .*\.$/), expect.stringMatching(pattern)]);
    }
  }
  expect(await read(`/fleet/v1/tanks/${tank.id}`)).toMatchObject({
    muted: { name: 'Ana', reason: 'New regulator', since: expect.any(String), until: expect.any(String) },
    notes: [
      { text: 'Gate', name: null, since: expect.any(String) },
      { text: 'Dog', name: 'Ana', since: expect.any(String) },
    ],
  });
  // An owner sees none of this.
  const { text: ofOwner } = await givenKey(database.operator, { organizationNo, customerNo: customer.no });
  const { events } = await read('/fleet/v1/history', ofOwner);
  expect(events.map((event: { followed: unknown }) => event.followed)).toEqual([null, null, null, null]);
  expect(await read(`/fleet/v1/tanks/${tank.id}`, ofOwner)).toMatchObject({ muted: null, notes: [] });
});
