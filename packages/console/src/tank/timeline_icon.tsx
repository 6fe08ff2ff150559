import type { Timeline } from '@tankwatch/client';
import { EVENT_MARKS } from '../events/event_text.tsx';
import { Icon, type IconName, StatusMark } from '../parts/marks.tsx';

type Entry = Timeline['entries'][number];

function iconOf({ kind, act }: Entry): IconName {
  if (kind === 'act')
    return act?.type === 'device_assigned' ? 'device' : act?.type.startsWith('stop_') ? 'truck' : 'person';
  if (kind === 'delivery') return 'truck';
  return kind === 'event' ? 'level' : kind;
}

/** The icon of the kind of entry, beside a text that says the same. */
export function TimelineIcon({ entry }: { entry: Entry }) {
  const mark = entry.event === null ? undefined : EVENT_MARKS[entry.event.type];
  const icon = iconOf(entry);
  return (
    <span className={`tl-icon ${mark ?? icon}`} aria-hidden="true">
      {mark === undefined ? <Icon name={icon} /> : <StatusMark status={mark} />}
    </span>
  );
}
