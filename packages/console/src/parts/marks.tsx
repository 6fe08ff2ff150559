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
  home: 'M3 9.5L10 4l7 5.5V17H3z',
  list: 'M7 5h10M7 10h10M7 15h10M3.5 5h.01M3.5 10h.01M3.5 15h.01',
  truck: 'M2 5h9v9H2zM11 8h3.5l3 3v3H11M5.5 14a1.6 1.6 0 1 0 .01 0zM14 14a1.6 1.6 0 1 0 .01 0z',
  note: 'M5 2.5h7l3.5 3.5v11.5H5zM12 2.5V6h3.5M7.5 9.5h5.5M7.5 12.5h5.5',
  more: 'M3 5h14M3 10h14M3 15h14',
  corners: 'M3 8V3h5M12 3h5v5M17 12v5h-5M8 17H3v-5',
  level: 'M2 6l5 3 4 1 7 5',
  person: 'M10 4a3 3 0 1 0 .01 0zM4 17c.5-4 3-5.5 6-5.5s5.5 1.5 6 5.5',
  mail: 'M3 5h14v10H3zM3 5.5l7 5.5 7-5.5',
  text: 'M3 4h14v9H9l-4 3.5V13H3z',
  device: 'M4 16v-2M8 16v-5M12 16V8M16 16V4',
} as const;
export type IconName = keyof typeof ICON_PATHS;

/** A picture in a box of 20 by 20, beside a text that says the same. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={ICON_PATHS[name]} />
    </svg>
  );
}
