import type { TankStatus } from '@tankwatch/client';
import { useFormat, useTranslation } from '../preferences_and_words.tsx';
import { isOutdated, levelOf, oldLevel } from '../status.ts';

/** The level as a text. An old level is marked as old. */
export function LevelText({ status }: { status: TankStatus }) {
  const { values } = useTranslation();
  const format = useFormat();
  const level = levelOf(status);
  if (level === null) return values.noReading;
  return isOutdated(status) ? oldLevel(status, format.percent(level), values) : format.percent(level);
}
