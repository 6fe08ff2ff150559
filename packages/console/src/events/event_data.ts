import type { TankEvents } from '@tankwatch/client';

export type ChartEvent = TankEvents['events'][number];
