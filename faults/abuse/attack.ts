import type { Check } from '../../bench/report.ts';
import type { RoleName } from '../../engines/installation.ts';
import type { HonestPath } from './honest_tenant.ts';
import type { AttackedInstallation, Roles } from './installation.ts';

/** A proxy with a shipped file: deploy/nginx, or the router with HAProxy or with nginx. */
export type Via = 'nginx' | 'haproxy' | 'nginx-router';

/** What one tenant or stranger does to an installation, and which of the honest tenant's requests it must not harm. */
export interface Attack {
  /** The name for --only. */
  name: string;
  roles: readonly RoleName[];
  honestPaths: readonly HonestPath[];
  /** The proxy through which the attacker and the honest tenant send. Undefined if there is none. */
  via?: Via;
  /** Settings of the roles beside the defaults. */
  settings?: Readonly<Record<string, string>>;
  /** Runs before the honest tenant's baseline is measured. */
  prepare?(context: AttackContext): Promise<void>;
  /** Runs while the honest tenant is measured. Returns the checks of the attack itself. */
  run(context: AttackContext): Promise<Check[]>;
  /** Runs after the measurement. */
  finish?(context: AttackContext): Promise<Check[]>;
}

export interface AttackContext {
  installation: AttackedInstallation;
  roles: Roles;
  isQuick: boolean;
  log: (line: string) => void;
}

/** The address of attackers. The honest tenant uses 127.0.0.1. */
export const ATTACKER_ADDRESS = '127.0.0.66';

export const strangerAddress = (n: number): string => `127.0.1.${(n % 250) + 1}`;
