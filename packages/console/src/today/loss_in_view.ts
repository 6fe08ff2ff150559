import { useEffect } from 'react';

/**
 * Tells the style sheet whether the section of losses is on the screen. On a phone, the alarm above the page is shown
 * only if the section is not on the screen, because both show the same loss.
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
