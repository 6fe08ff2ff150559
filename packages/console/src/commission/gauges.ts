import type { TankGauges } from '@tankwatch/client';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { decimalMarkOf, parseNumber } from '../../../../src/values/decimal.ts';
import { client } from '../api.ts';
import { type Request, type UsedChange, useChange } from '../change/use_change.ts';
import type { VolumeUnit } from '../format.ts';
import { usePreferences } from '../preferences_and_words.tsx';

type StoredGauge = TankGauges['gauges'][number];
/** A gauge as it is sent to the service. */
export type Gauge = Pick<StoredGauge, 'from_at' | 'shape' | 'measures' | 'offset_mm' | 'density_kg_m3' | 'range'>;
export type TankShape = Gauge['shape'];

export const gaugesQuery = (tankId: string) =>
  queryOptions({
    queryKey: ['manage', 'gauges', tankId],
    queryFn: ({ signal }) => client.manage.gauges.retrieve(tankId, { signal }),
  });

/** Changes the gauges of a tank. After a refusal, the stored gauges are read again. */
export function useGaugeChange(tankId: string, onSaved?: () => void): UsedChange<TankGauges> {
  const queryClient = useQueryClient();
  const { queryKey } = gaugesQuery(tankId);
  return useChange<TankGauges>(
    (saved) => {
      queryClient.setQueryData(queryKey, saved);
      onSaved?.();
    },
    () => void queryClient.invalidateQueries({ queryKey }),
  );
}

/** The request that sets one gauge of a tank and keeps the others. */
export const putGauge = (stored: TankGauges, gauge: Gauge, label: string): Request => ({
  method: 'PUT',
  path: `/tanks/${stored.tank_id}/gauges`,
  body: { gauges: [...stored.gauges.filter(({ from_at }) => from_at !== gauge.from_at).map(asSent), gauge] },
  ifMatch: stored.etag,
  label,
});

const asSent = ({ from_at, shape, measures, offset_mm, density_kg_m3, range }: StoredGauge): Gauge => ({
  from_at,
  shape,
  measures,
  offset_mm,
  ...(density_kg_m3 !== undefined && { density_kg_m3 }),
  ...(range !== undefined && { range }),
});

const MM_PER_INCH = 25.4;

/** Lengths as texts: sizes of tanks in inches where volumes are gallons; measures of sensors always in millimeters. */
export function useLengths(volumeUnit: VolumeUnit) {
  const { locale } = usePreferences().format;
  const written = (unit: string, maximumFractionDigits: number) => {
    const format = new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits });
    return (value: number): string => format.format(value);
  };
  const [mm, inches] = [written('millimeter', 0), written('inch', 1)];
  const isInches = volumeUnit === 'gallons';
  return {
    mm,
    isInches,
    size: (value: number): string => (isInches ? inches(value / MM_PER_INCH) : mm(value)),
    /** The text of a size in a field. */
    typedSize: (value: number): string =>
      new Intl.NumberFormat(locale, { maximumFractionDigits: 1, useGrouping: false }).format(
        isInches ? value / MM_PER_INCH : value,
      ),
    mmOfSize: (typed: number): number => Math.round((isInches ? typed * MM_PER_INCH : typed) * 10) / 10,
  };
}

/** Parses a number as the language of the page writes it. Null if the text is not a number. */
export function useNumbers(): (text: string) => number | null {
  const usual = decimalMarkOf(usePreferences().format.locale);
  return (text) => {
    const value = text.trim() === '' ? undefined : parseNumber(text.replace('−', '-'), { usual });
    return typeof value === 'number' && Number.isFinite(value) ? value : null;
  };
}
