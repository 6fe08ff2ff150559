import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { readDocument, typesOf } from '../../packages/client/generate_types.ts';
import { type ClientProject, installClient, runProgram } from '../support/client.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAX_BYTES = 12_000;

let project: ClientProject;
beforeAll(async () => {
  project = await installClient();
});

const installed = (path: string): Promise<string> =>
  readFile(join(project.folder, 'node_modules/@tankwatch/client', path), 'utf8');

const contents = async (): Promise<string[]> =>
  (await runProgram('tar', ['tzf', project.tarball])).stdout.trim().split('\n').toSorted();

describe('the types', () => {
  test('match openapi.json (if not: npm run openapi)', async () => {
    const committed = await readFile(join(ROOT, 'packages/client/src/types.ts'), 'utf8');
    expect(committed).toBe(typesOf(await readDocument()));
  });

  test('cover only operations that are methods of the client', async () => {
    const { paths } = await readDocument();
    const { Tankwatch } = project.client;
    const { customers, tanks, fleet, manage } = new Tankwatch({ apiKey: 'k', baseUrl: 'http://localhost' });
    const METHODS = {
      '/v1/customers': customers.list,
      '/v1/customers/{id}': customers.retrieve,
      '/v1/tanks': tanks.list,
      '/v1/tanks/{id}': tanks.retrieve,
      '/v1/tanks/{id}/telemetry': tanks.telemetry.list,
      '/fleet/v1/summary': fleet.summary,
      '/fleet/v1/tanks': fleet.tanks,
      '/fleet/v1/tanks/{id}': fleet.tank,
      '/fleet/v1/tanks/{id}/series': fleet.series,
      '/fleet/v1/tanks/{id}/threshold_trial': fleet.thresholdTrial,
      '/fleet/v1/tanks/{id}/usage': fleet.usage,
      '/fleet/v1/tanks/{id}/events': fleet.tankEvents,
      '/fleet/v1/tanks/{id}/timeline': fleet.timeline,
      '/fleet/v1/devices': fleet.devices,
      '/fleet/v1/events': fleet.events,
      '/fleet/v1/changes': fleet.changes,
      '/fleet/v1/readings': fleet.readings,
      '/fleet/v1/history': fleet.history,
      '/fleet/v1/search': fleet.search,
      '/fleet/v1/customers': fleet.customers,
      '/fleet/v1/similar_customers': fleet.similarCustomers,
      '/fleet/v1/customers/{id}/usage': fleet.customerUsage,
      '/fleet/v1/customers/{id}/refills': fleet.customerRefills,
      '/fleet/v1/delivery-notes': fleet.deliveryNotes,
      '/fleet/v1/ledger': fleet.ledger,
      '/fleet/v1/ledger/totals': fleet.ledgerTotals,
      '/fleet/v1/map': fleet.map,
      '/fleet/v1/rounds': fleet.rounds,
      '/fleet/v1/rounds/{id}': fleet.round,
      '/fleet/v1/settings': fleet.settings,
      '/fleet/v1/score': fleet.score,
      '/manage/v1/customers/external_key/{external_key}': manage.customers.put,
      '/manage/v1/customers': manage.customers.create,
      '/manage/v1/customers/{id}': manage.customers.update,
      '/manage/v1/customers/{id}/deletion': manage.customers.previewDeletion,
      '/manage/v1/customers/{id}/tanks/custom_id/{custom_id}': manage.tanks.put,
      '/manage/v1/tanks/external_key/{external_key}': manage.tanks.putByExternalKey,
      '/manage/v1/tanks': manage.tanks.create,
      '/manage/v1/tanks/{id}': manage.tanks.update,
      '/manage/v1/tanks/{id}/deletion': manage.tanks.previewDeletion,
      '/manage/v1/customers/bulk': manage.customers.putAll,
      '/manage/v1/tanks/bulk': manage.tanks.putAll,
      '/manage/v1/delivery-notes/bulk': manage.deliveryNotes.putAll,
      '/manage/v1/imports': manage.imports.send,
      '/manage/v1/imports/{id}/undo': manage.imports.undo,
      '/manage/v1/devices': manage.devices.list,
      '/manage/v1/devices/{device_id}': manage.devices.retrieve,
      '/manage/v1/tanks/{id}/device': manage.tanks.putDevice,
      '/manage/v1/devices/{id}/password': manage.devices.password,
      '/manage/v1/gauge-profiles': manage.gauges.profiles,
      '/manage/v1/gauge-profiles/{profile}': manage.gauges.putProfile,
      '/manage/v1/profile-assignments': manage.gauges.assignments,
      '/manage/v1/profile-assignments/{selector}': manage.gauges.putAssignment,
      '/manage/v1/tanks/{id}/notes': manage.notes.create,
      '/manage/v1/notes/{id}': manage.notes.update,
      '/manage/v1/tanks/{id}/gauges': manage.gauges.put,
      '/manage/v1/tanks/{id}/gauges/calibration': manage.gauges.calibrate,
      '/manage/v1/depots': manage.depots.create,
      '/manage/v1/depots/external_key/{external_key}': manage.depots.put,
      '/manage/v1/depots/{id}': manage.depots.update,
      '/manage/v1/trucks': manage.trucks.create,
      '/manage/v1/trucks/external_key/{external_key}': manage.trucks.put,
      '/manage/v1/trucks/{id}': manage.trucks.update,
      '/manage/v1/drivers': manage.drivers.create,
      '/manage/v1/drivers/external_key/{external_key}': manage.drivers.put,
      '/manage/v1/drivers/{id}': manage.drivers.update,
      '/manage/v1/delivery-days': manage.deliveryDays.list,
      '/manage/v1/delivery-days/cities/{city}': manage.deliveryDays.putCity,
      '/manage/v1/tanks/{id}/delivery-days': manage.deliveryDays.putTank,
      '/manage/v1/rounds': manage.rounds.create,
      '/manage/v1/rounds/{id}': manage.rounds.update,
      '/manage/v1/rounds/{id}/prints': manage.rounds.recordPrint,
      '/manage/v1/rounds/{id}/stops': manage.rounds.putStops,
      '/manage/v1/rounds/{id}/vroom-order': manage.rounds.putVroomOrder,
      '/manage/v1/rounds/{id}/stops/{number}/outcome': manage.rounds.putOutcome,
      '/manage/v1/rounds/{id}/stops/{number}/entries': manage.rounds.recordStop,
      '/manage/v1/rounds/{id}/stops/{number}/move': manage.rounds.moveStop,
      '/manage/v1/round-proposals': manage.rounds.propose,
      '/manage/v1/delivery-notes/{series}/{number}': manage.deliveryNotes.put,
      '/manage/v1/delivery-notes/{id}': manage.deliveryNotes.retrieve,
      '/manage/v1/delivery-notes/{id}/pins': manage.deliveryNotes.pin,
      '/manage/v1/tanks/{id}/dips': manage.dips.create,
      '/manage/v1/tanks/{id}/estimate': manage.dips.setTold,
      '/manage/v1/rounds/{id}/driver-link': manage.rounds.createDriverLink,
      '/manage/v1/rounds/{id}/driver-entries': manage.rounds.driverEntries,
      '/manage/v1/tanks/{id}/acknowledgements': manage.tanks.acknowledge,
      '/manage/v1/acknowledgements/{id}': manage.tanks.withdraw,
      '/manage/v1/tanks/{id}/mute': manage.tanks.mute,
      '/manage/v1/contacts': manage.contacts.create,
      '/manage/v1/contacts/{id}': manage.contacts.update,
      '/manage/v1/contacts/{id}/invite': manage.contacts.invite,
      '/manage/v1/duty': manage.duty.set,
      '/manage/v1/text-channel': manage.duty.setTextChannel,
      '/manage/v1/reach': manage.duty.reach,
      '/manage/v1/contacts/{id}/reach': manage.duty.setReach,
      '/manage/v1/contacts/{id}/reach/verification': manage.duty.verifyPhone,
      '/manage/v1/contacts/{id}/reach/texts': manage.duty.sendText,
      '/manage/v1/escalations': manage.duty.escalations,
      '/manage/v1/escalations/{id}/step': manage.duty.tellNow,
      '/manage/v1/webhooks': manage.webhooks.create,
      '/manage/v1/webhooks/{id}': manage.webhooks.update,
      '/manage/v1/webhooks/{id}/rotate_secret': manage.webhooks.rotateSecret,
      '/manage/v1/webhooks/{id}/test': manage.webhooks.test,
      '/manage/v1/webhooks/{id}/replay': manage.webhooks.replay,
      '/manage/v1/webhooks/{id}/deliveries': manage.webhooks.deliveries,
      '/manage/v1/connectors': manage.connectors.create,
      '/manage/v1/connectors/{id}': manage.connectors.update,
      '/manage/v1/connectors/{id}/try': manage.connectors.try,
      '/manage/v1/organization': manage.updateOrganization,
      '/manage/v1/audit': manage.audit,
    };
    // The CSV file is for spreadsheets, and browsers read the stream with EventSource.
    const isForPrograms = (path: string): boolean => !path.endsWith('.csv') && !path.endsWith('/live');
    expect(Object.keys(METHODS)).toEqual(Object.keys(paths).filter(isForPrograms));
    for (const method of Object.values(METHODS)) expect(method).toBeTypeOf('function');
  });

  test('are not generated from an unknown kind of schema', async () => {
    const document = await readDocument();
    document.components.schemas['Novelty'] = { type: 'object', properties: { what: { type: 'tuple' } } };
    expect(() => typesOf(document)).toThrow('tuple');
  });
});

describe('the packed tarball', () => {
  test('contains only the build, its types, the README and the license', async () => {
    const modules = ['client', 'cursor_listing', 'errors', 'listing', 'manage', 'transport', 'types', 'webhook'];
    const build = modules.flatMap((name) => [`package/dist/${name}.d.ts`, `package/dist/${name}.js`]);
    expect(await contents()).toEqual(['package/LICENSE', 'package/README.md', ...build, 'package/package.json']);
  });

  test(`is at most ${MAX_BYTES} bytes gzipped, comments included`, async () => {
    const scripts = (await contents()).filter((file) => file.endsWith('.js'));
    const code = await Promise.all(scripts.map((file) => installed(file.replace('package/', ''))));
    const bytes = gzipSync(code.join(''), { level: 9 }).length;
    console.log(`@tankwatch/client: ${bytes} bytes gzipped`);
    expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
  });

  test('depends on no package and not on Node', async () => {
    const manifest = JSON.parse(await installed('package.json'));
    expect(Object.keys(manifest).filter((key) => /dependencies/i.test(key))).toEqual([]);
    for (const file of (await contents()).filter((name) => name.endsWith('.js'))) {
      const code = await installed(file.replace('package/', ''));
      for (const [, target] of code.matchAll(/from '([^']+)'/g)) expect(target).toMatch(/^\.\/\w+\.js$/);
      expect(code).not.toMatch(/\b(process|Buffer|require|__dirname)\b/);
    }
  });
});
