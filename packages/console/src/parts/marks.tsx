import type { StatusName } from '../status.ts';

/** A status, or another subject of a section or event. */
export type MarkName = StatusName | 'handled' | 'unusual_use' | 'fault' | 'battery_low' | 'weak_signal';

/** The mark of each status in a box of 12 by 12. Every status has a mark and a word, not only a color. */
export const MARK_PATHS: Readonly<Record<MarkName, string>> = {
  low: 'M1 3h10L6 10z',
  losing: 'M3.5 1v7M1 6l2.5 3L6 6M8.5 3v7M6 8l2.5 3L11 8',
  soon: 'M6 1a5 5 0 1 0 5 5H6z',
  silent: 'M6 1.5a4.5 4.5 0 1 0 .01 0zM2.5 9.5l7-7',
  gauge_unreliable: 'M4 4a2 2 0 1 1 3 1.8c-.8.4-1 .8-1 1.7M6 10v.01',
  refilled: 'M1 9h10L6 2z',
  handled: 'M1.5 6.5l3 3 6-7',
  unusual_use: 'M1 2l4 3 2 4h4',
  fault: 'M6 1.5l5 9H1zM6 5v2.5M6 9v.01',
  battery_low: 'M1 3.5h8.5v5H1zM11 5.5v1M3 5.5v1',
  weak_signal: 'M2 10V8M5 10V6M8 10V4M11 10V2',
};
export const FILLED_MARKS: ReadonlySet<MarkName> = new Set(['low', 'soon', 'refilled']);

export function StatusMark({ status }: { status: MarkName }) {
  return (
    <svg className={FILLED_MARKS.has(status) ? 'mark filled' : 'mark'} viewBox="0 0 12 12" aria-hidden="true">
      <path d={MARK_PATHS[status]} />
    </svg>
  );
}

const ICON_PATHS = {
  phone: 'M5 3h3l1.5 4-2 1.5a10 10 0 0 0 4 4l1.5-2 4 1.5v3c0 .6-.4 1-1 1C9.5 16 4 10.5 4 4c0-.6.4-1 1-1z',
  warning: 'M10 3l7.5 13.5h-15zM10 8v4M10 14.3v.01',
} as const;

/** A picture in a box of 20 by 20, beside a text that says the same. */
export function Icon({ name }: { name: keyof typeof ICON_PATHS }) {
  return (
    <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={ICON_PATHS[name]} />
    </svg>
  );
}
