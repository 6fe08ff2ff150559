import { readFile } from 'node:fs/promises';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Stage } from './plan.ts';

const Price = Type.Number({ minimum: 0 });

/** Prices for one month. */
export const PriceList = Type.Object(
  {
    currency: Type.String({ minLength: 1 }),
    core: Price,
    memory_gb: Price,
    disk_gb: Price,
    /** The price of one IOPS of a disk above the included ones. */
    disk_iops: Price,
    included_disk_iops: Price,
    backup_gb: Price,
    /** The price of a GB that is sent from the machines to devices. */
    sent_gb: Price,
  },
  { additionalProperties: false },
);
export type PriceList = Static<typeof PriceList>;

const CheckedPrices = Compile(PriceList);
export const EXAMPLE_PRICES = new URL('../results/prices.json', import.meta.url);

export async function readPrices(file: string | URL = EXAMPLE_PRICES): Promise<PriceList> {
  return CheckedPrices.Parse(JSON.parse(await readFile(file, 'utf8')));
}

const MONTHS = 12;

export interface YearlyPrice {
  machines: number;
  disks: number;
  backups: number;
  network: number;
  total: number;
  perTank: number;
}

/** Machines and disks for the peak, all year. People, support and taxes are not in it. */
export function priceStage(stage: Stage, prices: PriceList): YearlyPrice {
  const { machines: count, sizes, disks, backupGb, sentGbPerMonth } = stage;
  const machine = ({ cores, memoryGb }: { cores: number; memoryGb: number }): number =>
    cores * prices.core + memoryGb * prices.memory_gb;
  const machines =
    count.database * machine(sizes.database) +
    count.service * machine(sizes.service) +
    count.router * machine(sizes.router);
  const disk = ({ gb, iops }: { gb: number; iops: number }): number =>
    gb * prices.disk_gb + Math.max(0, iops - prices.included_disk_iops) * prices.disk_iops;
  const allDisks = disks.reduce((sum, { number, ...size }) => sum + number * disk(size), 0);
  const parts = {
    machines: machines * MONTHS,
    disks: allDisks * MONTHS,
    backups: backupGb * prices.backup_gb * MONTHS,
    network: sentGbPerMonth * prices.sent_gb * MONTHS,
  };
  const total = parts.machines + parts.disks + parts.backups + parts.network;
  return { ...parts, total, perTank: total / stage.tanks };
}
