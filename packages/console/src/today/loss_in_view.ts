import { useEffect } from 'react';

/**
 * Tells the styles whether the losses of the day are on the screen. On a phone the alarm above the page would tell the same loss
 * twice, so that it appears only when they are scrolled away.
 */
export function useLossInView(hasLosses: boolean): void {
  useEffect(() => {
    const section = document.querySelector('#losing');
    if (!hasLosses || section === null) return undefined;
    const { dataset } = document.documentElement;
    const observer = new IntersectionObserver(([entry]) => {
      dataset['lossInView'] = String(entry?.isIntersecting ?? false);
    });
    observer.observe(section);
    return () => {
      observer.disconnect();
      delete dataset['lossInView'];
    };
  }, [hasLosses]);
}
