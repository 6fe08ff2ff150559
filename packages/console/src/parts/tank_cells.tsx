import type { TankStatus } from '@tankwatch/client';
import { Link } from 'wouter';
import { useFormat, usePreferences, useWords } from '../preferences.tsx';
import {
  badgeOf,
  dueTexts,
  isOutdated,
  levelOf,
  oldLevel,
  roomOf,
  type StatusName,
  unconfirmedLevel,
} from '../status.ts';
import { StatusBadge } from './badge.tsx';
import { Glyph } from './glyph.tsx';

interface CellProps {
  status: TankStatus;
  nowMs: number;
}

interface TankNameProps extends CellProps {
  hasOwner?: boolean;
  /** The status that the heading above already names. */
  knownStatus?: StatusName;
}

export function TankName({ status, nowMs, hasOwner = true, knownStatus }: TankNameProps) {
  return (
    <>
      <div className="tank-name">
        <Link href={`/tanks/${status.tank.id}`}>{status.tank.name}</Link>{' '}
        {badgeOf(status) !== knownStatus && <StatusBadge status={status} nowMs={nowMs} />}
      </div>
      {hasOwner && (
        <div className="meta">
          <Link href={`/customers/${status.owner.id}`} className="quiet">
            {status.owner.name}
          </Link>
        </div>
      )}
    </>
  );
}

export function Level({ status }: { status: TankStatus }) {
  const { values } = useWords();
  const format = useFormat();
  const level = levelOf(status);
  const unconfirmed = unconfirmedLevel(status);
  return (
    <div className="level">
      <Glyph status={status} />
      <div>
        <div className={isOutdated(status) ? 'old' : ''}>
          {level === null
            ? values.noReading
            : isOutdated(status)
              ? oldLevel(status, format.percent(level), values)
              : format.percent(level)}
        </div>
        {unconfirmed !== null && <div className="meta">{values.unconfirmed(format.percent(unconfirmed))}</div>}
      </div>
    </div>
  );
}

export function Left({ status }: { status: TankStatus }) {
  const { values } = useWords();
  const format = useFormat();
  const { left, unit } = status.volume;
  return left === null || isOutdated(status) ? values.none : format.volume(left, unit);
}

export function Due({ status, nowMs }: CellProps) {
  const { words, format } = usePreferences();
  const { main, detail, isUrgent } = dueTexts(status, nowMs, words, format);
  return (
    <>
      <div className={isUrgent ? 'strong' : ''}>{main}</div>
      {detail !== '' && <div className="meta">{detail}</div>}
    </>
  );
}

export function UsePerDay({ status }: { status: TankStatus }) {
  const { values } = useWords();
  const format = useFormat();
  const { use_per_day: use, unit } = status.volume;
  return use === null ? values.none : format.volume(use, unit);
}

export function Room({ status, fillTo }: { status: TankStatus; fillTo: number }) {
  const { values } = useWords();
  const format = useFormat();
  const room = roomOf(status, fillTo);
  return room === null ? values.unknown : format.volume(room, status.tank.capacity_unit);
}

export function ReadingAge({ status, nowMs }: CellProps) {
  const { values } = useWords();
  const format = useFormat();
  const at = status.reading?.created_at;
  if (at === undefined) return values.none;
  return (
    <time dateTime={at} title={format.fullTime(at)}>
      {format.ago(nowMs - Date.parse(at), 'narrow')}
    </time>
  );
}

/** The cells that every table of tanks begins with: name, level and volume. */
export function NameCells(props: TankNameProps) {
  const { fleet } = useWords();
  return (
    <>
      <th scope="row">
        <TankName {...props} />
      </th>
      <td>
        <Level status={props.status} />
      </td>
      <td className="number" data-label={fleet.columns.left}>
        <Left status={props.status} />
      </td>
    </>
  );
}

export function RoomCells({ status, nowMs }: CellProps) {
  const { words, format, fillTo } = usePreferences();
  const { columns } = words.fleet;
  return (
    <>
      <td className="number" data-label={columns.room(format.percent(fillTo))}>
        <Room status={status} fillTo={fillTo} />
      </td>
      <td data-label={columns.read}>
        <ReadingAge status={status} nowMs={nowMs} />
      </td>
    </>
  );
}
