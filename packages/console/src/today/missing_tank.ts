import type { TankStatus } from '@tankwatch/client';

type Rows<Name extends string> = Partial<Record<Name, readonly { status: TankStatus }[]>>;

/**
 * True if a tank has disappeared: before, its status named the section in which it was shown, and now it is in no
 * section. The section to which the tank moved may have been read before the move.
 */
export function isTankMissing<Name extends string>(before: Rows<Name>, after: Rows<Name>): boolean {
  const rowsOf = (shown: Rows<Name>) => Object.values<Rows<Name>[Name]>(shown).flatMap((rows) => rows ?? []);
  const there = new Set(rowsOf(after).map(({ status }) => status.tank.id));
  return Object.entries<Rows<Name>[Name]>(before).some(([name, rows]) =>
    rows?.some(({ status }) => status.section === name && !there.has(status.tank.id)),
  );
}
