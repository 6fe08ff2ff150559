import type { TankStatus } from '@tankwatch/client';
import { Link } from 'wouter';
import { useNow } from '../clock.ts';
import { StatusMark } from '../parts/marks.tsx';
import { Skeleton } from '../parts/problem.tsx';
import { usePreferences } from '../preferences_and_words.tsx';
import { badgeOf, isOutdated, levelOf, oldLevel } from '../status.ts';
import { translationOf } from '../translations/translation.ts';
import { timeLeft } from './time_left.ts';

interface TanksInViewProps {
  /** Undefined while the rows are read. */
  rows: readonly TankStatus[] | undefined;
  total: number;
  /** The link to a list of all tanks in view. */
  href: string;
}

/** The most urgent tanks of the map as a list, which also works with keyboards and screen readers. */
export function TanksInView({ rows, total, href }: TanksInViewProps) {
  const { words, format, language } = usePreferences();
  const nowMs = useNow();
  return (
    <section className="in-view" aria-labelledby="in-view">
      <h2 id="in-view">{words.map.inView}</h2>
      {rows === undefined && <Skeleton rows={5} />}
      {rows?.length === 0 && <p className="meta">{words.map.noneInView}</p>}
      <ol>
        {rows?.map((status) => {
          const own = translationOf(language, status.product);
          const badge = badgeOf(status);
          const left = timeLeft(status, nowMs, own, format);
          const level = levelOf(status);
          const percent = level === null ? own.values.noReading : format.percent(level);
          return (
            <li key={status.tank.id}>
              <Link href={`/tanks/${status.tank.id}`}>
                <span>
                  <b>{status.tank.name}</b> <span className="meta">{status.tank.custom_id}</span>
                  <span className="meta">
                    {[status.owner.name, status.tank.location.city].filter((text) => text !== null).join(' · ')}
                  </span>
                </span>
                <span className="number">
                  <span className="meta">{left.label}</span>{' '}
                  <b className={badge === 'losing' ? 'hot' : ''}>{left.main}</b>
                  <span className="meta">
                    {badge !== undefined && <StatusMark status={badge} />}
                    {badge !== undefined && <span className="hidden">{own.status[badge]}, </span>}
                    {level !== null && isOutdated(status) ? oldLevel(status, percent, own.values) : percent}
                  </span>
                </span>
              </Link>
            </li>
          );
        })}
      </ol>
      {rows !== undefined && total > rows.length && (
        <p>
          <Link href={href}>{words.map.allInView(format.count(total))}</Link>
        </p>
      )}
    </section>
  );
}
