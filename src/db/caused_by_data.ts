import { DatabaseError } from 'pg';

/**
 * False for a lost connection, a deadlock or a lack of resources: the same work succeeds later. These are SQLSTATE classes
 * 08, 25 (a read-only server after a failover), 40, 53, 57 and 58. A statement timeout (57014) may be caused by one tank.
 */
export function isCausedByData(error: unknown): boolean {
  if (error instanceof RangeError || error instanceof TypeError) return true;
  if (!(error instanceof DatabaseError) || error.code === undefined) return false;
  return error.code === '57014' || !/^(08|25|40|53|57|58)/.test(error.code);
}
