import { join } from 'node:path';
import { formatProblems, getTotals, lint, loadConfig } from '@redocly/openapi-core';

/** Part of `npm run check`: openapi.json by the rules of redocly.yaml. A warning counts as an error. */
const root = join(import.meta.dirname, '..');
const config = await loadConfig({ configPath: join(root, 'redocly.yaml') });
const problems = await lint({ ref: join(root, 'openapi.json'), config });
const totals = getTotals(problems);
formatProblems(problems, { format: 'codeframe', totals, version: '' });
console.error(`openapi.json: ${totals.errors} errors, ${totals.warnings} warnings`);
process.exitCode = totals.errors + totals.warnings === 0 ? 0 : 1;
