import type { TankStatus } from '@tankwatch/client';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useFormat, usePreferences, useTranslation } from '../preferences_and_words.tsx';
import { badgeOf, isLosing, isOutdated, levelNote, levelOf, roomOf, volumeLeft } from '../status.ts';
import { dueTexts, emptyTexts, type TimeTexts } from '../time_texts.ts';
import { HandledBy, HandledMark, StatusBadge } from './badge.tsx';
import { Glyph } from './glyph.tsx';
import { LevelText } from './level_text.tsx';
import { Icon, type MarkName } from './marks.tsx';
import { telOf } from './phone.tsx';

interface CellProps {
  status: TankStatus;
  nowMs: number;
}

interface TankNameProps extends CellProps {
  hasOwner?: boolean;
  /** The status that the heading above already names. */
  knownStatus?: MarkName;
  /** Shown after the name of the owner. */
  place?: string | null;
  /** Shown after the name of the tank. */
  children?: ReactNode;
}

function TankName({ status, nowMs, hasOwner = true, knownStatus, place = null, children }: TankNameProps) {
  const { tank, owner } = status;
  return (
    <>
      <div className="tank-name">
        <Link href={`/tanks/${tank.id}`}>{tank.name}</Link>{' '}
        {tank.custom_id !== null && <span className="no">{tank.custom_id}</span>} {children}
        {badgeOf(status) !== knownStatus && <StatusBadge status={status} nowMs={nowMs} />}
        {status.section === 'handled' && knownStatus !== 'handled' && <HandledMark />}
      </div>
      {knownStatus === undefined && <HandledBy status={status} nowMs={nowMs} />}
      {(hasOwner || place !== null) && (
        <div className="meta">
          {hasOwner && (
            <Link href={`/customers/${owner.id}`} className="quiet">
              {owner.name}
            </Link>
          )}
          {place !== null && (
            <span className="in-name">
              {hasOwner && ' · '}
              {place}
            </span>
          )}
        </div>
      )}
    </>
  );
}

export function Level({ status }: { status: TankStatus }) {
  const { words, format } = usePreferences();
  const level = levelOf(status);
  const note = levelNote(status, words, format);
  return (
    <>
      <div className="level">
        <Glyph status={status} />
        <span className={level === null ? 'percent none' : isOutdated(status) ? 'percent old' : 'percent'}>
          <LevelText status={status} />
        </span>
      </div>
      {note !== '' && <div className="meta">{note}</div>}
    </>
  );
}

export function Left({ status }: { status: TankStatus }) {
  const { values } = useTranslation();
  const format = useFormat();
  const left = volumeLeft(status);
  return left === null ? values.unknown : format.volume(left, status.volume.unit);
}

export function Texts({ main, detail, isUrgent, hasRange = false }: TimeTexts) {
  return (
    <>
      <div className={isUrgent ? 'strong' : ''}>{main}</div>
      {detail !== '' && <div className={hasRange ? 'meta range' : 'meta'}>{detail}</div>}
    </>
  );
}

/** When the tank reaches its threshold. On a phone the cell shows its own label. */
export function DueCell({ status, nowMs, label }: CellProps & { label?: string }) {
  const { words, format } = usePreferences();
  const texts = dueTexts(status, nowMs, words, format);
  return (
    <td
      className={texts.main === words.values.none ? 'c-why nothing' : 'c-why'}
      data-label={texts.isSentence ? undefined : (label ?? words.fleet.columns.threshold)}
    >
      <Texts {...texts} />
    </td>
  );
}

/** When the tank is empty. On a phone the column has no heading, so the cell has a label. */
export function EmptyCell({ status, nowMs }: CellProps) {
  const { words, format } = usePreferences();
  const texts = emptyTexts(status, nowMs, words, format);
  return (
    <td
      className={`number c-empty${texts.isSentence ? ' brief' : ''}${texts.main === words.values.none ? ' nothing' : ''}`}
      data-label={texts.isSentence ? undefined : words.fleet.columns.empty}
    >
      {/* For an outdated level, the cell beside this one says that the time is an estimate. */}
      <Texts {...texts} detail={isOutdated(status) ? '' : texts.detail} />
    </td>
  );
}

export function UsePerDay({ status }: { status: TankStatus }) {
  const { values } = useTranslation();
  const format = useFormat();
  const { use_per_day: use, unit } = status.volume;
  // Beside a leak, the normal use would look like the rate of the loss.
  return use === null || isLosing(status) ? values.none : format.volume(use, unit);
}

export function Room({ status, fillTo }: { status: TankStatus; fillTo: number }) {
  const { values } = useTranslation();
  const format = useFormat();
  const room = roomOf(status, fillTo);
  // Nothing may be filled into a tank that is losing gas.
  return isLosing(status) || room === null ? values.none : format.volume(room, status.tank.capacity_unit);
}

export function ReadingAge({ status, nowMs }: CellProps) {
  const { values } = useTranslation();
  const format = useFormat();
  const at = status.reading?.created_at;
  if (at === undefined) return values.none;
  return (
    <time dateTime={at} title={format.fullTime(at)}>
      {format.ago(nowMs - Date.parse(at), 'short')}
    </time>
  );
}

/** The cells that every table of tanks begins with: name, level, volume, and when it is empty. */
export function NameCells(props: TankNameProps) {
  return (
    <>
      <th scope="row" className="c-tank">
        <TankName {...props} />
      </th>
      <td className="c-level">
        <Level status={props.status} />
      </td>
      <td className={volumeLeft(props.status) === null ? 'number c-left nothing' : 'number c-left'}>
        <Left status={props.status} />
      </td>
      <EmptyCell status={props.status} nowMs={props.nowMs} />
    </>
  );
}

export function RoomCells({ status, nowMs }: CellProps) {
  const { fillTo } = usePreferences();
  return (
    <>
      <td className="number c-room">
        <Room status={status} fillTo={fillTo} />
      </td>
      <td className="c-read">
        <ReadingAge status={status} nowMs={nowMs} />
      </td>
    </>
  );
}

/** The number to call. A narrow table has only a button. */
export function PhoneCell({ phone }: { phone: string | null }) {
  const { values } = useTranslation();
  return (
    <td className="c-phone">
      {phone === null ? (
        values.none
      ) : (
        <a className="tel" href={telOf(phone)}>
          <Icon name="phone" />
          <span>{phone}</span>
        </a>
      )}
    </td>
  );
}

/** The class of a row. Tanks that lose gas and tanks that are new in the list are highlighted. */
export const rowClass = (status: TankStatus, isNew = false): string =>
  ['row', status.status.includes('losing') ? 'losing' : '', isNew ? 'is-new' : ''].filter(Boolean).join(' ');
