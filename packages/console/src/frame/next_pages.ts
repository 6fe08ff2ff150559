import { useEffect } from 'react';

export const loadFleet = () => import('../fleet/fleet.tsx');
export const loadTank = () => import('../tank/tank.tsx');

const DELAY_MS = 2_000;

/** Begins to load the code of the page at an address. If this fails, the page tries again and shows an error. */
export function loadPageAt(pathname: string): void {
  const load = pathname.startsWith('/console/tanks/')
    ? loadTank
    : pathname === '/console/fleet'
      ? loadFleet
      : undefined;
  load?.().catch(() => undefined);
}

/** Loads the pages of a tank and of the fleet early, so that they open even if the service hangs later. */
export function useNextPages({ isReady }: { isReady: boolean }): void {
  useEffect(() => {
    if (!isReady) return undefined;
    const timer = setTimeout(() => void Promise.all([loadTank(), loadFleet()]).catch(() => undefined), DELAY_MS);
    return () => clearTimeout(timer);
  }, [isReady]);
}
