import type { Timeline } from '@tankwatch/client';
import { EVENT_MARKS } from '../events/event_text.tsx';
import { StatusMark } from '../parts/marks.tsx';

type Entry = Timeline['entries'][number];

const PATHS = {
  level: 'M2 6l5 3 4 1 7 5',
  person: 'M10 4a3 3 0 1 0 .01 0zM4 17c.5-4 3-5.5 6-5.5s5.5 1.5 6 5.5',
  note: 'M5 2.5h7l3.5 3.5v11.5H5zM12 2.5V6h3.5M7.5 9.5h5.5M7.5 12.5h5.5',
  mail: 'M3 5h14v10H3zM3 5.5l7 5.5 7-5.5',
  text: 'M3 4h14v9H9l-4 3.5V13H3z',
  truck: 'M2 5h9v9H2zM11 8h3.5l3 3v3H11M5.5 14a1.6 1.6 0 1 0 .01 0zM14 14a1.6 1.6 0 1 0 .01 0z',
  device: 'M4 16v-2M8 16v-5M12 16V8M16 16V4',
} as const;

function pathOf({ kind, act }: Entry): keyof typeof PATHS {
  if (kind === 'act')
    return act?.type === 'device_assigned' ? 'device' : act?.type.startsWith('stop_') ? 'truck' : 'person';
  if (kind === 'delivery') return 'truck';
  return kind === 'event' ? 'level' : kind;
}

/** The icon of the kind of entry, beside a text that says the same. */
export function TimelineIcon({ entry }: { entry: Entry }) {
  const mark = entry.event === null ? undefined : EVENT_MARKS[entry.event.type];
  const path = pathOf(entry);
  return (
    <span className={`tl-icon ${mark ?? path}`} aria-hidden="true">
      {mark === undefined ? (
        <svg className="icon" viewBox="0 0 20 20">
          <path d={PATHS[path]} />
        </svg>
      ) : (
        <StatusMark status={mark} />
      )}
    </span>
  );
}
