import { useSyncExternalStore } from 'react';

/** As wide as a phone. Styles have the same number. */
const PHONE = window.matchMedia('(max-width: 600px)');

function listen(onChange: () => void): () => void {
  PHONE.addEventListener('change', onChange);
  return () => PHONE.removeEventListener('change', onChange);
}

export const useIsPhone = (): boolean => useSyncExternalStore(listen, () => PHONE.matches);
