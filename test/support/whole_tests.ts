import { join, relative } from 'node:path';
import { followImports } from './imports.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Folders of the console, and the files that all of them use. */
const pages = (...folders: string[]): string[] =>
  ['api.ts', 'session.ts', 'organization.ts', 'tank_query.ts', ...folders.map((folder) => `${folder}/`)].map(
    (path) => `packages/console/src/${path}`,
  );
const DAY = [...pages('today', 'fleet', 'tank', 'events', 'live', 'frame', 'parts'), 'src/status/', 'src/api/fleet/'];
const MAP = [...pages('map', 'fleet'), 'packages/console/world/', 'src/status/', 'src/api/fleet/', 'src/api/pages/'];
const ROUNDS = [...pages('rounds'), 'packages/console/driver/', 'src/deliveries/', 'src/api/driver/'];
const INGEST = ['src/gateway/', 'src/writer/', 'src/stream/', 'src/ingest/', 'src/db/'];
const START = ['src/setup/', 'src/settings/', 'src/main.ts', 'src/roles.ts'];
const COMMANDS = ['src/cli/', 'src/doctor/', ...START];
const GUIDES = ['docs/integrators/', 'examples/', 'packages/client/', 'demo/', 'src/api/v1/', 'src/api/fleet/'];
const SENDING = ['src/worker/', 'src/webhooks/', 'src/mail/', 'src/db/'];
const SOURCES = ['src/connector/', 'src/connectors/', 'src/ingest/', 'src/db/'];
const CHANGES = ['src/api/manage/', 'src/catalog/', 'src/db/', 'migrations/'];

/**
 * The files that need more than 20 seconds, because they start whole installations or browsers or send very many readings, and
 * the paths that they cover. `.ci/run` runs such a file in full if one of these paths has changed, or something that the file
 * imports from outside of `src`. Otherwise it runs only the quick tests of the file, or tries fewer cases. `bench` are the short
 * runs of benchmarks, `tenants` is an attack of one organization on the others.
 */
export const COVERED_PATHS: Readonly<Record<string, readonly string[]>> = {
  'recovery/drill': ['deploy/', 'src/recovery/', 'src/stream/', 'src/db/'],
  bench: ['migrations/', 'src/status/', 'src/db/', 'src/ingest/'],
  tenants: ['src/http/', 'src/db/', 'src/api/live/', 'src/values/fair_queue.ts'],
  'api/lifecycle': ['src/api/serve.ts', 'src/http/', 'src/db/', 'src/health/'],
  'api/replicas': ['src/api/serve.ts', 'src/db/', 'src/http/', 'src/api/v1/', 'src/api/fleet/'],
  'cli/backup': ['src/recovery/', 'src/db/', 'migrations/', 'docs/operators/backup.md'],
  'cli/doctor': [...COMMANDS, 'migrations/', 'src/db/'],
  'console/act_catalog': [...pages('catalog', 'customers', 'forms', 'change'), 'src/catalog/'],
  'console/act_change': [...pages('change', 'forms', 'tank'), 'src/api/manage/'],
  'console/act_commission': [...pages('commission', 'devices', 'change', 'forms'), 'src/gauges/', 'src/catalog/'],
  'console/act_handle': [...pages('change', 'forms'), ...DAY],
  'console/act_looks': pages('tank', 'settings', 'commission', 'catalog', 'forms', 'change', 'styles'),
  'console/act_mails': [...pages('settings', 'change', 'forms'), 'src/mail/'],
  'console/act_people': [...pages('settings', 'change', 'forms'), 'src/api/sign_in/', 'src/keys/', 'src/mail/'],
  'console/act_sources': [...pages('settings', 'change', 'forms'), 'src/connector/', 'src/connectors/'],
  'console/act_tank': pages('tank', 'change', 'forms'),
  'console/console': [...pages('chart', 'sign_in'), ...DAY],
  'console/console_looks': ['packages/console/'],
  'console/customers': [...pages('customers', 'events', 'settings', 'parts'), 'src/api/fleet/'],
  'console/dips': [
    ...pages('owner', 'tank', 'forms', 'change'),
    'src/ingest/',
    'src/telemetry/',
    'src/evaluation/',
    ...CHANGES,
  ],
  'console/driver': ROUNDS,
  'console/first_hour': DAY,
  'console/map': MAP,
  'console/map_background': MAP,
  'console/map_world': MAP,
  'console/round_map': [...pages('map', 'rounds'), 'packages/console/world/', 'src/api/fleet/'],
  'console/round_safety': ROUNDS,
  'console/rounds': ROUNDS,
  'console/sign_in': [...pages('sign_in', 'owner', 'frame'), 'src/api/sign_in/', 'src/keys/', 'src/mail/'],
  'console/today_counts': [...DAY, 'src/ingest/'],
  'console/whole_day': [
    ...pages('catalog', 'commission', 'customers', 'imports', 'sign_in', 'settings'),
    ...DAY,
    ...ROUNDS,
    'src/worker/',
    'src/keys/',
    'src/setup/',
  ],
  'console/worst_moment': DAY,
  'connector/home_assistant': [...SOURCES, 'src/status/'],
  'connector/polling': SOURCES,
  'connector/weather': [...SOURCES, 'src/weather/'],
  deploy: ['deploy/', 'compose.yaml', 'migrations/', ...START],
  'db/released_schema': ['migrations/', 'src/db/', 'scripts/'],
  'demo/demo': ['demo/', 'src/simulation/'],
  'doctor/services': ['src/doctor/', 'src/health/', 'src/stream/', 'src/settings/'],
  'docs/commands': ['docs/operators/', 'docs/developers/', 'README.md', 'deploy/', 'examples/', ...COMMANDS],
  'docs/devices': ['docs/integrators/devices.md', 'examples/', 'src/gateway/', 'src/gauges/', 'gauges/', 'src/cli/'],
  'docs/integrators': GUIDES,
  'docs/readme': ['README.md', 'bin/', 'demo/', 'package.json', ...START],
  'docs/sync': [...GUIDES, 'src/ingest/'],
  'faults/abuse': ['deploy/', 'src/http/', 'src/gateway/', 'src/api/sign_in/', 'src/api/pages/'],
  'faults/chaos': INGEST,
  'faults/duty': [
    'src/duty/',
    'src/push/',
    'src/values/false_alarm_step.ts',
    'src/worker/',
    'src/mail/',
    'src/webhooks/',
  ],
  'faults/connectors': SOURCES,
  'faults/erp': ['examples/', 'packages/client/', 'packages/python/', ...CHANGES],
  'faults/fuzz': ['src/api/', 'src/http/', 'src/db/'],
  'faults/ingest': INGEST,
  'faults/reconnect': ['src/gateway/', 'src/stream/', 'src/db/'],
  'fleet/pg_upgrade': ['src/api/fleet/', 'src/db/', 'migrations/'],
  'gateway/acknowledgement': INGEST,
  'gateway/certificate_reload': ['src/gateway/', 'src/settings/'],
  'mail/digests': ['src/mail/', 'src/worker/', 'src/status/', 'migrations/'],
  'manage/kills': CHANGES,
  'manage/matrix': ['src/api/', 'src/keys/', 'src/connectors/', 'src/gauges/', 'src/mail/', ...CHANGES],
  'mistakes/commands': COMMANDS,
  'mistakes/startup': START,
  'observe/alerts': ['deploy/', 'test/observe/', 'src/health/', 'scripts/'],
  'privacy/deleted_customer': [
    ...CHANGES,
    'src/worker/',
    'src/writer/',
    'src/mail/',
    'src/duty/',
    'src/push/',
    'src/webhooks/',
    'src/deliveries/',
    'src/gateway/',
  ],
  'router/limits': ['deploy/'],
  'scripts/release': ['scripts/', 'package.json'],
  'scripts/tarball': [
    'scripts/',
    'bin/',
    'package.json',
    'packages/console/package.json',
    'packages/console/vite.config.ts',
  ],
  'setup/backup': ['src/recovery/', 'src/db/', 'migrations/', ...START],
  'setup/init': ['bin/', 'deploy/', 'src/db/', ...START],
  'telemetry/export_readings': ['src/telemetry/', 'src/values/', 'src/db/'],
  'worker/kill': SENDING,
  'worker/outage': SENDING,
  'worker/webhooks_of_changes': [...SENDING, ...CHANGES, 'src/deliveries/'],
  'writer/hung_database': INGEST,
  'writer/restored_database': INGEST,
};

/** By file, the beginning of the title of the test that always runs. In other files, the tests that can be left out ask `isWhole`. */
export const QUICK_TESTS: Readonly<Record<string, string>> = {
  'api/lifecycle': 'first it is not ready but serves requests',
  'api/replicas': 'reads are spread over the replicas',
  'cli/doctor': 'a healthy installation has no findings',
  'console/act_catalog': 'a viewer and a dispatcher have no buttons',
  'console/act_change': 'a note whose answer gets lost',
  'console/act_commission': 'a technician puts a device on a tank',
  'console/act_people': 'a person who is added is invited',
  'console/map_world': 'while the map loads it shows land',
  'console/round_map': 'the line of a round leaves out',
  'console/round_safety': 'a leak blocks the stop of a planned round',
  'console/rounds': 'a second click after a lost answer',
  'console/sign_in': 'a dispatcher asks for the mail again',
  'connector/polling': 'the history of an Otodata company',
  'connector/weather': 'tanks in the United States',
  deploy: 'containers have no capabilities',
  'db/released_schema': 'a migration that removes or renames',
  'doctor/services': 'a running installation has no findings',
  'gateway/acknowledgement': 'a deleted stream is created again',
  'manage/matrix': 'an object of another organization',
  'mail/digests': 'the same digest sent by four workers',
  'privacy/deleted_customer': 'finds a value in plain text',
  'scripts/release': 'a dry run prints',
  'worker/kill': 'a worker killed -9 during a delivery',
  'writer/hung_database': 'a writer alone',
};

/** Files that are one long test, and the file that always tries a part of it. */
export const TRIED_BY: Readonly<Record<string, string>> = {
  'cli/backup': 'cli/restore',
  'connector/home_assistant': 'connector/broker',
  'console/act_sources': 'connector/polling',
  'console/dips': 'manage/dips',
  'console/whole_day': 'console/act_people',
  'docs/devices': 'gateway/http',
  'faults/connectors': 'connector/polling',
  'faults/duty': 'duty/escalations',
  'faults/erp': 'manage/erp_example',
  'faults/reconnect': 'gateway/connection_limits',
  'fleet/pg_upgrade': 'fleet/event_feed',
  'gateway/certificate_reload': 'gateway/mqtt_limits',
  'manage/kills': 'manage/idempotency',
  'worker/outage': 'worker/kill',
  'worker/webhooks_of_changes': 'manage/change_feed',
  'writer/restored_database': 'writer/hung_database',
};

/** Paths that concern every file. */
const CONCERNS_ALL = ['.ci/run', 'package-lock.json', 'vitest.config.ts', 'test/support/server.ts'];

/** The files of the table that no changed path concerns. */
export function findLeftOut(changed: readonly string[]): string[] {
  return Object.entries(COVERED_PATHS)
    .filter(([name, covered]) => !isConcerned(name, covered, changed))
    .map(([name]) => name);
}

function isConcerned(name: string, covered: readonly string[], changed: readonly string[]): boolean {
  const imported = followImports(join(ROOT, fileOf(name))).map(({ file }) => relative(ROOT, file));
  const own = new Set(imported.filter((file) => !file.startsWith('src/')));
  return changed.some((path) => own.has(path) || [...CONCERNS_ALL, ...covered].some((start) => path.startsWith(start)));
}

export const fileOf = (name: string): string => RUNS[name] ?? `test/${name}.test.ts`;
const RUNS: Readonly<Record<string, string>> = { bench: 'bench/main.ts', tenants: 'faults/tenants.ts' };

/** True if everything is tried as often as at night: with `npm test`, and with `.ci/run` if CI_ALL=1. */
export const isThorough = (): boolean => process.env['LEFT_OUT'] === undefined || process.env['CI_ALL'] === '1';

/** True if all tests of a file run. `.ci/run` names the other files in LEFT_OUT. */
export function isWhole(name: keyof typeof COVERED_PATHS): boolean {
  return !(process.env['LEFT_OUT'] ?? '').split(' ').includes(name);
}
