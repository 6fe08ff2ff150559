/** The types of events that a wrong level causes. */
export const RETRACTABLE_TYPES = [
  'tank.low_fill',
  'tank.fill_recovered',
  'tank.refilled',
  'tank.rapid_loss',
  'tank.unusual_use',
  // States store the position in this list: new types come last.
  'tank.overfilled',
  'tank.order_due',
] as const;
export type RetractableType = (typeof RETRACTABLE_TYPES)[number];

export interface ReportedEvent {
  type: RetractableType;
  atMs: number;
}

/** The events since the latest step. They are retracted if the level comes back and the gauge was wrong. */
export interface ReportedSinceStep {
  /** When the low-fill alert was raised that was open before the step; null if none was. */
  lowAtMs: number | null;
  events: readonly ReportedEvent[];
}
