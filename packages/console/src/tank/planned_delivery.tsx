import type { TankStatus } from '@tankwatch/client';
import { usePreferences } from '../preferences_and_words.tsx';

/** The day on which a truck comes. Nothing is shown if no delivery is planned, or while the tank loses gas. */
export function PlannedDelivery({ status, nowMs }: { status: TankStatus; nowMs: number }) {
  const { words, format } = usePreferences();
  const { planned_delivery: planned } = status;
  if (planned === null || status.status.includes('losing')) return null;
  return <p className="strong">{words.values.planned(format.dayToCome(planned.date, nowMs))}</p>;
}
