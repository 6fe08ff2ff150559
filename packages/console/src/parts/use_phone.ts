import { useSyncExternalStore } from 'react';

/** The largest width of a phone. The style sheets use the same number. */
const PHONE = window.matchMedia('(max-width: 600px)');

function listen(onChange: () => void): () => void {
  PHONE.addEventListener('change', onChange);
  return () => PHONE.removeEventListener('change', onChange);
}

export const useIsPhone = (): boolean => useSyncExternalStore(listen, () => PHONE.matches);
