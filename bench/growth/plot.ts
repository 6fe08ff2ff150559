import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { GrowthResults, type SizeResult } from './results.ts';

const COLORS = ['#b45309', '#f59e0b', '#1d4ed8', '#60a5fa', '#047857', '#34d399'];
const PANEL = { width: 300, height: 190, left: 48, top: 34, right: 24, bottom: 30 };
const COLUMNS = 3;

interface Panel {
  title: string;
  cost: (size: SizeResult) => number;
}

const buffersOf =
  (what: string) =>
  (size: SizeResult): number =>
    size.reads.find((read) => read.what === what)?.warm_buffers ?? 0;

const PANELS: readonly Panel[] = [
  { title: 'ingest: CPU time per reading, µs', cost: (size) => size.cpu_us_per_reading },
  { title: 'ingest: buffer misses per reading', cost: (size) => size.misses_per_reading },
  { title: 'ingest: WAL per reading, KB', cost: (size) => size.wal_bytes_per_reading / 1_000 },
  { title: 'GET one tank: buffers', cost: buffersOf('one tank') },
  { title: 'tanks, deepest page: buffers', cost: buffersOf('tanks, deepest page') },
  { title: 'telemetry, page 1: buffers', cost: buffersOf('telemetry, page 1') },
];

/** One line of a panel: the sizes of one run with one set of settings. */
interface Line {
  name: string;
  sizes: SizeResult[];
}

/** Draws all results of a folder as one image for the documentation. */
export async function drawGrowth(folder: string): Promise<string> {
  const lines: Line[] = [];
  for (const name of (await readdir(folder)).filter((file) => /^growth_.*\.json$/.test(file)).toSorted()) {
    const results = Value.Parse(GrowthResults, JSON.parse(await readFile(join(folder, name), 'utf8')));
    for (const variant of ['default', 'settings'] as const) {
      const sizes = results.sizes.filter((size) => size.variant === variant);
      if (sizes.length > 0)
        lines.push({ name: `${LABELS[results.label] ?? results.label}, ${VARIANTS[variant]}`, sizes });
    }
  }
  return drawing(lines);
}

const LABELS: Readonly<Record<string, string>> = {
  before: 'monthly partitions',
  after: 'daily partitions',
};
const VARIANTS = { default: "PostgreSQL's own settings", settings: 'deploy/postgresql.conf' };

function drawing(lines: readonly Line[]): string {
  const width = COLUMNS * PANEL.width;
  const panelsHeight = Math.ceil(PANELS.length / COLUMNS) * PANEL.height;
  const legend = lines.map(
    ({ name }, at) =>
      `<rect x="${PANEL.left}" y="${panelsHeight + 8 + at * 18}" width="14" height="4" fill="${COLORS[at]}"/>` +
      text(PANEL.left + 22, panelsHeight + 14 + at * 18, name),
  );
  const height = panelsHeight + 16 + lines.length * 18;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">
<title>How costs grow with the number of tanks</title>
<rect width="${width}" height="${height}" fill="#ffffff"/>
${PANELS.map((panel, at) => drawPanel(panel, lines, at)).join('\n')}
${legend.join('\n')}
</svg>
`;
}

/** The number of tanks on a logarithmic scale, the cost on a linear one from zero. */
function drawPanel({ title, cost }: Panel, lines: readonly Line[], at: number): string {
  const sizes = lines.flatMap((line) => line.sizes);
  const powers = sizes.map(({ tanks }) => Math.log10(tanks));
  const [first, last] = [Math.min(...powers), Math.max(...powers)];
  const highest = niceAbove(Math.max(...sizes.map(cost)));
  const [plotWidth, plotHeight] = [PANEL.width - PANEL.left - PANEL.right, PANEL.height - PANEL.top - PANEL.bottom];
  const x = (tanks: number): number => PANEL.left + ((Math.log10(tanks) - first) / (last - first || 1)) * plotWidth;
  const y = (value: number): number => PANEL.top + (1 - value / highest) * plotHeight;
  const grid = [0, 0.5, 1].map((share) => {
    const value = share * highest;
    const line = `<path d="M${PANEL.left} ${y(value)}H${PANEL.width - PANEL.right}" stroke="#d4d4d8"/>`;
    return line + text(PANEL.left - 6, y(value) + 4, String(Number(value.toPrecision(3))), 'end');
  });
  const ticks = [...new Set(sizes.map(({ tanks }) => tanks))].map((tanks) =>
    text(x(tanks), PANEL.height - PANEL.bottom + 16, shortNumber(tanks), 'middle'),
  );
  const curves = lines.map((line, index) => {
    const points = line.sizes.map((size) => `${x(size.tanks).toFixed(1)},${y(cost(size)).toFixed(1)}`);
    const dots = points.map((point) => `<circle cx="${point.split(',')[0]}" cy="${point.split(',')[1]}" r="3"/>`);
    const color = COLORS[index];
    return `<g fill="${color}"><polyline points="${points.join(' ')}" fill="none" stroke="${color}" stroke-width="2"/>${dots.join('')}</g>`;
  });
  const place = `translate(${(at % COLUMNS) * PANEL.width} ${Math.floor(at / COLUMNS) * PANEL.height})`;
  const content = [text(PANEL.left, 20, title, 'start', 'bold'), ...grid, ...ticks, ...curves];
  return `<g transform="${place}">${content.join('\n')}</g>`;
}

const shortNumber = (tanks: number): string => (tanks >= 1e6 ? `${tanks / 1e6}M tanks` : `${tanks / 1e3}k`);

/** The next number of the form 1, 2 or 5 times a power of ten. */
function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value || 1));
  return power * ([1, 2, 5].find((step) => value <= step * power) ?? 10);
}

const text = (x: number, y: number, content: string, anchor = 'start', weight = 'normal'): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" font-weight="${weight}" fill="#27272a">${content}</text>`;
