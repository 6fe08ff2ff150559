import { writeFile } from 'node:fs/promises';
import { PANELS } from './dashboard_panels.ts';

/** A panel: what it shows, the unit in Grafana's terms, and its queries by legend. */
export interface Panel {
  title: string;
  unit: 's' | 'bytes' | 'reqps' | 'ops' | 'short' | 'percentunit';
  queries: Readonly<Record<string, string>>;
}

const [PANEL_WIDTH, PANEL_HEIGHT, COLUMNS] = [8, 7, 3];

/** The dashboard of a role, as Grafana 10 and newer import it. */
export function dashboard(role: string, panels: readonly Panel[]): object {
  return {
    uid: `tankwatch-${role}`,
    title: `Tankwatch ${role}`,
    tags: ['tankwatch'],
    schemaVersion: 38,
    timezone: 'browser',
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
        {
          name: 'cell',
          label: 'Cell',
          type: 'query',
          datasource: { type: 'prometheus', uid: '${datasource}' },
          query: 'label_values(up{job="tankwatch"}, cell)',
          refresh: 2, // when the time range changes
          sort: 3, // by number
        },
      ],
    },
    panels: panels.map(({ title, unit, queries }, index) => ({
      id: index + 1,
      type: 'timeseries',
      title,
      datasource: { type: 'prometheus', uid: '${datasource}' },
      gridPos: {
        x: (index % COLUMNS) * PANEL_WIDTH,
        y: Math.floor(index / COLUMNS) * PANEL_HEIGHT,
        w: PANEL_WIDTH,
        h: PANEL_HEIGHT,
      },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: Object.entries(queries).map(([legendFormat, expr], target) => ({
        refId: String.fromCharCode(65 + target),
        expr: ofCell(expr),
        legendFormat,
      })),
    })),
  };
}

/** The query for the chosen cell only. Without cells the label is missing, which the empty choice matches. */
const ofCell = (query: string): string =>
  query.replaceAll(/\b((?:tankwatch|process|nodejs)_\w+)(\{)?/g, (_all, metric: string, brace?: string) =>
    brace === undefined ? `${metric}{cell=~"$cell"}` : `${metric}{cell=~"$cell",`,
  );

/** The files of deploy/grafana by name. */
export const dashboardFiles = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(PANELS).map(([role, panels]) => [
      `${role}.json`,
      `${JSON.stringify(dashboard(role, panels), null, 2)}\n`,
    ]),
  );

if (import.meta.main) {
  for (const [name, text] of Object.entries(dashboardFiles()))
    await writeFile(new URL(`../deploy/grafana/${name}`, import.meta.url), text);
}
