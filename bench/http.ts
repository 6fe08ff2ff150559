import type { BenchOptions, Report } from './report.ts';

export async function benchHttp(_options: BenchOptions): Promise<Report> {
  throw new Error('not yet');
}
