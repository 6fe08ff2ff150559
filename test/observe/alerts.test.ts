import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { findPrometheus } from '../../engines/prometheus.ts';
import { PANELS } from '../../scripts/dashboard_panels.ts';
import { dashboardFiles } from '../../scripts/dashboards.ts';
import { metricsByRole } from '../../scripts/metrics_page.ts';
import { givenFolder } from '../support/folder.ts';
import { isWhole } from '../support/whole_tests.ts';
import { namesIn } from './queries.ts';

const run = promisify(execFile);
const fileOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const read = (path: string): Promise<string> => readFile(fileOf(path), 'utf8');
const promtool = async (...args: string[]): Promise<string> =>
  (await run(join(await findPrometheus(), 'promtool'), args)).stdout;

interface Rule {
  alert: string;
  query: string;
}

/** The rules of our rule file, which all have the same form. promtool checks the file itself. */
async function readRules(): Promise<Rule[]> {
  const text = await read('deploy/prometheus/alerts.yml');
  return [...text.matchAll(/- alert: (\w+)\n\s+expr: (?:>-\n)?(.*?)\n\s+for:/gs)].map(([, alert = '', query = '']) => ({
    alert,
    query: query.replaceAll(/\s+/g, ' ').trim(),
  }));
}

const dashboardQueries = (): string[] =>
  Object.values(PANELS).flatMap((panels) => panels.flatMap(({ queries }) => Object.values(queries)));

/** The names of all series and labels that our roles and their processes export. */
async function readExported(): Promise<{ series: Set<string>; labels: Set<string> }> {
  const declared = Object.values(await metricsByRole()).flat();
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const processMetrics = await registry.getMetricsAsJSON();
  const suffixes = (type: string): string[] => (type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']);
  return {
    series: new Set([
      'up',
      ...processMetrics.map(({ name }) => name),
      ...declared.flatMap(({ name, type }) => suffixes(type).map((suffix) => name + suffix)),
    ]),
    // The cell is a label of the targets in deploy/prometheus/prometheus.yml.
    labels: new Set(['cell', 'job', 'instance', 'le', ...declared.flatMap(({ labels }) => labels)]),
  };
}

test.runIf(isWhole('observe/alerts'))(
  'promtool accepts the rules and the configuration, and has a test in which each alert fires and one in which it is silent',
  async () => {
    expect(await promtool('check', 'config', fileOf('deploy/prometheus/prometheus.yml'))).toContain('SUCCESS');
    expect(await promtool('test', 'rules', fileOf('test/observe/alerts.test.yml'))).toContain('SUCCESS');
    const tests = await read('test/observe/alerts.test.yml');
    for (const { alert } of await readRules()) {
      expect(tests).toContain(`name: ${alert} fires`);
      expect(tests).toContain(`name: ${alert} is silent`);
    }
  },
);

test('rules and dashboards use only metrics and labels that roles export', async () => {
  const { series, labels } = await readExported();
  const queries = [...(await readRules()).map(({ query }) => query), ...dashboardQueries()];
  expect((await readRules()).length).toBeGreaterThanOrEqual(10);
  for (const query of queries) {
    const used = namesIn(query);
    expect(used.metrics.size, query).toBeGreaterThan(0);
    for (const metric of used.metrics) expect([...series], query).toContain(metric);
    for (const label of used.labels) expect([...labels], query).toContain(label);
  }
});

test('every rule keeps the label of the cell, so that a healthy cell does not hide another', async () => {
  expect(await read('deploy/prometheus/prometheus.yml')).toMatch(/targets: .*\n\s+labels: \{ cell: '0' \}\n/);
  for (const { alert, query } of await readRules()) {
    const aggregations = query.match(/\b(?:sum|max|min|avg|count)\b(?: by \(\w+)?/g) ?? [];
    expect([alert, aggregations.filter((text) => !text.endsWith(' by (cell'))]).toEqual([alert, []]);
    expect([alert, query.match(/\bon \((?!cell)/g)]).toEqual([alert, null]);
  }
  // A dashboard shows one cell.
  for (const text of Object.values(dashboardFiles()))
    for (const [, expr = ''] of text.matchAll(/"expr": "(.*)"/g))
      expect(expr.match(/\b(?:tankwatch|process|nodejs)_\w+(?!\w|\{cell=~\\"\$cell\\")/g)).toBeNull();
});

test('each role has a dashboard, every query is valid PromQL, and every metric is in a dashboard', async () => {
  const files = dashboardFiles();
  expect(Object.keys(files).toSorted()).toEqual([
    'api.json',
    'connector.json',
    'gateway.json',
    'worker.json',
    'writer.json',
  ]);
  for (const [name, text] of Object.entries(files))
    expect(await read(`deploy/grafana/${name}`), 'npm run dashboards writes it').toBe(text);

  const folder = await givenFolder();
  const records = dashboardQueries().map((expr, n) => ({ record: `query_${n}`, expr }));
  await writeFile(join(folder, 'rules.yml'), JSON.stringify({ groups: [{ name: 'dashboards', rules: records }] }));
  expect(await promtool('check', 'rules', join(folder, 'rules.yml'))).toContain('SUCCESS');

  const shown = new Set(dashboardQueries().flatMap((query) => [...namesIn(query).metrics]));
  const isShown = (name: string): boolean => [...shown].some((used) => used === name || used === `${name}_bucket`);
  const declared = Object.values(await metricsByRole()).flat();
  expect(declared.map(({ name }) => name).filter((name) => !isShown(name))).toEqual([]);
});

test('docs/operators/troubleshooting.md explains each alert, and says what to do', async () => {
  const page = 'docs/operators/troubleshooting.md';
  const [, ...entries] = (await read(page)).split(/^### /m);
  const alerts = await readRules();
  expect(entries.map((entry) => entry.split('\n')[0])).toEqual(alerts.map(({ alert }) => alert));
  const ruleText = await read('deploy/prometheus/alerts.yml');
  for (const { alert } of alerts) expect(ruleText).toContain(`runbook: ${page}#${alert.toLowerCase()}\n`);
  for (const entry of entries) expect(entry).toMatch(/^\w+\n\n[A-Z].{20,}\n\*\*Do\.\*\* .{20,}/s);
});
